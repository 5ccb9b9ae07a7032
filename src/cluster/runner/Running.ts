/** A turn that runs, as others see it: who listens to it, and that it is to end. */
import { randomUUID } from "node:crypto"
import { Cause, Deferred, Effect, FiberId, Schedule } from "effect"
import type * as ToolResult from "../../registry/ToolResult.js"
import type { ProgressEvent } from "../../tools/Progress.js"
import type { Heard, Listened } from "../Session.js"
import type { Keyring } from "../wire/Keys.js"
import * as Turns from "../wire/Turns.js"

type News =
  | { readonly _tag: "Progress"; readonly event: ProgressEvent }
  | { readonly _tag: "Result"; readonly call: number; readonly result: ToolResult.ToolResult }

type Reply = Omit<Turns.ReplyBody, "v">

/** What whoever comes late still hears; the rest is dropped, and the answer of the turn has all results anyway. */
const CAPACITY = 1000

/** So many at once, and none that is larger than this: one message holds them. */
const AT_ONCE = 8
const LARGEST = 1024 * 1024

/** How often whoever listens to a turn that has not come looks whether it still can come here. */
const LOOK = Schedule.spaced("200 millis")

export class Running {
  private readonly controller = new AbortController()
  private readonly id = randomUUID()
  /** Who sends a turn and listens to it does so by two messages, which overtake each other. */
  private readonly news: Array<News> = []
  /** So many came before these. */
  private dropped = 0
  private readonly waiting = new Set<() => void>()
  private answer: Deferred.Deferred<Reply> | undefined

  constructor(
    private readonly keys: Keyring,
    private readonly key: string
  ) {}

  get signal(): AbortSignal {
    return this.controller.signal
  }

  cancel(): void {
    this.controller.abort()
  }

  /** Who asks for it while it runs is answered with it; where that is broken off, the next one sees what came of it. */
  once(run: Effect.Effect<Reply>): Effect.Effect<Reply> {
    return Effect.suspend(() => {
      const known = this.answer
      if (known !== undefined) {
        return Effect.catchAllCause(Deferred.await(known), (cause) =>
          Cause.isInterruptedOnly(cause) ? this.once(run) : Effect.failCause(cause)
        )
      }
      const answer = Deferred.unsafeMake<Reply>(FiberId.none)
      this.answer = answer
      return Effect.onExit(run, (exit) => {
        this.answer = undefined
        return Deferred.done(answer, exit)
      })
    })
  }

  tell(news: News): void {
    this.news.push(news)
    if (this.news.length > CAPACITY) {
      this.news.shift()
      this.dropped += 1
    }
    const waiting = [...this.waiting]
    this.waiting.clear()
    for (const wake of waiting) wake()
  }

  /** Nothing where it is too large: who listens has it from the answer. */
  private heard(news: News): Heard | undefined {
    if (news._tag === "Progress") return news.event.message.length > LARGEST ? undefined : news
    const sealed = Turns.sealResult(this.keys, this.key, news.call, news.result)
    return sealed === undefined || sealed.length > LARGEST
      ? undefined
      : { _tag: "Result", call: news.call, sealed }
  }

  /** What came after what `next` of an earlier answer names, once there is some; of another run, all that came. */
  heardAfter(after: string): Effect.Effect<Listened> {
    return Effect.suspend(() => {
      const [id, count] = after.split(" ")
      const from = id === this.id ? Math.max(0, Number(count) - this.dropped) : 0
      const found = this.news.slice(from, from + AT_ONCE)
      if (found.length === 0) return Effect.zipRight(this.more, this.heardAfter(after))
      const news = found.map((one) => this.heard(one)).filter((one) => one !== undefined)
      return Effect.succeed({ news, next: `${this.id} ${this.dropped + from + found.length}` })
    })
  }

  private readonly more = Effect.async<void>((resume) => {
    const wake = () => resume(Effect.void)
    this.waiting.add(wake)
    return Effect.sync(() => this.waiting.delete(wake))
  })
}

/** The turns of one session: they run, or somebody listens for them before they come, or has cancelled them. */
export class RunningTurns {
  private readonly turns = new Map<string, { readonly turn: Running; users: number; runs: number }>()
  private readonly cancelled = new Set<string>()

  constructor(
    private readonly keys: Keyring,
    /** Whether the session is here; where it has left, no more turns come. */
    private readonly isHere: () => boolean
  ) {}

  /** While it is used. */
  using<A, E, R>(key: string, use: (turn: Running) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.enter(key, 1)),
      use,
      () => Effect.sync(() => this.leave(key, 1))
    )
  }

  /** Answers with nothing where nothing can be heard any more: a session that leaves waits for whoever listens. */
  listening(key: string, after: string): Effect.Effect<Listened> {
    const isOver = Effect.sync(() => this.turns.get(key)?.runs === 0 && !this.isHere())
    const over = Effect.as(Effect.repeat(isOver, { until: (is) => is, schedule: LOOK }), {
      news: [],
      next: after
    })
    return Effect.acquireUseRelease(
      Effect.sync(() => this.enter(key, 0)),
      (turn) => Effect.raceFirst(turn.heardAfter(after), over),
      () => Effect.sync(() => this.leave(key, 0))
    )
  }

  /** One that has not come yet is cancelled when it comes. */
  cancel(key: string): Effect.Effect<void> {
    return Effect.sync(() => {
      const found = this.turns.get(key)
      if (found !== undefined) return found.turn.cancel()
      if (this.cancelled.size >= CAPACITY) this.cancelled.clear()
      this.cancelled.add(key)
    })
  }

  private enter(key: string, runs: 0 | 1): Running {
    const found = this.turns.get(key) ?? { turn: new Running(this.keys, key), users: 0, runs: 0 }
    found.users += 1
    found.runs += runs
    this.turns.set(key, found)
    if (this.cancelled.delete(key)) found.turn.cancel()
    return found.turn
  }

  private leave(key: string, runs: 0 | 1): void {
    const found = this.turns.get(key)
    if (found === undefined) return
    found.users -= 1
    found.runs -= runs
    if (found.users === 0) this.turns.delete(key)
  }
}
