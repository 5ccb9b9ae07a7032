/** Entries of the audit log, of what happens in one turn: as the lines that they will be. */
import type { Clock } from "effect"
import type { Call } from "../../audit/AuditEntry.js"
import { begun, bounded, called, decided, toolOf, whoOf, within } from "../../audit/AuditLine.js"
import * as Request from "../../policy/lattice/Request.js"
import { getOrSet } from "../../policy/Memo.js"
import type { Policy } from "../../policy/Policy.js"
import { permittingAll } from "../../policy/Source.js"
import type { Origin } from "../../policy/ToolOrigin.js"
import type { Call as BatchCall } from "../Call.js"
import type * as ToolResult from "../ToolResult.js"
import type { Event } from "../Transcript.js"
import type { Turn } from "../Turn.js"
import { interrupted } from "./outcome.js"
import { reading, timeOf } from "./watch.js"

/** What is longer is cut: nobody asks for so much by honest means. Names and ids of calls are a model's words. */
const MAX_ASKED = 4_096
const MAX_NAME = 256

/** So many answers are kept for each policy. */
const MAX_KNOWN = 4_096

/** Which lines allow a request is asked again and again, and takes a look at every line. */
const known = new WeakMap<Policy, Map<string, string>>()

const linesBy = (policy: Policy, request: Request.Request): string => {
  const answers = getOrSet(known, policy, () => new Map<string, string>())
  const key = `${request.capability} ${Request.show(request)}`
  const before = answers.get(key)
  if (before !== undefined) return before
  const lines = permittingAll(policy.parts, request).map(({ file, line }) => `${file}:${line}`)
  const by = lines.join(", ")
  if (answers.size >= MAX_KNOWN) answers.clear()
  answers.set(key, by)
  return by
}

const originOf = ({ module, plugin, server }: Origin): string => {
  if (module !== undefined) return `module:${module}`
  return plugin !== undefined ? `plugin:${plugin}` : server !== undefined ? `mcp:${server}` : "host"
}

/** What a host gives out as an id and is no text must not break the lines of others, which are written with it. */
const cut = (text: unknown, most: number): string => {
  if (typeof text !== "string") return `no text: ${typeof text}`
  return text.length <= most ? text : `${text.slice(0, most)}…`
}

/**
 * For a text that is used again and again: one that was put together from parts is made one when somebody looks into it, and
 * not anew whenever it becomes a part of another.
 */
const flat = (text: string): string => (text.charCodeAt(0) > 0 ? text : "")

/** What lines of one tool have in common. */
interface Of {
  readonly origin: string
  readonly text: string
}

export interface Batch {
  readonly calls: ReadonlyArray<BatchCall>
  /** Where there is none, nobody waits for the call any more. */
  readonly results: ReadonlyArray<ToolResult.ToolResult | undefined>
}

/** So many ways to go well, by the microseconds that it took, are written once in a millisecond. */
const QUICK = 32

/** What stands from the id of one call to that of the next, where both ended in the same millisecond. */
class Between {
  private readonly quick = new Array<string | undefined>(QUICK)

  constructor(
    readonly tool: string,
    readonly begins: string
  ) {}

  after(code: Call["code"], micros: number): string {
    return `${this.tool}${called(code, micros / 1000)}\n${this.begins}`
  }

  well(micros: number): string {
    const before = this.quick[micros]
    if (before !== undefined) return before
    const made = flat(this.after("ok", micros))
    if (micros < QUICK) this.quick[micros] = made
    return made
  }
}

/** The beginnings of lines change once in a millisecond. */
class Beginning {
  private time = ""
  private text = ""

  constructor(
    private readonly type: "decision" | "call",
    private readonly who: string
  ) {}

  at(time: string): string {
    if (time !== this.time) {
      this.time = time
      this.text = flat(begun(this.type, time, this.who))
    }
    return this.text
  }
}

export class Entries {
  private readonly calls: Beginning
  private readonly decisions: Beginning
  private readonly known = new Map<string, Of>()
  private between = new Between("", "")

  constructor(
    private readonly turn: Turn,
    private readonly tool: (name: string) => Origin | undefined
  ) {
    const { policy, session } = turn
    const { agent, personality, revision } = policy
    const who = whoOf({
      session,
      ...(agent === undefined ? {} : { agent }),
      ...(personality === undefined ? {} : { personality }),
      revision
    })
    this.calls = new Beginning("call", who)
    this.decisions = new Beginning("decision", who)
  }

  /** A tool as it is registered now. */
  private of(name: string): Of {
    const by = this.tool(name)
    const origin = by === undefined ? "unknown" : originOf(by)
    const before = this.known.get(name)
    if (before !== undefined && before.origin === origin) return before
    const made: Of = { origin, text: flat(toolOf(cut(name, MAX_NAME), origin)) }
    // Names that no tool has are a model's words, and there is no end of them.
    if (by !== undefined) this.known.set(name, made)
    return made
  }

  private betweenOf(tool: string, begins: string): Between {
    if (this.between.tool !== tool || this.between.begins !== begins) this.between = new Between(tool, begins)
    return this.between
  }

  decision(
    { allowed, asked, callId = "", capability, code, reason, scope, tool }: Omit<Event, "sequence" | "type">,
    request: Request.Request | undefined,
    clock: Clock.Clock | undefined
  ): string {
    const by = request === undefined ? "" : linesBy(this.turn.policy, request)
    const start = this.decisions.at(timeOf(clock, reading(clock)))
    const end = decided({
      capability,
      asked: cut(asked, MAX_ASKED),
      allowed,
      scope: allowed ? scope : undefined,
      code: allowed ? undefined : code,
      reason: allowed ? undefined : reason,
      by: by === "" ? undefined : by
    })
    return bounded(`${start}${within(cut(callId, MAX_NAME))}${this.of(tool).text}${end}\n`)
  }

  /**
   * Calls that ended in the same millisecond, by their places in a batch and how many microseconds each took, in turns: as
   * many numbers as are given. The text only ever grows at its end, by an id and by all that stands up to the next one.
   */
  ended(batch: Batch, ends: ReadonlyArray<number>, length: number, time: string): string {
    const begins = this.calls.at(time)
    let lines = begins
    let name = ""
    let between: Between | undefined
    for (let at = 0; at < length; at += 2) {
      const index = ends[at] as number
      const micros = ends[at + 1] as number
      const call = batch.calls[index] as BatchCall
      const result = batch.results[index] ?? interrupted
      if (call.name !== name || between === undefined) {
        name = call.name
        between = this.betweenOf(this.of(name).text, begins)
      }
      lines += within(cut(call.id, MAX_NAME))
      lines += result.ok ? between.well(micros) : between.after(result.code, micros)
    }
    // The last of them has no next.
    return bounded(lines.slice(0, lines.length - begins.length))
  }
}
