/** Entries of the audit log, of what happens in one turn: as the lines that they will be. */
import type { Clock } from "effect"
import { type Call, SHARING } from "../../audit/AuditEntry.js"
import {
  begun,
  bounded,
  called,
  calledAll,
  calledLast,
  calledNext,
  callOf,
  decided,
  toolOf,
  whoOf,
  within
} from "../../audit/AuditLine.js"
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

/** What stands behind an id, where the call took so many microseconds and another follows. Most take few. */
const nexts = Array.from({ length: 64 }, (_, micros) => calledNext(micros / 1000))

const codeOf = (result: ToolResult.ToolResult = interrupted): Call["code"] => (result.ok ? "ok" : result.code)

/** The beginnings of lines change once in a millisecond. */
class Beginning {
  private time = ""
  private text = ""

  constructor(
    private readonly type: "decision" | "call" | "calls",
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

const idOf = ({ calls }: Batch, index: number): string => cut(calls[index]?.id, MAX_NAME)

/** A call is two numbers among those that are given: its place in the batch, and its microseconds. */
const PAIR = 2

/** Up to where calls share a line with the one at a place. */
const sharing = ({ calls, results }: Batch, ends: ReadonlyArray<number>, from: number, length: number) => {
  const first = ends[from] as number
  const name = calls[first]?.name
  const code = codeOf(results[first])
  const most = Math.min(length, from + SHARING * PAIR)
  let to = from + PAIR
  for (; to < most; to += PAIR) {
    const next = ends[to] as number
    if (calls[next]?.name !== name || codeOf(results[next]) !== code) break
  }
  return to
}

/** Ids and times of calls that share a line. The text only ever grows at its end. */
const idsIn = (batch: Batch, ends: ReadonlyArray<number>, from: number, to: number) => {
  let text = ""
  for (let at = from; at < to; at += PAIR) {
    const micros = ends[at + 1] as number
    text += within(idOf(batch, ends[at] as number))
    text += nexts[micros] ?? calledNext(micros / 1000)
  }
  return text
}

export class Entries {
  private readonly call: Beginning
  private readonly calls: Beginning
  private readonly decisions: Beginning
  private readonly known = new Map<string, Of>()

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
    this.call = new Beginning("call", who)
    this.calls = new Beginning("calls", who)
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
    return bounded(`${start}${callOf(cut(callId, MAX_NAME))}${this.of(tool).text}${end}\n`)
  }

  /**
   * Calls that ended in the same millisecond, by their places in a batch and how many microseconds each took, in turns: as
   * many numbers as are given. Those of one tool that came to the same share a line.
   */
  ended(batch: Batch, ends: ReadonlyArray<number>, length: number, time: string): string {
    let lines = ""
    for (let from = 0; from < length; ) {
      const to = sharing(batch, ends, from, length)
      const index = ends[from] as number
      const { text } = this.of((batch.calls[index] as BatchCall).name)
      const code = codeOf(batch.results[index])
      lines +=
        to - from === PAIR
          ? `${this.call.at(time)}${callOf(idOf(batch, index))}${text}${called(code, (ends[from + 1] as number) / 1000)}\n`
          : `${this.calls.at(time)}${text}${calledAll(code)}${calledLast(idsIn(batch, ends, from, to))}\n`
      from = to
    }
    return bounded(lines)
  }
}
