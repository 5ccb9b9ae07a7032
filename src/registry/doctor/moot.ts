/** Grants that say nothing, because others of the same agent say more. */
import * as AgentRecord from "../../policy/agent/AgentRecord.js"
import * as Floor from "../../policy/gate/floor/Floor.js"
import * as Grant from "../../policy/grant/Grant.js"
import * as Authority from "../../policy/lattice/Authority.js"
import { getOrSet } from "../../policy/Memo.js"
import type { Finding } from "./Model.js"
import { agentsOf, type Check, heldBy } from "./subjects.js"

/** Each is compared to the join of all others: for more than these of one capability that would take too long. */
const MOST = 200

interface Weighed {
  readonly held: AgentRecord.Held
  readonly authority: Authority.Authority
}

/** Those of one capability: no other grant can cover them. */
const alike = ({ held }: AgentRecord.AgentRecord): ReadonlyArray<ReadonlyArray<AgentRecord.Held>> => {
  const groups = new Map<string, Array<AgentRecord.Held>>()
  for (const one of held) {
    if (one.inert !== undefined) continue
    // What may be read may also be sent sealed.
    const group = one.grant.name === "secrets.read" ? one.grant.name : one.compiled.capability
    getOrSet(groups, group, () => []).push(one)
  }
  return [...groups.values()].filter(({ length }) => length > 1 && length <= MOST)
}

const narrower = (inner: Authority.Authority, outer: Authority.Authority): boolean =>
  Authority.within(inner, outer) && !Authority.within(outer, inner)

/** A shorthand is one word for several grants, of which one is too wide. */
const shorthand = ({ from }: AgentRecord.Held): string | undefined =>
  from === "access" || from === "sandbox" ? `'${from}:'` : undefined

const covering = (one: Weighed, others: ReadonlyArray<Weighed>) => {
  const wide = others.find(({ authority }) => narrower(one.authority, authority))?.held
  if (wide === undefined) {
    return { by: "by others of the agent together", remedy: "delete it, or narrow them" }
  }
  const [short, written] = [shorthand(wide), Grant.print(wide.effective)]
  return {
    by: `by '${written}' of line ${wide.line}${short === undefined ? "" : `, which ${short} stands for`}`,
    remedy:
      short === undefined
        ? "delete it, or narrow the other"
        : `delete it, or write out what ${short} stands for without '${wide.grant.name}'`
  }
}

const mootOf = (agent: AgentRecord.AgentRecord): ReadonlyArray<Finding> =>
  alike(agent).flatMap((group) => {
    const weighed = group.map((held) => ({ held, authority: AgentRecord.authorityOf(held) }))
    return weighed.flatMap((one): ReadonlyArray<Finding> => {
      const others = weighed.filter((other) => other !== one)
      // What a shorthand stands for was not written to narrow anything.
      if (one.held.from !== "capabilities") return []
      // What it names it lifts from the floor, which no wider one does.
      if (Floor.liftedBy(one.authority).length > 0) return []
      if (!narrower(one.authority, Authority.joinAll(others.map(({ authority }) => authority)))) return []
      const { by, remedy } = covering(one, others)
      const { file, line, subject, written } = heldBy(agent, one.held)
      return [
        {
          severity: "warning",
          check: "moot grants",
          subject,
          code: "GRANT_MOOT",
          file,
          line,
          detail: `'${written}' narrows nothing: all of it is given ${by}`,
          remedy
        }
      ]
    })
  })

export const mootGrants: Check = {
  name: "moot grants",
  passed: (input) => (agentsOf(input).length === 0 ? undefined : "no grant is within another"),
  findings: (input) => agentsOf(input).flatMap(mootOf)
}
