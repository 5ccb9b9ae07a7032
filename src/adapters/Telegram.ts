/**
 * Messages of Telegram bots, by webhook or by long polling.
 *
 * @since 0.1.0
 */
import type * as HttpApp from "@effect/platform/HttpApp"
import { Effect, Option, Redacted, type Scope } from "effect"
import type { NetworkBackend } from "../capabilities/network/NetworkBackend.js"
import type { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import type { AttachmentCache } from "../layers/node/attachments/AttachmentCache.js"
import type { AdapterError } from "./AdapterError.js"
import * as Delivery from "./Delivery.js"
import type { InboundMessage } from "./InboundMessage.js"
import * as Receiver from "./Receiver.js"
import { sameText } from "./Signature.js"
import { type PollOptions, poll as polling } from "./telegram/Polling.js"
import { type Bot, draftOf } from "./telegram/Update.js"
import * as Webhook from "./Webhook.js"

export type { Offsets, PollOptions } from "./telegram/Polling.js"

/**
 * `token` and `webhookSecret` are refs of secrets, and not the secrets themselves. `bot` tells the sessions of several bots
 * apart.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Receiver.EndpointOptions {
  readonly token: string
  readonly webhookSecret?: string | undefined
  readonly bot?: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export type Services = AttachmentCache | NetworkBackend | SecretsBackend

/**
 * @since 0.1.0
 * @category defaults
 */
export const hosts: ReadonlyArray<string> = ["api.telegram.org"]

const botOf = (options: Options): Effect.Effect<Bot, AdapterError, Services> =>
  Effect.map(
    Receiver.make({
      ...options,
      platform: "telegram",
      hosts,
      secrets: [options.token, options.webhookSecret]
    }),
    (receiver) => ({
      receiver,
      base: (options.baseUrls?.[0] ?? "https://api.telegram.org").replace(/\/+$/, ""),
      token: options.token,
      name: options.bot
    })
  )

/**
 * What turns an update into a message, wherever the update comes from. What is no message gives none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options
): Effect.Effect<(update: unknown) => Effect.Effect<Option.Option<InboundMessage>>, AdapterError, Services> =>
  Effect.map(
    botOf(options),
    (bot) => (update) => Effect.transposeMapOption(draftOf(bot, update), bot.receiver.receive)
  )

/**
 * The webhook that `setWebhook` is told of. It takes requests that bear the `secret_token` of that call, which is the secret
 * with the ref `webhookSecret`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const webhook = <E, R>(
  options: Options & Webhook.WebhookOptions & { readonly webhookSecret: string },
  handler: Delivery.Handler<E, R>
): Effect.Effect<HttpApp.Default, AdapterError, R | Services | Scope.Scope> =>
  Effect.flatMap(botOf(options), (bot) =>
    Webhook.make(
      bot.receiver,
      {
        verify: ({ headers }) =>
          Effect.map(bot.receiver.secret(options.webhookSecret), (secret) => ({
            isGenuine: sameText(headers["x-telegram-bot-api-secret-token"] ?? "", Redacted.value(secret))
          })),
        read: (update) =>
          Option.match(draftOf(bot, update), {
            onNone: () => ({ _tag: "Ignored" }),
            onSome: (draft) => ({ _tag: "Message", draft })
          })
      },
      handler,
      options
    )
  )

/**
 * Asks for updates until it is interrupted, and hands them over one after the other. No update is confirmed before it was
 * handed over, and none is handed over twice.
 *
 * @since 0.1.0
 * @category running
 */
export const poll = <E, R>(
  options: Options & PollOptions,
  handler: Delivery.Handler<E, R>
): Effect.Effect<never, AdapterError, R | Services> =>
  Effect.flatMap(botOf(options), (bot) =>
    Effect.flatMap(Delivery.handing(bot.receiver, handler), (hand) => polling(bot, hand, options))
  )
