/**
 * What the log means under a policy as it is now: which decisions it would take again, and the least of it with which it
 * would.
 *
 * @since 0.1.0
 */
import * as Authority from "../../policy/lattice/Authority.js"
import * as Least from "../../policy/lattice/Least.js"
import * as Use from "../../policy/lattice/Use.js"
import type { Policy } from "../../policy/Policy.js"
import * as Requirement from "../../policy/Requirement.js"
import type * as Asked from "../Asked.js"
import type { Allowed, Evidence } from "./Evidence.js"

/**
 * `siblings` as `Least` has it. `requires` is what each MCP server must be held for: a tool of one that was called needs
 * all of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly siblings: number
  readonly requires?: ReadonlyMap<string, Authority.Authority> | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Basis extends Least.Least {
  /** The decisions that were allowed, and would be again. */
  readonly counted: number
  /** Those that were allowed, and would not be now. */
  readonly leftOut: number
  readonly allowed: ReadonlyArray<Allowed>
  /** The servers for whose tools something stays, whether it was used or not. */
  readonly servers: ReadonlyArray<string>
}

/** All that the policy may give: what is written, and of what it leaves to tools whatever they may get. */
const most = ({ asDeclared, authority, ceiling }: Policy): Authority.Authority =>
  asDeclared.size === 0 ? authority : Authority.join(authority, Authority.pick(ceiling, ...asDeclared))

const permits = (held: Authority.Authority, { uses }: Asked.Asked): boolean =>
  uses.some((use) => Use.isWithin(use, held))

const times = (all: ReadonlyArray<Allowed>): number => all.reduce((sum, one) => sum + one.times, 0)

/** What nobody is asked about aloud when it is looked at: the provider's tools, records that are searched, lists of files. */
const unheard = (held: Authority.Authority, { silent }: Evidence): ReadonlyArray<Authority.Authority> => [
  Authority.pick(held, "provider"),
  ...(silent.size === 0
    ? []
    : [
        Authority.make({
          records: { read: held.scopes.records.read },
          attachments: { read: held.scopes.attachments.read }
        })
      ])
]

/** A command as if it had run where a turn works: no log says where that was, and commands may always start there. */
const startedIn = (one: Allowed, workdir: string | undefined): ReadonlyArray<Allowed> => {
  const { asked } = one
  return workdir === undefined || !asked.capability.startsWith("process.")
    ? []
    : [{ ...one, asked: { ...asked, uses: asked.uses.map((use) => Use.startedIn(use, workdir)) } }]
}

/**
 * `workdir` is where commands may always start, if the policy has such a place: one that ran where none may now is taken for
 * one that ran there.
 *
 * @since 0.1.0
 * @category constructors
 */
export const basisOf = (
  policy: Policy,
  evidence: Evidence,
  { requires, siblings }: Options,
  workdir?: string
): Basis => {
  const held = most(policy)
  const allowed = evidence.allowed.flatMap(
    (one) => [one, ...startedIn(one, workdir)].find(({ asked }) => permits(held, asked)) ?? []
  )
  const servers = [...evidence.servers.keys()].filter((server) => {
    const wanted = requires?.get(server)
    return wanted !== undefined && Requirement.lacking(policy, wanted).length === 0
  })
  const needed = servers.flatMap((server) => requires?.get(server) ?? [])
  const least = Least.least(
    held,
    allowed.flatMap(({ asked: { also, uses } }) => [...uses, ...also]),
    { siblings, kept: Authority.joinAll([...unheard(held, evidence), ...needed]) }
  )
  const counted = times(allowed)
  return { ...least, counted, leftOut: times(evidence.allowed) - counted, allowed, servers }
}
