/** What a server requires, read from its list: each entry as it is written, and all of them as one authority. */
import { Either } from "effect"
import * as Grant from "../grant/Grant.js"
import type { Authority } from "../lattice/Authority.js"
import type { At } from "../text/Problem.js"
import { parseSpec, printSpec } from "../text/Spec.js"
import type { Yaml } from "../text/StrictYaml.js"
import type { Places } from "./places.js"

type Invalid = Pick<Grant.GrantInvalid, "code" | "detail" | "remedy">

/** One entry of `requires`. */
export interface Required extends At {
  /** As the operator wrote it, in one spelling. */
  readonly written: string | undefined
  /** The same, to be written again. */
  readonly entry?: Pick<Grant.Grant, "name" | "scope">
  /** With the directory that it names as a whole path. */
  readonly grant: Either.Either<Grant.Grant, Invalid>
}

/** A directory that does not start at `/` or at a home starts at the workspace. */
const rootedAt = (root: string, directory: string): string => {
  if (/^(?:\/|~)/.test(directory)) return directory
  const below = directory.replace(/^(?:\.\/+)+|^\.$/, "")
  return below === "" ? root : `${root}/${below}`
}

const OWN = "in"

/** The same entry with its directory as a whole path: a grant has no other. */
const rooted = (item: Yaml, root: string): Yaml => {
  if (item._tag === "Scalar" && typeof item.value === "string") {
    const spec = parseSpec(item.value)
    if (Either.isLeft(spec)) return item
    const { name, pairs } = spec.right
    const whole = pairs.map(
      ([key, value]) =>
        [key, key === OWN && typeof value === "string" ? rootedAt(root, value) : value] as const
    )
    return { ...item, value: printSpec({ name, pairs: whole }) }
  }
  const [only] = item._tag === "Mapping" ? item.entries : []
  const scope = only?.[1].value
  const given = scope?._tag === "Mapping" ? scope.entries.get(OWN) : undefined
  if (only === undefined || item._tag !== "Mapping" || scope?._tag !== "Mapping") return item
  if (given?.value._tag !== "Scalar" || typeof given.value.value !== "string") return item
  const whole = { ...given, value: { ...given.value, value: rootedAt(root, given.value.value) } }
  const [name, entry] = only
  const value = { ...scope, entries: new Map([...scope.entries, [OWN, whole]]) }
  return { ...item, entries: new Map([...item.entries, [name, { ...entry, value }]]) }
}

/** What the operator wrote of the directory stays in what is written down again. */
const asWritten = (grant: Grant.Grant, item: Yaml): Pick<Grant.Grant, "name" | "scope"> => {
  const own = directoryIn(item)
  return own === undefined || grant.scope.in === undefined
    ? grant
    : { name: grant.name, scope: { ...grant.scope, in: own } }
}

const directoryIn = (item: Yaml): string | undefined => {
  if (item._tag === "Scalar" && typeof item.value === "string") {
    const spec = parseSpec(item.value)
    const found = Either.isLeft(spec) ? undefined : spec.right.pairs.find(([key]) => key === OWN)?.[1]
    return typeof found === "string" ? found : undefined
  }
  const [only] = item._tag === "Mapping" ? item.entries : []
  const scope = only?.[1].value
  const given = scope?._tag === "Mapping" ? scope.entries.get(OWN)?.value : undefined
  return given?._tag === "Scalar" && typeof given.value === "string" ? given.value : undefined
}

const requiredIn = (item: Yaml, { root }: Places): Required => {
  const grant = Grant.fromYaml(rooted(item, root))
  const written = Either.isRight(grant) ? asWritten(grant.right, item) : undefined
  return {
    ...item.at,
    written: written && Grant.print(written),
    grant,
    ...(written === undefined ? {} : { entry: written })
  }
}

/** One entry that was written elsewhere, as on a command line or in a lock. */
export const requiredBy = (spec: string, places: Places): Required =>
  requiredIn({ _tag: "Scalar", value: spec, at: { line: 1, column: 1 } }, places)

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
    specs.map((spec) => requiredBy(spec, places)),
    places
  )
