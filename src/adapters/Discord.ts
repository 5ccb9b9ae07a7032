/**
 * Messages and interactions of Discord.
 *
 * @since 0.1.0
 */
import type * as HttpApp from "@effect/platform/HttpApp"
import { Effect, Option, Schema, type Scope } from "effect"
import type { NetworkBackend } from "../capabilities/network/NetworkBackend.js"
import { Secrets } from "../capabilities/secrets/Secrets.js"
import { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import type { AttachmentCache } from "../layers/node/attachments/AttachmentCache.js"
import { AdapterError } from "./AdapterError.js"
import type { Handler } from "./Delivery.js"
import type { InboundMessage } from "./InboundMessage.js"
import { type Draft, finding } from "./Intake.js"
import * as Receiver from "./Receiver.js"
import * as Signature from "./Signature.js"
import * as Webhook from "./Webhook.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options extends Receiver.EndpointOptions {
  /** The public key of the application, as its settings show it. It is no secret. */
  readonly publicKey?: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export type Services = AttachmentCache | NetworkBackend

/**
 * @since 0.1.0
 * @category defaults
 */
export const hosts: ReadonlyArray<string> = ["cdn.discordapp.com", "media.discordapp.net"]

const text = Schema.optionalWith(Schema.String, { nullable: true })

const File = Schema.Struct({
  filename: text,
  content_type: text,
  size: Schema.optionalWith(Schema.Number, { nullable: true }),
  url: Schema.String
})

/** As the gateway sends it with `MESSAGE_CREATE`. */
const Message = Schema.Struct({
  id: Schema.String,
  channel_id: Schema.String,
  content: Schema.String,
  author: Schema.optional(Schema.Struct({ bot: Schema.optional(Schema.Boolean) })),
  attachments: Schema.Array(Schema.Unknown)
})

const value = { name: Schema.String, value: Schema.optional(Schema.Unknown) }

/** What is given to a command; a command of a command, or of a group of them, stands among it and has its own. */
const Given = Schema.Struct({
  ...value,
  options: Schema.optional(
    Schema.Array(Schema.Struct({ ...value, options: Schema.optional(Schema.Array(Schema.Struct(value))) }))
  )
})

interface Given {
  readonly name: string
  readonly value?: unknown
  readonly options?: ReadonlyArray<Given> | undefined
}

const Interaction = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal(2),
  channel_id: Schema.String,
  data: Schema.Struct({
    name: Schema.String,
    options: Schema.optionalWith(Schema.Array(Given), { default: () => [] }),
    resolved: Schema.optional(
      Schema.Struct({
        attachments: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
        messages: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.partial(Message) }))
      })
    )
  })
})

const Ping = Schema.Struct({ type: Schema.Literal(1) })
const PONG = { type: 1 }
/** "It will be answered": who handles the message edits the answer. */
const DEFERRED = { type: 5 }

/** It needs no secret, so nobody has to say where secrets are. */
const noSecrets = SecretsBackend.fromOperations(Secrets.memory({}))

const receiverOf = (options: Options) =>
  Effect.provideService(Receiver.make({ ...options, platform: "discord", hosts }), SecretsBackend, noSecrets)

/** A command as somebody would write it; files stand in the list of attachments. */
const written = ({ name, options, resolved }: (typeof Interaction.Type)["data"]): string => {
  const files = new Set<unknown>(Object.keys(resolved?.attachments ?? {}))
  const words = ({ name, options = [], value }: Given): ReadonlyArray<string> => {
    if (value === undefined) return [name, ...options.flatMap(words)]
    return typeof value === "object" || files.has(value) ? [] : [`${name}:${String(value)}`]
  }
  const messages = Object.values(resolved?.messages ?? {}).map(({ content = "" }) => content)
  return [`/${name}`, ...options.flatMap(words), ...messages].join(" ")
}

const draftOf = ({ download }: Receiver.Receiver, given: unknown): Option.Option<Draft> => {
  const draft = (channel: string, id: string, text: string, files: ReadonlyArray<unknown>) => ({
    sessionKey: `discord:${channel}`,
    messageId: id,
    text,
    files: files.map(
      finding(File, ({ content_type, filename, size, url }) => ({
        filename,
        mimeType: content_type,
        sizeBytes: size,
        content: download(url)
      }))
    )
  })
  const message = Option.map(
    Option.filter(Schema.decodeUnknownOption(Message)(given), ({ author }) => author?.bot !== true),
    ({ attachments, channel_id, content, id }) => draft(channel_id, id, content, attachments)
  )
  return Option.orElse(message, () =>
    Option.map(Schema.decodeUnknownOption(Interaction)(given), ({ channel_id, data, id }) =>
      draft(channel_id, id, written(data), [
        ...Object.values(data.resolved?.attachments ?? {}),
        ...Object.values(data.resolved?.messages ?? {}).flatMap(({ attachments = [] }) => attachments)
      ])
    )
  )
}

/**
 * What turns a message of the gateway, or an interaction, into a message here. What bots say gives none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options = {}
): Effect.Effect<
  (payload: unknown) => Effect.Effect<Option.Option<InboundMessage>>,
  AdapterError,
  Services
> =>
  Effect.map(
    receiverOf(options),
    (receiver) => (payload) => Effect.transposeMapOption(draftOf(receiver, payload), receiver.receive)
  )

/**
 * The interactions endpoint of an application. It takes requests that are signed with the key of the application, within five
 * minutes and once, and answers pings. A command is answered with "it will be answered".
 *
 * @since 0.1.0
 * @category constructors
 */
export const webhook = <E, R>(
  options: Options & Webhook.WebhookOptions & { readonly publicKey: string },
  handler: Handler<E, R>
): Effect.Effect<HttpApp.Default, AdapterError, R | Services | Scope.Scope> =>
  Effect.gen(function* () {
    const receiver = yield* receiverOf(options)
    const key = Signature.publicKey(options.publicKey)
    if (key === undefined) {
      return yield* new AdapterError({
        code: "SETTING_INVALID",
        platform: "discord",
        detail: "publicKey is not 64 hexadecimal digits; copy it from the settings of the application"
      })
    }
    return yield* Webhook.make(
      receiver,
      {
        verify: ({ body, headers, nowMillis }) =>
          Effect.sync(() => {
            const time = headers["x-signature-timestamp"] ?? ""
            const signature = headers["x-signature-ed25519"] ?? ""
            return Signature.isTimely(time, nowMillis) && Signature.isEd25519(signature, key, time, body)
              ? { isGenuine: true, once: signature.toLowerCase() }
              : { isGenuine: false }
          }),
        read: (given) =>
          Option.isSome(Schema.decodeUnknownOption(Ping)(given))
            ? { _tag: "Answer", answer: PONG }
            : Option.match(draftOf(receiver, given), {
                onNone: () => ({ _tag: "Ignored" }),
                onSome: (draft) => ({ _tag: "Message", draft, answer: DEFERRED })
              })
      },
      handler,
      // Discord waits for three seconds.
      { answerWithin: "2500 millis", ...options }
    )
  })
