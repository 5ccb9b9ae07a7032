/**
 * What a log says of one agent, or of one personality: what it was allowed, what it was refused, each thing once with how
 * often and when last; and what of its work the log does not say.
 *
 * @since 0.1.0
 */

import * as Use from "../../policy/lattice/Use.js"
import { getOrSet } from "../../policy/Memo.js"
import * as Asked from "../Asked.js"
import type { AuditEntry, Call, Decision } from "../AuditEntry.js"

/**
 * Whose entries count. Of a turn under both, each of the two may be asked about.
 *
 * @since 0.1.0
 * @category models
 */
export interface Subject {
  readonly agent?: string | undefined
  readonly personality?: string | undefined
}

/**
 * How often, and when last: ISO 8601 in UTC.
 *
 * @since 0.1.0
 * @category models
 */
export interface Times {
  readonly times: number
  readonly last: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Allowed extends Times {
  readonly asked: Asked.Asked
}

/**
 * `asked` is `undefined` for what is not named, such as a secret, and for what is no capability.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refused extends Times {
  readonly capability: string
  readonly line: string
  readonly code: Decision["code"]
  readonly asked: Asked.Asked | undefined
  readonly tools: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Evidence {
  /** The decisions that it stands on, allowed and refused. */
  readonly decisions: number
  readonly calls: number
  readonly allowed: ReadonlyArray<Allowed>
  readonly refused: ReadonlyArray<Refused>
  /** When the first and the last of its decisions were taken. */
  readonly first: string | undefined
  readonly last: string | undefined
  /** When the log begins, be it with another's entry. */
  readonly begins: string | undefined
  /** Entries of anybody that could not be kept when they were due. */
  readonly lost: number
  /** The calls of tools of MCP servers, by server. */
  readonly servers: ReadonlyMap<string, number>
  /** The calls that ran, by tool. */
  readonly tools: ReadonlyMap<string, number>
  /** The scopes that allowed something of files, by capability: as they were written then, and where the turn was. */
  readonly scopes: ReadonlyMap<string, ReadonlySet<string>>
  /** The calls that were answered without any decision, by tool: a search shows only what may be seen, and asks nobody. */
  readonly silent: ReadonlyMap<string, number>
}

interface Counted<A> {
  readonly about: A
  times: number
  last: string
}

const counted = <A>({ about, last, times }: Counted<A>): A & Times => ({ ...about, times, last })

const MCP = "mcp:"

/** An id may come again, of a call that never ended. */
const callKeyOf = ({ call, session, tool }: Decision | Call): string => [session, call, tool].join("\u0000")

const oneMore = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1)

/** What ran, and may have touched something. */
const hasRun = ({ code }: Call): boolean => code !== "not_available" && code !== "input_invalid"

/** A command that ran may have done more than is in the log, and what was passed on has not. */
const keyOf = ({ asked: { also, isPassed, uses } }: { readonly asked: Asked.Asked }): string =>
  [isPassed ? "passed" : "", ...[...uses, ...also].map(Use.keyOf)].join("\u0004")

/** So many lines are remembered, so that one that comes again need not be read again. */
const MOST_LINES = 50_000

/** More than anybody writes: whoever asks wants to know whether there is another one. */
const MOST_SCOPES = 10_000

const earlier = (a: string | undefined, b: string): string => (a === undefined || b < a ? b : a)

const later = (a: string | undefined, b: string): string => (a === undefined || b > a ? b : a)

/**
 * Takes entries one by one, so that a log of any length can be read.
 *
 * @since 0.1.0
 * @category models
 */
export class Gathering {
  private readonly allowed = new Map<string, Counted<{ readonly asked: Asked.Asked }>>()
  private readonly refused = new Map<string, Counted<Omit<Refused, keyof Times>>>()
  private readonly lines = new Map<string, Asked.Asked | undefined>()
  private readonly servers = new Map<string, number>()
  private readonly tools = new Map<string, number>()
  private readonly silent = new Map<string, number>()
  private readonly scopes = new Map<string, Set<string>>()
  /** The calls that a decision was taken in and that have not ended. */
  private readonly open = new Set<string>()
  private decisions = 0
  private calls = 0
  private lost = 0
  private first: string | undefined
  private last: string | undefined
  private begins: string | undefined

  constructor(
    private readonly subject: Subject,
    private readonly places: Asked.Places = {}
  ) {}

  add(entry: AuditEntry): void {
    this.begins = earlier(this.begins, entry.time)
    if (entry.type === "gap") {
      this.lost += entry.lost
      return
    }
    const { agent, personality } = this.subject
    if (agent !== undefined && entry.agent !== agent) return
    if (personality !== undefined && entry.personality !== personality) return
    if (entry.type === "call") this.addCall(entry)
    else this.addDecision(entry)
  }

  private addCall(entry: Call): void {
    this.calls += 1
    const wasHeard = this.open.delete(callKeyOf(entry))
    if (!hasRun(entry)) return
    oneMore(this.tools, entry.tool)
    if (!wasHeard) oneMore(this.silent, entry.tool)
    if (entry.origin.startsWith(MCP)) oneMore(this.servers, entry.origin.slice(MCP.length))
  }

  private addDecision(entry: Decision): void {
    const { time } = entry
    this.decisions += 1
    this.first = earlier(this.first, time)
    this.last = later(this.last, time)
    if (entry.call !== "") this.open.add(callKeyOf(entry))
    const asked = this.askedIn(entry)
    if (entry.allowed) {
      const isOfFiles = entry.capability.startsWith("files.") && !Asked.isPassing(entry)
      if (isOfFiles && entry.scope !== undefined) this.addScope(entry.capability, entry.scope)
      if (asked !== undefined) count(this.allowed, keyOf({ asked }), time, () => ({ asked }))
      return
    }
    const { capability, code, asked: line, tool } = entry
    const key = [capability, code ?? "", line].join("\u0000")
    const { tools } = count(this.refused, key, time, () => ({ capability, line, code, asked, tools: [] }))
    // There are as many tools as the agent has, and their list is made here.
    if (!tools.includes(tool)) (tools as Array<string>).push(tool)
  }

  private addScope(capability: string, scope: string): void {
    const scopes = getOrSet(this.scopes, capability, () => new Set())
    if (scopes.size < MOST_SCOPES) scopes.add(scope)
  }

  private askedIn(entry: Decision): Asked.Asked | undefined {
    const key = [entry.capability, entry.asked, entry.scope ?? ""].join("\u0000")
    if (this.lines.has(key)) return this.lines.get(key)
    const asked = Asked.read(entry, this.places)
    if (this.lines.size >= MOST_LINES) this.lines.clear()
    this.lines.set(key, asked)
    return asked
  }

  get evidence(): Evidence {
    const { begins, calls, decisions, first, last, lost, scopes, servers, silent, tools } = this
    return {
      decisions,
      calls,
      first,
      last,
      begins,
      lost,
      scopes,
      servers,
      silent,
      tools,
      allowed: [...this.allowed.values()].map(counted),
      refused: [...this.refused.values()].map(counted)
    }
  }
}

const count = <A>(all: Map<string, Counted<A>>, key: string, time: string, about: () => A): A => {
  const found = getOrSet(all, key, () => ({ about: about(), times: 0, last: time }))
  found.times += 1
  found.last = later(found.last, time)
  return found.about
}

/**
 * What entries say of somebody, all of them at once.
 *
 * @since 0.1.0
 * @category constructors
 */
export const evidenceOf = (
  entries: Iterable<AuditEntry>,
  subject: Subject,
  places: Asked.Places = {}
): Evidence => {
  const gathering = new Gathering(subject, places)
  for (const entry of entries) gathering.add(entry)
  return gathering.evidence
}
