/** Entries by which somebody could come to hold more than was meant, each in words. */
import * as Host from "../../policy/lattice/Host.js"
import type { Encoded } from "../../policy/lattice/ScopeSet.js"
import { isWild } from "../../policy/lattice/Wildcard.js"
import { quote } from "../../policy/text/Quote.js"
import type { Finding } from "./Model.js"
import { anyAgent, anyCommand, type Place, runsIn, writesIn } from "./probes.js"
import type { Entry } from "./subjects.js"

export type Risk = Pick<Finding, "code" | "detail" | "remedy">

type Weighed = Pick<Entry, "authority" | "written">

const named = (places: ReadonlyArray<Place>): string =>
  places
    .map(({ what }) => what)
    .join(", ")
    .replace(/, ([^,]*)$/, " and $1")

export const writes = (
  { authority, written }: Weighed,
  places: ReadonlyArray<Place>
): ReadonlyArray<Risk> => {
  const reached = places.filter((place) => writesIn(authority, place))
  if (reached.length === 0) return []
  return [
    {
      code: "WRITES_AUTHORITY",
      detail: `'${written}' covers ${named(reached)}, where authority is written: only the floor keeps tools from it`,
      remedy: "narrow it to directories that hold no authority"
    }
  ]
}

export const runs = ({ authority, written }: Weighed, places: ReadonlyArray<Place>): ReadonlyArray<Risk> => {
  const reached = places.filter((place) => runsIn(authority, place))
  if (reached.length === 0) return []
  return [
    {
      code: "RUNS_OVER_AUTHORITY",
      detail: `'${written}' runs commands over ${named(reached)}, where authority is written: nothing holds those that the kernel does not`,
      remedy: "run them in a directory that holds no authority, or have the kernel hold them"
    }
  ]
}

/** An alternative of commands names both of its dimensions. */
const patternsOf = (encoded: Encoded): ReadonlyArray<string> =>
  typeof encoded === "object" && "argv" in encoded ? [encoded.argv ?? []].flat() : []

/** The first word of a pattern; a name is printed with `:*` for its arguments. */
const commandOf = (pattern: string): string => pattern.replace(/:\*$/, "").split(" ")[0] ?? ""

export const looseCommands = ({ authority, written }: Weighed): ReadonlyArray<Risk> =>
  anyCommand(authority)
    ? []
    : [...new Set(authority.scopes.process.exec.encode().flatMap(patternsOf))]
        .filter((pattern) => isWild(commandOf(pattern)))
        .map((pattern) => ({
          code: "COMMAND_OPEN",
          detail: `the pattern ${quote(pattern)} of '${written}' leaves open which command it is`,
          remedy: "name the command, as in 'git:*' or 'git log *'"
        }))

const isOfMany = (pattern: string): boolean => {
  if (!pattern.startsWith("*.")) return false
  const suffix = pattern.slice(2)
  return !suffix.includes(".") || Host.coversPublicSuffix(suffix)
}

export const wholeSuffixes = ({ authority, written }: Weighed): ReadonlyArray<Risk> =>
  [...new Set(Object.values(authority.scopes.network).flatMap((hosts) => hosts.encode()))]
    .filter(isOfMany)
    .map((pattern) => ({
      code: "HOSTS_OF_ANYBODY",
      detail: `${quote(pattern)} of '${written}' is a whole public suffix: anybody can have a host there`,
      remedy: "name the domains below it, as in '*.example.com'"
    }))

export const grantsToAnybody = ({ authority, written }: Weighed): ReadonlyArray<Risk> =>
  anyAgent(authority)
    ? [
        {
          code: "GRANTS_TO_ANYBODY",
          detail: `'${written}' lets it pass on what it holds to any agent`,
          remedy: "name the agent, as in 'agent.grant{id=agents/helper}'"
        }
      ]
    : []
