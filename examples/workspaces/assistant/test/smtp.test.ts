import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { Mail } from "../services/Mail.ts"
import { layer, layerAt } from "../services/smtp.ts"
import { smtpServer } from "./smtpServer.ts"

const letter = { to: "ada@example.com", subject: "Größe", text: "One.\n.\nTwo.\n" }

const sending = (given: typeof letter, port: number) =>
  Effect.flatMap(Mail, (mail) => mail.send(given)).pipe(
    Effect.provide(layerAt({ host: "127.0.0.1", port, sender: "me@example.com" }))
  )

describe("the mailer", () => {
  it.scoped("hands a letter to a server", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer()
      yield* sending(letter, port)
      expect(received).toMatchObject([{ from: "<me@example.com>", to: "<ada@example.com>" }])
      const [head = "", body = ""] = received[0]?.data.split("\n\n") ?? []
      expect(head).toContain(`Subject: =?utf-8?B?${Buffer.from("Größe").toString("base64")}?=`)
      expect(Buffer.from(body, "base64").toString()).toBe(letter.text)
    })
  )

  it.scoped("says why a server does not take it", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer({ refuses: "ada@example.com" })
      const error = yield* Effect.flip(sending(letter, port))
      expect(error.message).toBe("the mail was not sent: the server said 550 no such mailbox")
      expect(received).toEqual([])
    })
  )

  it.scoped("lets no line break through that would be another command or header", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer()
      for (const wrong of [
        { subject: "Hi\r\nBcc: eve@example.com" },
        { to: "a@b>\r\nRCPT TO:<eve@example.com" }
      ]) {
        const error = yield* Effect.flip(sending({ ...letter, ...wrong }, port))
        expect(error.message).toContain("holds a line break")
      }
      expect(received).toEqual([])
    })
  )

  it.scoped("is told in the environment where the server is", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer()
      const settings = new Map([
        ["MAIL_PORT", String(port)],
        ["MAIL_FROM", "home@example.com"]
      ])
      yield* Effect.flatMap(Mail, (mail) => mail.send(letter)).pipe(
        Effect.provide(layer),
        Effect.withConfigProvider(ConfigProvider.fromMap(settings))
      )
      expect(received).toMatchObject([{ from: "<home@example.com>" }])
    })
  )

  it.effect("says that nobody answers", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(smtpServer())
      expect((yield* Effect.flip(sending(letter, port))).message).toContain("nobody answers at 127.0.0.1")
    })
  )
})
