/** Entries that name a path of the floor: those that open nothing, and those that lift what runs later by itself. */
import * as Floor from "../../policy/gate/floor/Floor.js"
import { isWild } from "../../policy/lattice/Wildcard.js"
import type { Finding, Input } from "./Model.js"
import { type Check, type Entry, some, subjectsOf } from "./subjects.js"

const verbs = ["read", "write", "delete"] as const

interface Named {
  readonly verb: (typeof verbs)[number]
  readonly path: string
}

/** The paths that an entry names, and does not match by a pattern. */
const namedBy = ({ authority }: Entry): ReadonlyArray<Named> =>
  verbs.flatMap((verb) =>
    authority.scopes.files[verb]
      .encode()
      .flatMap((one) =>
        typeof one === "string" && !isWild(one) ? [{ verb, path: one.replace(/\/+$/, "") }] : []
      )
  )

const findingOf = (
  { file, line, subject, written }: Entry,
  { path, verb }: Named,
  { lifts, reason }: Floor.Forbidden
): Finding => ({
  severity: "warning",
  check: "floor",
  subject,
  file,
  line,
  ...(lifts
    ? {
        code: "FLOOR_LIFTED",
        detail: `'${written}' names ${path} (${reason}), which is on the part of the floor that a policy lifts: tools may ${verb} it, and it takes effect later by itself`,
        remedy: "name only the files that are meant, and look at them before they run"
      }
    : {
        code: "FLOOR_CLOSED",
        detail: `'${written}' does not let tools ${verb} ${path}: it is on the part of the floor that no policy lifts (${reason})`,
        remedy: "delete it, and keep what tools need elsewhere"
      })
})

/** Said once for an entry and a path, whichever verbs it holds. */
const findingsOf = (entry: Entry, floor: Floor.Floor): ReadonlyArray<Finding> => {
  const found = new Map<string, Finding>()
  for (const named of namedBy(entry)) {
    const guarded = named.path === "" ? undefined : Floor.guards(floor, named.verb, named.path)
    if (guarded !== undefined && !found.has(named.path)) {
      found.set(named.path, findingOf(entry, named, guarded))
    }
  }
  return [...found.values()]
}

const findings = (input: Input): ReadonlyArray<Finding> => {
  const around = Floor.around("", { home: input.home, workspace: input.workspace?.root })
  return subjectsOf(input).flatMap(({ entries, policy }) => {
    const floor = Floor.meet(policy.floor, around)
    return entries.flatMap((entry) => findingsOf(entry, floor))
  })
}

export const floor: Check = {
  name: "floor",
  passed: (input) => {
    const { length } = subjectsOf(input)
    return length === 0
      ? undefined
      : `${some(length, "policy", "policies")}, none of which names a path that is guarded whatever policies say`
  },
  findings
}
