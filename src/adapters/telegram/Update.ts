/** Updates of the Bot API, as far as messages and their files go. */
import { Effect, Option, Redacted, Schema, Stream } from "effect"
import { SecretsError } from "../../capabilities/secrets/SecretsOperations.js"
import { type Draft, finding, refuse } from "../Intake.js"
import type { Receiver } from "../Receiver.js"

const file = {
  file_id: Schema.String,
  file_name: Schema.optional(Schema.String),
  mime_type: Schema.optional(Schema.String),
  file_size: Schema.optional(Schema.Number)
}

const File = Schema.Struct(file)

const Size = Schema.Struct({ width: Schema.Number, height: Schema.Number })

/** Read when its turn comes: a file that is not as documented does not cost the message. */
const brought = Schema.optional(Schema.Unknown)

const Message = Schema.Struct({
  message_id: Schema.Int,
  message_thread_id: Schema.optional(Schema.Int),
  chat: Schema.Struct({ id: Schema.Int }),
  text: Schema.optional(Schema.String),
  caption: Schema.optional(Schema.String),
  photo: Schema.optional(Schema.Array(Schema.Unknown)),
  document: brought,
  audio: brought,
  voice: brought,
  video: brought,
  video_note: brought,
  animation: brought,
  sticker: brought
})

const Update = Schema.Struct({
  update_id: Schema.Int,
  message: Schema.optional(Message),
  channel_post: Schema.optional(Message)
})

const Answer = Schema.Struct({ result: Schema.Struct({ file_path: Schema.optional(Schema.String) }) })

export interface Bot {
  readonly receiver: Receiver
  /** Where the API is, without a slash at its end. */
  readonly base: string
  /** The ref of the bot's token. */
  readonly token: string
  /** Tells the bots of one program apart. */
  readonly name: string | undefined
}

/** A token stands in a path, and must stay where it is put. */
const TOKEN = /^[\w:-]{1,256}$/

export const botUrl = ({ base, receiver, token }: Bot, before: "bot" | "file/bot", after: string) =>
  Effect.flatMap(receiver.secret(token), (secret) => {
    const value = Redacted.value(secret)
    return TOKEN.test(value)
      ? Effect.succeed(`${base}/${before}${value}/${after}`)
      : new SecretsError({ code: "SECRETS_FAILED", detail: `${token} is no token of a Telegram bot` })
  })

/** As the API gives it: below the bot, and not on the disk of a server that runs with `--local`. */
const PATH = /^(?!.*\.\.)[\w][\w./-]{0,512}$/

const contentOf = (bot: Bot, id: string) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const asked = yield* botUrl(bot, "bot", `getFile?file_id=${encodeURIComponent(id)}`)
      const { file_path: path = "" } = (yield* bot.receiver.json(asked, Answer)).result
      if (!PATH.test(path)) return refuse("the platform says of no place where it is")
      return bot.receiver.download(yield* botUrl(bot, "file/bot", path))
    })
  )

const areaOf = (given: unknown): number =>
  Option.match(Schema.decodeUnknownOption(Size)(given), {
    onNone: () => 0,
    onSome: ({ height, width }) => height * width
  })

/** Of the sizes of a photo, the largest. */
const largest = (sizes: ReadonlyArray<unknown>) =>
  [...sizes].sort((a, b) => areaOf(b) - areaOf(a)).slice(0, 1)

/** The message of an update; edits and all else that a bot hears of are none. */
export const draftOf = (bot: Bot, given: unknown): Option.Option<Draft> =>
  Option.flatMap(Schema.decodeUnknownOption(Update)(given), ({ channel_post, message = channel_post }) => {
    if (message === undefined) return Option.none()
    const { animation, audio, document, photo = [], sticker, video, video_note, voice } = message
    // An animation comes as a document as well, for those who do not know it.
    const others = [animation ?? document, audio, voice, video, video_note, sticker].flatMap((one) =>
      one === undefined ? [] : [one]
    )
    const found = finding(File, ({ file_id, file_name, file_size, mime_type }) => ({
      filename: file_name,
      mimeType: mime_type,
      sizeBytes: file_size,
      content: contentOf(bot, file_id)
    }))
    const thread = message.message_thread_id
    return Option.some({
      sessionKey: ["telegram", bot.name, message.chat.id, thread]
        .filter((part) => part !== undefined)
        .join(":"),
      messageId: String(message.message_id),
      text: message.text ?? message.caption ?? "",
      files: [...largest(photo), ...others].map(found)
    })
  })
