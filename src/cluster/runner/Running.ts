/** A turn that runs, as others see it: who listens to it, and that it is to end. */
import { Cause, Deferred, Effect, FiberId, Queue, Schedule, Stream } from "effect"
import type * as ToolResult from "../../registry/ToolResult.js"
import type { ProgressEvent } from "../../tools/Progress.js"
import type { Heard } from "../Session.js"
import type { Keyring } from "../wire/Keys.js"
import * as Turns from "../wire/Turns.js"

type News =
  | { readonly _tag: "Progress"; readonly event: ProgressEvent }
  | { readonly _tag: "Result"; readonly call: number; readonly result: ToolResult.ToolResult }

type Reply = Omit<Turns.ReplyBody, "v">

/** What a listener has not taken yet; the rest is dropped, and the answer of the turn has all results anyway. */
const CAPACITY = 1000

/** So many at once, and none that is larger than this: one message holds them. */
const AT_ONCE = 8
const LARGEST = 1024 * 1024

/** How often whoever listens to a turn that has not come looks whether it still can come here. */
const LOOK = Schedule.spaced("200 millis")

export class Running {
  private readonly controller = new AbortController()
  private readonly listeners = new Set<Queue.Queue<Heard>>()
  /** What whoever comes late has missed: who sends a turn and listens to it does so by two messages, which overtake each other. */
  private missed: Array<News> = []
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
    const isHeard = this.listeners.size > 0
    // A result is for everybody, and who hears it twice knows it by its call; progress is news only once.
    if (news._tag === "Result" || !isHeard) this.missed.push(news)
    if (this.missed.length > CAPACITY) this.missed.shift()
    if (!isHeard) return
    const heard = this.heard(news)
    if (heard !== undefined) for (const listener of this.listeners) listener.unsafeOffer(heard)
  }

  private join(listener: Queue.Queue<Heard>): void {
    this.listeners.add(listener)
    for (const news of this.missed) {
      const heard = this.heard(news)
      if (heard !== undefined) listener.unsafeOffer(heard)
    }
    this.missed = this.missed.filter(({ _tag }) => _tag === "Result")
  }

  /** Nothing where it is too large: who listens has it from the answer. */
  private heard(news: News): Heard | undefined {
    if (news._tag === "Progress") return news.event.message.length > LARGEST ? undefined : news
    const sealed = Turns.sealResult(this.keys, this.key, news.call, news.result)
    return sealed === undefined || sealed.length > LARGEST
      ? undefined
      : { _tag: "Result", call: news.call, sealed }
  }

  readonly watch: Stream.Stream<Heard> = Stream.unwrapScoped(
    Effect.map(
      Effect.acquireRelease(
        Effect.tap(Queue.dropping<Heard>(CAPACITY), (queue) => Effect.sync(() => this.join(queue))),
        (queue) =>
          Effect.zipRight(
            Effect.sync(() => this.listeners.delete(queue)),
            Queue.shutdown(queue)
          )
      ),
      (queue) => Stream.fromQueue(queue, { maxChunkSize: AT_ONCE })
    )
  )
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

  /** Ends where nothing can be heard any more: a session that leaves waits for whoever listens. */
  watching(key: string): Stream.Stream<Heard> {
    const isOver = Effect.sync(() => this.turns.get(key)?.runs === 0 && !this.isHere())
    return Stream.unwrapScoped(
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => this.enter(key, 0)),
          () => Effect.sync(() => this.leave(key, 0))
        ),
        ({ watch }) =>
          Stream.interruptWhen(watch, Effect.repeat(isOver, { until: (is) => is, schedule: LOOK }))
      )
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
