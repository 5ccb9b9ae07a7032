/**
 * Long polling. An update is confirmed by asking for the one after it, so nothing is confirmed before it was handed over,
 * and whoever is interrupted confirms what was.
 */
import { Data, Duration, Effect, Option, Schema } from "effect"
import { Network } from "../../capabilities/network/Network.js"
import { AdapterError } from "../AdapterError.js"
import type { Taken } from "../Delivery.js"
import type { Draft } from "../Intake.js"
import { scrubbed } from "../Receiver.js"
import { type Bot, botUrl, draftOf } from "./Update.js"

/**
 * Where polling goes on after this program was started again. Without one Telegram knows it, but for what was handed over
 * in the moment before a kill.
 *
 * @since 0.1.0
 * @category models
 */
export interface Offsets {
  readonly load: Effect.Effect<number | undefined>
  readonly save: (offset: number) => Effect.Effect<void>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface PollOptions {
  /** How many seconds Telegram holds a request that it has nothing for: 25 unless told. */
  readonly holdSeconds?: number | undefined
  /** How often a message is handed over that the program fails on, before it is passed by: 3 unless told. */
  readonly tries?: number | undefined
  readonly offsets?: Offsets | undefined
}

const Failed = Schema.Struct({
  ok: Schema.Literal(false),
  error_code: Schema.Int,
  description: Schema.optional(Schema.String),
  parameters: Schema.optional(Schema.Struct({ retry_after: Schema.optional(Schema.Number) }))
})

const Polled = Schema.Union(
  Schema.Struct({ ok: Schema.Literal(true), result: Schema.Array(Schema.Unknown) }),
  Failed
)

const Numbered = Schema.Struct({ update_id: Schema.Int })

/** What is tried again, after a wait that the platform may say. */
class Again extends Data.TaggedError("Again")<{
  readonly why: string
  readonly seconds: number | undefined
}> {}

const FIRST_WAIT = 1
const LONGEST_WAIT = 60

/** Answers that will not change by asking again. */
const FINAL: ReadonlySet<number> = new Set([400, 401, 403, 404])

const decode = Schema.decodeUnknown(Polled)

const sent = (network: Network.Service, url: string) =>
  Effect.provideService(network.request("GET", url), Network, network)

const ask = (bot: Bot, offset: number | undefined, hold: number, limit: number) =>
  Effect.gen(function* () {
    const { network, scrub } = bot.receiver
    const allowed = encodeURIComponent(JSON.stringify(["message", "channel_post"]))
    const from = offset === undefined ? "" : `&offset=${offset}`
    const url = yield* Effect.mapError(
      botUrl(bot, "bot", `getUpdates?timeout=${hold}&limit=${limit}&allowed_updates=${allowed}${from}`),
      scrubbed(bot.receiver)
    )
    const again = (why: string, seconds?: number) => new Again({ why: scrub(why), seconds })
    const { body, status } = yield* Effect.mapError(sent(network, url), ({ code, message }) =>
      code === "HOST_NOT_ALLOWED" || code === "ADDRESS_NOT_ALLOWED" || code === "URL_INVALID"
        ? new AdapterError({ code: "SETTING_INVALID", platform: "telegram", detail: scrub(message) })
        : again(message)
    )
    const text = new TextDecoder().decode(body)
    const answer = yield* Effect.try(() => JSON.parse(text) as unknown).pipe(
      Effect.flatMap(decode),
      Effect.mapError(() => again(`getUpdates answered with status ${status}, and not as documented`))
    )
    if (answer.ok) return answer.result
    const said = scrub(`getUpdates answered ${answer.error_code} ${answer.description ?? ""}`.trim())
    return yield* FINAL.has(answer.error_code)
      ? new AdapterError({ code: "PLATFORM_REFUSED", platform: "telegram", detail: said })
      : Effect.fail(again(said, answer.parameters?.retry_after))
  })

/** No server makes it ask without a pause, nor fall asleep. */
const wait = (tries: number, seconds: number = FIRST_WAIT * 2 ** Math.min(tries, 6)) =>
  Effect.sleep(Duration.seconds(Math.max(FIRST_WAIT, Math.min(seconds, LONGEST_WAIT))))

const passedBy = (id: number) =>
  Effect.logError(`Telegram.poll: the update ${id} is passed by: the program failed on it each time`)

/** Runs until it is interrupted, or the platform or a setting is such that no other try would help. */
export const poll = (
  bot: Bot,
  hand: (draft: Draft) => Effect.Effect<Taken>,
  { holdSeconds = 25, offsets, tries = 3 }: PollOptions
): Effect.Effect<never, AdapterError> =>
  Effect.gen(function* () {
    let offset = offsets === undefined ? undefined : yield* offsets.load
    let isConfirmed = true

    const over = (id: number) =>
      Effect.suspend(() => {
        offset = id + 1
        isConfirmed = false
        return offsets === undefined ? Effect.void : offsets.save(offset)
      })

    /** Between the end of the handler and the note of it nobody is interrupted, so that it is not handed over again. */
    const handOver = (id: number, draft: Draft, tried: number): Effect.Effect<void> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(hand(draft)), (taken) => {
          if (taken === "taken") return over(id)
          if (tried + 1 >= tries) return Effect.zipRight(passedBy(id), over(id))
          return restore(Effect.zipRight(wait(tried, undefined), handOver(id, draft, tried + 1)))
        })
      )

    const take = (update: unknown): Effect.Effect<void> => {
      const numbered = Schema.decodeUnknownOption(Numbered)(update)
      if (Option.isNone(numbered)) return Effect.logWarning("Telegram.poll: an update has no number")
      const { update_id: id } = numbered.value
      if (offset !== undefined && id < offset) return Effect.void
      return Option.match(draftOf(bot, update), {
        onNone: () => over(id),
        onSome: (draft) => handOver(id, draft, 0)
      })
    }

    const step = (failures: number): Effect.Effect<number, AdapterError> =>
      Effect.suspend(() => ask(bot, offset, holdSeconds, 100)).pipe(
        Effect.flatMap((updates) => {
          isConfirmed = true
          const before = offset
          return Effect.flatMap(Effect.forEach(updates, take, { discard: true }), () =>
            updates.length > 0 && offset === before
              ? new Again({
                  why: "getUpdates answered with nothing but what it was not asked for",
                  seconds: undefined
                })
              : Effect.succeed(0)
          )
        }),
        Effect.catchTag("Again", ({ seconds, why }) =>
          Effect.zipRight(
            Effect.logWarning(`Telegram.poll: ${why}`),
            Effect.as(wait(failures, seconds), failures + 1)
          )
        )
      )

    const confirm = Effect.suspend(() =>
      isConfirmed ? Effect.void : Effect.ignore(Effect.timeout(ask(bot, offset, 0, 1), "5 seconds"))
    )

    return yield* Effect.ensuring(
      Effect.iterate(0, { while: () => true, body: step }).pipe(Effect.zipRight(Effect.never)),
      confirm
    )
  })
