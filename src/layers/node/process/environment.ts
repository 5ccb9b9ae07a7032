/** The variables of a child: a few of the operator's, and those that the tool sets, as long as they only inform. */
import { Either } from "effect"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Scoped } from "../../../policy/lattice/Request.js"
import { directoriesOf } from "./pin.js"
import * as refusals from "./refusals.js"
import { type Family, loaders, passed, steering } from "./variableNames.js"

const isPassed = (name: string): boolean => passed.has(name) || name.startsWith("LC_")

const has = ({ harmless, names, prefixes }: Family, upper: string): boolean =>
  names.has(upper) || (!harmless.has(upper) && prefixes.some((prefix) => upper.startsWith(prefix)))

/** Of git's many only those that say who writes, and when. */
const harmlessGit = /^GIT_(?:AUTHOR_|COMMITTER_|TERMINAL_PROMPT$|OPTIONAL_LOCKS$)/

const isGit = (upper: string): boolean => upper.startsWith("GIT_") && !harmlessGit.test(upper)

/** Variables that load code into a command: not even taken over from the operator. */
const isLoader = (name: string): boolean => {
  const upper = name.toUpperCase()
  return isGit(upper) || has(loaders, upper)
}

/** Variables that make a command run or read something other than what was permitted: not accepted from a tool. */
const isRefused = (name: string): boolean => isLoader(name) || has(steering, name.toUpperCase())

export type Variables = Readonly<Record<string, string>>

export interface Source {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly path: string
  readonly inherit: boolean
}

/** A repository names a program that git starts to learn what changed; nobody permitted that one. */
const quietGit: ReadonlyArray<readonly [string, string]> = [
  ["GIT_CONFIG_COUNT", "1"],
  ["GIT_CONFIG_KEY_0", "core.fsmonitor"],
  ["GIT_CONFIG_VALUE_0", "false"]
]

/** What every child gets, taken once. */
export const baseOf = ({ environment, inherit, path }: Source): Variables => {
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (isPassed(entry[0]) || (inherit && !isLoader(entry[0])))
  )
  return Object.fromEntries([...kept, ["PATH", directoriesOf(path).join(":")], ...quietGit])
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A tool's `PATH` is dropped and not refused: commands are found on the operator's in any case. */
const isPath = (name: string): boolean => name.toUpperCase() === "PATH"

interface Environment {
  readonly all: Variables
  /** What of it the tool sets. */
  readonly given: Variables
}

export const environmentOf = (
  base: Variables,
  given: Variables | undefined,
  proof: Proof<Scoped>
): Either.Either<Environment, ProcessError> => {
  if (given === undefined) return Either.right({ all: base, given: {} })
  const names = Object.keys(given).filter((name) => !isPath(name))
  for (const name of names) {
    const value: unknown = given[name]
    if (isRefused(name)) return Either.left(refusals.variableRefused(name)(proof))
    if (!NAME.test(name) || typeof value !== "string" || value.includes("\u0000")) {
      return Either.left(refusals.variableInvalid(name)(proof))
    }
  }
  const set = Object.fromEntries(names.map((name) => [name, given[name] ?? ""]))
  return Either.right({ all: { ...base, ...set }, given: set })
}
