/** What the process of an isolated tool says of it, as a part of the lock and in words. It is a stranger's: bounded, and shown whole. */
import { Either } from "effect"
import { isModuleName, type Origin } from "../../policy/ToolOrigin.js"
import { ordered } from "../../policy/text/OrderedJson.js"
import { seen } from "../../policy/text/Quote.js"
import { digest, sortedSet, spelled } from "./locked.js"
import type { Change, Isolated } from "./Model.js"
import { differ, isObject, quotedLines, schemaLines, type Wrong } from "./says.js"

/** More than a description of one tool can come to. */
const LONGEST = 512 * 1024

const wrong = (what: string, ...path: ReadonlyArray<string>): Either.Either<never, Wrong> =>
  Either.left({ path, what })

type Fields = Readonly<Record<string, unknown>>

/** The parts that are written down of every tool are those of the words: a lock in which they differ was put together by hand. */
const agrees = (says: Fields, { capabilities, description, parameters, services }: Fields): boolean =>
  digest(says.description) === description &&
  digest(says.parameters) === parameters &&
  isObject(says.capabilities) &&
  isObject(capabilities) &&
  !differ(spelled(says.capabilities), spelled(capabilities)) &&
  Array.isArray(says.services) &&
  Array.isArray(services) &&
  !differ(sortedSet(says.services.map(String)), sortedSet(services.map(String)))

export const describedIn = (
  value: unknown,
  written: Fields,
  { module, plugin }: Origin
): Either.Either<Isolated, Wrong> => {
  if (module === undefined && plugin === undefined) {
    return wrong("is there for tools of packages and isolated modules alone")
  }
  if (!isObject(value)) return wrong("is not an object")
  const unknown = Object.keys(value).find((key) => key !== "module" && key !== "says")
  if (unknown !== undefined) return wrong("is a key that no version has known so far", unknown)
  const { module: named, says } = value
  if (typeof named !== "string" || !isModuleName(named)) return wrong("is not a module", "module")
  const isFromThere =
    module === undefined ? named === plugin || named.startsWith(`${plugin}/`) : named === module
  if (!isFromThere) return wrong("is not where the tool comes from", "module")
  if (!isObject(says) || JSON.stringify(says).length > LONGEST) return wrong("is no description", "says")
  return agrees(says, written)
    ? Either.right({ module: named, says })
    : wrong("is not what is written beside it", "says")
}

/** What is said in a line of its own, or is in the lines of the declaration. */
const APART = new Set(["name", "description", "parameters", "success", "failure", "capabilities", "services"])

const besides = (says: Fields): Fields =>
  Object.fromEntries(Object.entries(says).filter(([key]) => !APART.has(key)))

/** What a model would read, before it reads it: a stranger's words, marked as such. */
export const describedLines = ({ now, was }: NonNullable<Change["isolated"]>): ReadonlyArray<string> => {
  const lines = (sign: string, { says }: Isolated, other: Fields | undefined): ReadonlyArray<string> => [
    ...(says.description === other?.description
      ? []
      : [`${sign} the tool's own words:`, ...quotedLines(sign, String(says.description))]),
    ...[
      ["parameters", "parameters"],
      ["success", "answer"],
      ["failure", "failures"]
    ].flatMap(([key = "", title = ""]) =>
      differ(says[key], other?.[key]) ? schemaLines(sign, title, says[key]) : []
    ),
    ...(other !== undefined && !differ(besides(says), besides(other))
      ? []
      : [`${sign} besides: ${seen(JSON.stringify(ordered(besides(says))))}`])
  ]
  return [...(was === undefined ? [] : lines("-", was, now.says)), ...lines("+", now, was?.says)]
}
