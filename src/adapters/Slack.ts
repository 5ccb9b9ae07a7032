/**
 * Messages of Slack, by its Events API.
 *
 * @since 0.1.0
 */
import type * as HttpApp from "@effect/platform/HttpApp"
import { Effect, Option, Redacted, Schema, type Scope, Stream } from "effect"
import type { NetworkBackend } from "../capabilities/network/NetworkBackend.js"
import type { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import type { AttachmentCache } from "../layers/node/attachments/AttachmentCache.js"
import type { AdapterError } from "./AdapterError.js"
import type { Handler } from "./Delivery.js"
import type { InboundMessage } from "./InboundMessage.js"
import { type Draft, finding, refuse } from "./Intake.js"
import * as Receiver from "./Receiver.js"
import { isHmac, isTimely } from "./Signature.js"
import * as Webhook from "./Webhook.js"

/**
 * `token` (of the bot) and `signingSecret` are refs of secrets, and not the secrets themselves.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Receiver.EndpointOptions {
  readonly token: string
  readonly signingSecret?: string | undefined
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
export const hosts: ReadonlyArray<string> = ["files.slack.com", "*.slack.com"]

const text = Schema.optionalWith(Schema.String, { nullable: true })

const File = Schema.Struct({
  name: text,
  mimetype: text,
  size: Schema.optionalWith(Schema.Number, { nullable: true }),
  url_private_download: text,
  url_private: text
})

const Event = Schema.Struct({
  type: Schema.Literal("message", "app_mention"),
  subtype: Schema.optional(Schema.String),
  bot_id: text,
  channel: Schema.String,
  text,
  ts: Schema.String,
  thread_ts: text,
  files: Schema.optionalWith(Schema.Array(Schema.Unknown), { nullable: true })
})

const Callback = Schema.Struct({
  type: Schema.Literal("event_callback"),
  team_id: Schema.optionalWith(Schema.String, { default: () => "" }),
  event: Event
})

const Challenge = Schema.Struct({ type: Schema.Literal("url_verification"), challenge: Schema.String })

/** What people write; edits, joins and what bots say are none of it. */
const isWritten = ({ bot_id, subtype }: typeof Event.Type): boolean =>
  bot_id === undefined &&
  (subtype === undefined || subtype === "file_share" || subtype === "thread_broadcast")

const receiverOf = (options: Options) =>
  Receiver.make({ ...options, platform: "slack", hosts, secrets: [options.token, options.signingSecret] })

const draftOf = (
  { download, secret }: Receiver.Receiver,
  { token }: Options,
  given: unknown
): Option.Option<Draft> =>
  Option.flatMap(Schema.decodeUnknownOption(Callback)(given), ({ event, team_id }) => {
    if (!isWritten(event)) return Option.none()
    const content = (url: string | undefined) =>
      url === undefined
        ? refuse("the platform says of no place where it is")
        : Stream.unwrap(
            Effect.map(secret(token), (value) =>
              download(url, { headers: { authorization: Redacted.make(`Bearer ${Redacted.value(value)}`) } })
            )
          )
    return Option.some({
      sessionKey: ["slack", team_id, event.channel, event.thread_ts ?? event.ts].join(":"),
      messageId: event.ts,
      text: event.text ?? "",
      files: (event.files ?? []).map(
        finding(File, ({ mimetype, name, size, url_private, url_private_download }) => ({
          filename: name,
          mimeType: mimetype,
          sizeBytes: size,
          content: content(url_private_download ?? url_private)
        }))
      )
    })
  })

/**
 * What turns an event into a message, wherever the event comes from. What is no message of a person gives none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options
): Effect.Effect<(event: unknown) => Effect.Effect<Option.Option<InboundMessage>>, AdapterError, Services> =>
  Effect.map(
    receiverOf(options),
    (receiver) => (event) => Effect.transposeMapOption(draftOf(receiver, options, event), receiver.receive)
  )

/**
 * The request URL of the Events API. It takes requests that are signed with the secret whose ref is `signingSecret`, within
 * five minutes and once, and answers the challenge.
 *
 * @since 0.1.0
 * @category constructors
 */
export const webhook = <E, R>(
  options: Options & Webhook.WebhookOptions & { readonly signingSecret: string },
  handler: Handler<E, R>
): Effect.Effect<HttpApp.Default, AdapterError, R | Services | Scope.Scope> =>
  Effect.flatMap(receiverOf(options), (receiver) =>
    Webhook.make(
      receiver,
      {
        verify: ({ body, headers, nowMillis }) =>
          Effect.map(receiver.secret(options.signingSecret), (secret) => {
            const time = headers["x-slack-request-timestamp"] ?? ""
            const [, signature = ""] = /^v0=([0-9a-f]{64})$/i.exec(headers["x-slack-signature"] ?? "") ?? []
            return isTimely(time, nowMillis) && isHmac(signature, Redacted.value(secret), `v0:${time}:`, body)
              ? { isGenuine: true, once: signature.toLowerCase() }
              : { isGenuine: false }
          }),
        read: (given) => {
          const asked = Schema.decodeUnknownOption(Challenge)(given)
          if (Option.isSome(asked)) return { _tag: "Answer", answer: { challenge: asked.value.challenge } }
          return Option.match(draftOf(receiver, options, given), {
            onNone: () => ({ _tag: "Ignored" }),
            onSome: (draft) => ({ _tag: "Message", draft })
          })
        }
      },
      handler,
      // Slack waits for three seconds.
      { answerWithin: "2500 millis", ...options }
    )
  )
