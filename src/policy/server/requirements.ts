/** What a server requires, read from its list: each entry as it is written, and all of them as one authority. */
import { Either } from "effect"
import * as Grant from "../grant/Grant.js"
import type { Authority } from "../lattice/Authority.js"
import type { At } from "../text/Problem.js"
import type { Yaml } from "../text/StrictYaml.js"
import type { Places } from "./places.js"

type Invalid = Pick<Grant.GrantInvalid, "code" | "detail" | "remedy">

/** One entry of `requires`. */
export interface Required extends At {
  /** As the operator wrote it, in one spelling. */
  readonly written: string | undefined
  /** With the directory that it names as a whole path. */
  readonly grant: Either.Either<Grant.Grant, Invalid>
}

/** A directory that does not start at `/` or at a home starts at the workspace. */
const rootedIn = (root: string, grant: Grant.Grant): Grant.Grant => {
  const { in: own } = grant.scope
  if (own === undefined || /^(?:\/|~)/.test(own)) return grant
  const below = own.replace(/^(?:\.\/+)+|^\.$/, "")
  return { ...grant, scope: { ...grant.scope, in: below === "" ? root : `${root}/${below}` } }
}

const requiredIn = (item: Yaml, { root }: Places): Required => {
  const grant = Grant.fromYaml(item)
  return {
    ...item.at,
    written: Either.isRight(grant) ? Grant.print(grant.right) : undefined,
    grant: Either.map(grant, (given) => rootedIn(root, given))
  }
}

export const requirementsIn = (value: Yaml, places: Places): ReadonlyArray<Required> =>
  value._tag === "List"
    ? value.items.map((item) => requiredIn(item, places))
    : [
        {
          ...value.at,
          written: undefined,
          grant: Either.left({
            code: "GRANT_MALFORMED",
            detail: "'requires' is not a list of grants",
            remedy: "write a list; [] is none"
          })
        }
      ]

/** A grant that gives nothing cannot be held, and so nobody holds what the server requires. */
const compiled = (grant: Grant.Grant, { home, real }: Places): Grant.Compiled | undefined => {
  const made = Grant.compile(grant, { home, real })
  return Either.isRight(made) && made.right.inert === undefined ? made.right : undefined
}

/** Nothing where an entry cannot be read, or gives nothing. */
export const authorityOf = (all: ReadonlyArray<Required>, places: Places): Authority | undefined => {
  const pieces: Array<Grant.Compiled> = []
  for (const { grant } of all) {
    const one = Either.isRight(grant) ? compiled(grant.right, places) : undefined
    if (one === undefined) return undefined
    pieces.push(one)
  }
  return Grant.authority(pieces)
}

/** What specs require that were written elsewhere, as in a lock; nothing where one of them cannot be read. */
export const authorityOfSpecs = (specs: ReadonlyArray<string>, places: Places): Authority | undefined =>
  authorityOf(
    specs.map((spec) => ({
      line: 1,
      column: 1,
      written: spec,
      grant: Either.map(Grant.parse(spec), (grant) => rootedIn(places.root, grant))
    })),
    places
  )
