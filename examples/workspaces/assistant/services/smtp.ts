/** The mailer over SMTP. It connects when a letter is sent, and not before. */
import { createConnection, type Socket } from "node:net"
import { createInterface } from "node:readline"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Letter, Mail, MailNotSent } from "./Mail.ts"

export interface Server {
  readonly host: string
  readonly port: number
  readonly sender: string
}

const refuse = (why: string) => new MailNotSent({ why })

/** What a line break would turn into another command, or another header. */
const isLine = (text: string): boolean => !/[\r\n\0]/.test(text)

const encoded = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`

const messageOf = ({ subject, text, to }: Letter, { sender }: Server): string =>
  [
    `From: ${sender}`,
    `To: ${to}`,
    `Subject: ${encoded(subject)}`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    "",
    ...(Buffer.from(text)
      .toString("base64")
      .match(/.{1,76}/g) ?? []),
    "."
  ].join("\r\n")

const connected = ({ host, port }: Server) =>
  Effect.acquireRelease(
    Effect.async<Socket, MailNotSent>((resume) => {
      const socket = createConnection({ host, port })
      socket.once("connect", () => resume(Effect.succeed(socket)))
      socket.once("error", () => resume(refuse(`nobody answers at ${host}:${port}`)))
      return Effect.sync(() => socket.destroy())
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** The last line of each reply, one at a time. */
const repliesOf = (socket: Socket): AsyncIterator<string> => {
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
  return (async function* () {
    for await (const line of lines) if (line[3] !== "-") yield line
  })()
}

const send = (letter: Letter, server: Server) =>
  Effect.gen(function* () {
    if (![letter.to, letter.subject, server.sender].every(isLine)) {
      return yield* refuse("an address or the subject holds a line break")
    }
    const socket = yield* connected(server)
    const replies = repliesOf(socket)
    const expected = (code: string) =>
      Effect.tryPromise({ try: () => replies.next(), catch: () => refuse("the connection broke") }).pipe(
        Effect.flatMap(({ value }) =>
          typeof value === "string" && value.startsWith(code)
            ? Effect.void
            : refuse(
                typeof value === "string" ? `the server said ${value.slice(0, 100)}` : "the server hung up"
              )
        )
      )
    const say = (line: string, code: string) =>
      Effect.zipRight(
        Effect.sync(() => socket.write(`${line}\r\n`)),
        expected(code)
      )
    yield* expected("220")
    yield* say("EHLO localhost", "250")
    yield* say(`MAIL FROM:<${server.sender}>`, "250")
    yield* say(`RCPT TO:<${letter.to}>`, "250")
    yield* say("DATA", "354")
    yield* say(messageOf(letter, server), "250")
    yield* say("QUIT", "221")
  }).pipe(
    Effect.scoped,
    Effect.timeoutFail({ duration: "30 seconds", onTimeout: () => refuse("the server took too long") })
  )

export const layerAt = (server: Server): Layer.Layer<Mail> =>
  Layer.succeed(Mail, { send: (letter) => send(letter, server) })

/** `MAIL_HOST`, `MAIL_PORT` and `MAIL_FROM`, or the mailer of this machine. */
export const layer = Layer.unwrapEffect(
  Effect.map(
    Config.all({
      host: Config.withDefault(Config.nonEmptyString("MAIL_HOST"), "127.0.0.1"),
      port: Config.withDefault(Config.port("MAIL_PORT"), 25),
      sender: Config.withDefault(Config.nonEmptyString("MAIL_FROM"), "assistant@localhost")
    }),
    layerAt
  )
)
