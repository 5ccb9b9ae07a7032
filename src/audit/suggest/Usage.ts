/**
 * Which lines of a policy were used, how often and when last.
 *
 * @since 0.1.0
 */
import * as Authority from "../../policy/lattice/Authority.js"
import { type Capability, capabilities } from "../../policy/lattice/Facets.js"
import * as Use from "../../policy/lattice/Use.js"
import type { Policy } from "../../policy/Policy.js"
import type { Source } from "../../policy/Source.js"
import type * as Asked from "../Asked.js"
import type { AuditEntry } from "../AuditEntry.js"
import { type Evidence, evidenceOf } from "./Evidence.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Usage {
  readonly source: Source
  /** The decisions that it allowed, by itself or beside others. */
  readonly seen: number
  /** ISO 8601 in UTC. */
  readonly last: string | undefined
  /** Why it may have been used though no decision says so. */
  readonly doubt: string | undefined
}

const touches = (authority: Authority.Authority, of: (capability: Capability) => boolean): boolean =>
  capabilities.some(({ name }) => of(name) && !Authority.scopesOf(authority, name).isEmpty)

const commandsIn = ({ allowed }: Evidence): number =>
  allowed
    .filter(({ asked }) => asked.capability.startsWith("process.") && !asked.isPassed)
    .reduce((sum, { times }) => sum + times, 0)

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((all, one) => all + one, 0)

const some = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`

/** Why something that an authority gives may have been used though no decision says so; the log is counted once. */
const doubting = (evidence: Evidence): ((authority: Authority.Authority) => string | undefined) => {
  const commands = commandsIn(evidence)
  const silent = sum(evidence.silent)
  return (authority) => {
    if (touches(authority, (capability) => capability === "provider.use")) {
      return "what runs at the provider of the model is not in the log"
    }
    if (commands > 0 && touches(authority, (capability) => capability.startsWith("files."))) {
      return `${some(commands, "command")} ran, and what a command reads and writes itself is not in the log`
    }
    const isLookedAt = (capability: Capability) =>
      capability === "records.read" || capability === "attachments.read"
    if (silent > 0 && touches(authority, isLookedAt)) {
      return `${some(silent, "call")} asked for nothing by name, as a search does, and may have looked at it`
    }
    return undefined
  }
}

type Lines = Pick<Source, "authority" | "beside">

const isIn = (uses: ReadonlyArray<Use.Use>, authority: Authority.Authority | undefined): boolean =>
  authority !== undefined && uses.some((use) => Use.isWithin(use, authority))

const namesEndpoints = ({ authority }: Lines): boolean =>
  touches(authority, (capability) => capability === "private.connect")

/** A line that names an endpoint lets its host be asked for that: where another one named what was connected to, it did nothing. */
const neededFor = (
  { also, uses }: Asked.Asked,
  sources: ReadonlyArray<Lines>
): ((source: Lines) => boolean) => {
  const isConnected = sources.some((source) => namesEndpoints(source) && isIn(also, source.authority))
  return (source) =>
    isIn(also, source.authority) ||
    isIn(uses, source.beside) ||
    (isIn(uses, source.authority) && !(isConnected && namesEndpoints(source)))
}

/**
 * How often each of these was needed, alone or beside others.
 *
 * @since 0.1.0
 * @category examining
 */
export const usageOf = <S extends Lines>(
  sources: ReadonlyArray<S>,
  evidence: Evidence
): ReadonlyArray<Omit<Usage, "source"> & { readonly source: S }> => {
  const doubt = doubting(evidence)
  const needed = evidence.allowed.map((one) => ({ ...one, isNeeded: neededFor(one.asked, sources) }))
  return sources.map((source) => {
    let seen = 0
    let last: string | undefined
    for (const one of needed) {
      if (!one.isNeeded(source)) continue
      seen += one.times
      if (last === undefined || one.last > last) last = one.last
    }
    return { source, seen, last, doubt: doubt(source.authority) }
  })
}

/**
 * The lines of a policy, each with how often the entries say that it was used. Of entries of others nothing is counted.
 *
 * @since 0.1.0
 * @category examining
 */
export const usage = (policy: Policy, entries: Iterable<AuditEntry>): ReadonlyArray<Usage> => {
  const { agent, personality } = policy
  return usageOf(policy.sources, evidenceOf(entries, { agent, personality }))
}

/**
 * The lines of a policy that no decision needed. Of those with a `doubt` that does not say that nobody did.
 *
 * @since 0.1.0
 * @category examining
 */
export const neverUsed = (policy: Policy, entries: Iterable<AuditEntry>): ReadonlyArray<Usage> =>
  usage(policy, entries).filter(({ seen }) => seen === 0)
