/** Services in a worker: their operations are asked of the host, where authority and backends are. */
import { Effect, Either, Fiber, Option, Queue, Stream } from "effect"
import type { Operations } from "../../capabilities/Remote.js"
import { type Coded, codecsOf } from "../protocol/Codec.js"
import type { Message } from "../protocol/Frames.js"
import { LANE_WINDOW, WINDOW } from "../protocol/Windows.js"
import type { Asked, Requests } from "./requests.js"

/** The host is trusted here: what it sends fits. */
const valueOf = (codec: Coded["success"], value: unknown): unknown => Either.getOrThrow(codec.decode(value))

const broke = () => new Error("the service broke; the log of the host has the details")

/** A stream that goes to the host, no faster than it is taken there. */
class Lane {
  private credit = LANE_WINDOW
  private wake: (() => void) | undefined

  more(count: number): void {
    this.credit += count
    const { wake } = this
    this.wake = undefined
    wake?.()
  }

  readonly take: Effect.Effect<void> = Effect.suspend(() => {
    if (this.credit > 0) {
      this.credit--
      return Effect.void
    }
    const more = Effect.async<void>((resume) => {
      this.wake = () => resume(Effect.void)
    })
    return Effect.zipRight(more, this.take)
  })
}

type Input = Readonly<Record<string, Stream.Stream<unknown> | undefined>>

interface Asking {
  readonly requests: Requests
  readonly call: number
  readonly key: string
  readonly name: string
  readonly coded: Coded
}

const laned = (
  { call, coded, requests }: Asking,
  input: Input
): { readonly lanes: ReadonlyMap<string, Lane>; readonly feed: (id: number) => Effect.Effect<void> } => {
  const given = [...coded.inputs].flatMap(([name, codec]) => {
    const stream = input[name]
    return stream === undefined ? [] : [{ name, codec, stream, lane: new Lane() }]
  })
  return {
    lanes: new Map(given.map(({ lane, name }) => [name, lane])),
    feed: (id) =>
      Effect.forEach(
        given,
        ({ codec, lane, name, stream }) =>
          Effect.zipRight(
            Stream.runForEach(stream, (one) =>
              Effect.map(lane.take, () =>
                requests.send({ t: "put", id, of: call, lane: name, value: codec.encode(one) })
              )
            ),
            Effect.sync(() => requests.send({ t: "shut", id, of: call, lane: name }))
          ),
        { concurrency: "unbounded", discard: true }
      )
  }
}

const ask = (
  { call, coded, key, name, requests }: Asking,
  payload: unknown,
  lanes: ReadonlyMap<string, Lane>,
  hear: Asked["hear"]
): number =>
  requests.ask(
    { call, key, op: name, lanes: [...lanes.keys()], value: coded.payload.encode(payload) },
    () => ({ hear, more: (lane, count) => lanes.get(lane)?.more(count) })
  )

const answerOf = (coded: Coded, message: Message): Effect.Effect<unknown, unknown> => {
  if (message.t === "ok") return Effect.succeed(valueOf(coded.success, message.value))
  if (message.t === "fail") return Effect.fail(valueOf(coded.failure, message.value))
  return Effect.die(broke())
}

const once =
  (asking: Asking) =>
  (payload: unknown, input: Input = {}): Effect.Effect<unknown, unknown> =>
    Effect.suspend(() => {
      const { feed, lanes } = laned(asking, input)
      let fed: Fiber.RuntimeFiber<void> | undefined
      const answered = Effect.async<unknown, unknown>((resume) => {
        const id = ask(asking, payload, lanes, (message) => resume(answerOf(asking.coded, message)))
        if (lanes.size > 0) fed = Effect.runFork(feed(id))
        return Effect.sync(() => asking.requests.stop(asking.call, id))
      })
      if (lanes.size === 0) return answered
      // What is fed ends with what it is fed to.
      return Effect.ensuring(
        answered,
        Effect.suspend(() => (fed === undefined ? Effect.void : Fiber.interruptFork(fed)))
      )
    })

const flowing =
  (asking: Asking) =>
  (payload: unknown, input: Input = {}): Stream.Stream<unknown, unknown> =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const { coded, requests } = asking
        const { feed, lanes } = laned(asking, input)
        const heard = yield* Queue.unbounded<Message>()
        const id = yield* Effect.acquireRelease(
          Effect.sync(() => ask(asking, payload, lanes, (message) => void heard.unsafeOffer(message))),
          (open) => Effect.sync(() => requests.stop(asking.call, open))
        )
        if (lanes.size > 0) yield* Effect.forkScoped(feed(id))
        let taken = 0
        return Stream.repeatEffectOption(
          Effect.flatMap(Queue.take(heard), (message): Effect.Effect<unknown, Option.Option<unknown>> => {
            if (message.t === "chunk") {
              // Half of what may be on its way: the host goes on before it has to wait.
              if (++taken % (WINDOW / 2) === 0)
                requests.send({ t: "ack", id, of: asking.call, n: WINDOW / 2 })
              return Effect.succeed(valueOf(coded.success, message.value))
            }
            if (message.t === "end") return Effect.fail(Option.none())
            return Effect.mapError(answerOf(coded, message), Option.some)
          })
        )
      })
    )

/** The operations of a service, as functions that ask the host in the name of a call. */
export const operationsFor = (
  requests: Requests,
  call: number,
  key: string,
  operations: Operations
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.keys(operations).flatMap((name) => {
      const coded = codecsOf(operations, name)
      if (coded === undefined) return []
      const asking = { requests, call, key, name, coded }
      return [[name, coded.isStream ? flowing(asking) : once(asking)]]
    })
  )
