/** Strings of a declaration, each held to the notation of its scope: what the policy cannot read is not declared. */
import { Either, Schema } from "effect"
import type { ScopeInvalid } from "../policy/lattice/ScopeInvalid.js"

export const declared = (identifier: string, parse: (text: string) => Either.Either<unknown, ScopeInvalid>) =>
  Schema.String.pipe(
    Schema.filter(
      (text) => Either.match(parse(text), { onLeft: ({ detail }) => detail, onRight: () => true }),
      {
        identifier
      }
    )
  )

/** One word of a list, with an error that names the list. */
export const oneOf = <const Words extends readonly [string, ...ReadonlyArray<string>]>(...words: Words) =>
  Schema.Literal(...words).annotations({
    message: () => ({ message: `expected one of ${words.join(", ")}`, override: true })
  })
