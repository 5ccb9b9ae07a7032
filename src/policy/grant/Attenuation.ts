/**
 * What one agent may pass on to another: never to itself, and never more than it holds.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Floor from "../gate/floor/Floor.js"
import * as Authority from "../lattice/Authority.js"
import type { Denial } from "../lattice/Denial.js"
import * as Request from "../lattice/Request.js"
import { folded } from "../text/Lookalike.js"
import { quote, shellWord } from "../text/Quote.js"

/**
 * Who passes on, and all that it holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Granter {
  readonly agent: string | undefined
  readonly authority: Authority.Authority
  /** What lies below all that it holds; who names a path that runs later by itself lifts it, and must have it lifted. */
  readonly floor?: Floor.Floor | undefined
}

/**
 * A grant that is proposed, as it would hold at the agent that gets it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Proposed {
  readonly written: string
  readonly authority: Authority.Authority
}

const nameOf = ({ agent }: Granter): string => agent ?? "this personality"

/** Whether two ids are one to some file system: what one agent takes for another may be its own record. */
const isOne = (a: string | undefined, b: string): boolean =>
  a !== undefined && (a === b || folded(a) === folded(b))

/** The target, and whom it is taken for where it is spelt in another way. */
const called = (target: string, agent: string | undefined): string =>
  target === agent || agent === undefined
    ? target
    : `${quote(target)} is ${quote(agent)} to file systems that do not tell them apart, and`

/**
 * The refusal of an agent that acts on itself. Ids are compared as file systems compare names: two that differ in the
 * case or the encoding of letters may be one record.
 *
 * @since 0.1.0
 * @category deciding
 */
export const selfModification = (
  { agent }: Granter,
  target: string,
  action: "grant" | "delete"
): Denial | undefined =>
  !isOne(agent, target)
    ? undefined
    : {
        reason: "self_modification",
        code: "SELF_MODIFICATION",
        detail:
          action === "grant"
            ? `${called(target, agent)} may not change what it may do itself`
            : `${called(target, agent)} may not delete itself`,
        capability: `agents.${action}`,
        asked: `agents.${action} ${target}`,
        held: [],
        remedy:
          action === "grant"
            ? `an operator changes it, with 'bailiwick agents grant ${shellWord(target)}'`
            : "an operator deletes the record"
      }

const SHOWN = 10

/** What the proposal would lift from the floor by naming it, and the granter has not lifted. */
const lifted = ({ floor = Floor.standard }: Granter, proposed: Authority.Authority): Denial | undefined => {
  const { lifted: _, ...bare } = floor
  const found = Floor.lifting(bare, Floor.namedIn(proposed)).lifted
  for (const verb of ["write", "delete"] as const) {
    for (const path of found?.[verb] ?? []) {
      const made = Request.file(verb, path)
      const forbidden = Either.isRight(made) ? Floor.forbids(floor, made.right) : undefined
      if (forbidden !== undefined) return forbidden
    }
  }
  return undefined
}

/**
 * The refusal of what exceeds the granter's authority, over the whole scope, or `undefined` when all of it is within.
 *
 * @since 0.1.0
 * @category deciding
 */
export const exceeding = (
  granter: Granter,
  target: string,
  proposed: ReadonlyArray<Proposed>
): Denial | undefined => {
  for (const { authority, written } of proposed) {
    const forbidden = lifted(granter, authority)
    if (forbidden !== undefined) {
      return {
        ...forbidden,
        reason: "exceeds_grantor_authority",
        code: "EXCEEDS_GRANTOR_AUTHORITY",
        detail: `${quote(written)} exceeds what ${nameOf(granter)} holds: ${forbidden.detail}`,
        asked: `agents.grant ${target}`
      }
    }
    const [gap] = Authority.gaps(authority, granter.authority)
    if (gap === undefined) continue
    const held = Authority.shown(granter.authority, gap.capability)
    return {
      reason: "exceeds_grantor_authority",
      code: "EXCEEDS_GRANTOR_AUTHORITY",
      detail: `${quote(written)} exceeds what ${nameOf(granter)} holds: ${gap.message}`,
      capability: gap.capability,
      asked: `agents.grant ${target}`,
      held: held.slice(0, SHOWN),
      remedy: `pass on less, or have an operator grant ${gap.remedy} to ${nameOf(granter)} first`
    }
  }
  return undefined
}
