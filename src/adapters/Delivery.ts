/**
 * From a draft to the program that answers it: each message is handed over once, however often the platform sends it, and
 * whoever sends it again is told what came of the first.
 *
 * @since 0.1.0
 */
import { Clock, Deferred, Effect, Exit, type Scope } from "effect"
import { prettyCause } from "../policy/text/PrettyCause.js"
import type { InboundMessage } from "./InboundMessage.js"
import type { Draft, Intake } from "./Intake.js"
import { Memory } from "./memory.js"

/**
 * What a program does with a message. When it fails, the message counts as not taken, and is taken again when it comes
 * again.
 *
 * @since 0.1.0
 * @category models
 */
export type Handler<E, R> = (message: InboundMessage) => Effect.Effect<unknown, E, R>

/** Whether the program has taken a message. */
export type Taken = "taken" | "failed"

export interface Delivery {
  /** Receives the files of a draft, hands the message over, and says what came of it. */
  readonly deliver: (draft: Draft) => Effect.Effect<Taken>
}

/** A day: for so long Telegram sends again what was not answered. */
const REMEMBERED = 24 * 60 * 60 * 1000
const CAPACITY = 50_000

/** Receives the files of a draft and hands the message over, each time it is run. */
export const handing = <E, R>(
  receiver: Intake,
  handler: Handler<E, R>
): Effect.Effect<(draft: Draft) => Effect.Effect<Taken>, never, R> =>
  Effect.map(
    Effect.context<R>(),
    (context) => (draft) =>
      Effect.flatMap(receiver.receive(draft), handler).pipe(
        Effect.provide(context),
        Effect.matchCauseEffect({
          onSuccess: () => Effect.succeed<Taken>("taken"),
          onFailure: (cause) =>
            Effect.as(
              Effect.annotateLogs(
                Effect.logError(`Inbound.deliver: the handler failed: ${receiver.scrub(prettyCause(cause))}`),
                { platform: receiver.platform, messageId: draft.messageId }
              ),
              "failed" as const
            )
        })
      )
  )

/** What is handed over goes on when who waits for it is interrupted, and ends with the scope. */
export const make = <E, R>(
  receiver: Intake,
  handler: Handler<E, R>
): Effect.Effect<Delivery, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const hand = yield* handing(receiver, handler)
    const memory = new Memory<Deferred.Deferred<Taken>>(REMEMBERED, CAPACITY)

    const deliver = (draft: Draft): Effect.Effect<Taken> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.withFiberRuntime((fiber) => {
            const key = JSON.stringify([draft.sessionKey, draft.messageId])
            const earlier = memory.get(key, now)
            if (earlier !== undefined) return restore(Deferred.await(earlier))
            const outcome = Deferred.unsafeMake<Taken>(fiber.id())
            memory.set(key, outcome, now)
            const run = Effect.onExit(Effect.interruptible(hand(draft)), (exit) => {
              const taken = Exit.isSuccess(exit) ? exit.value : "failed"
              if (taken === "failed") memory.delete(key)
              return Deferred.succeed(outcome, taken)
            })
            return Effect.zipRight(Effect.forkIn(run, scope), restore(Deferred.await(outcome)))
          })
        )
      )

    return { deliver }
  })
