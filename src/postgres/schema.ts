/** The schema that everything lies in. */
import { Either } from "effect"
import type { DatabaseError } from "./DatabaseError.js"
import { refused } from "./Trouble.js"

const NAME = /^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/

/** As it stands in a statement. Small letters are enough for a name, and nothing else ever gets into a statement. */
export const identifier = (name: string): Either.Either<string, DatabaseError> =>
  NAME.test(name)
    ? Either.right(`"${name}"`)
    : Either.left(
        refused(
          "the schema has a name that is not allowed; write up to 63 small letters, digits and '_', and not 'pg_' at its beginning"
        )
      )
