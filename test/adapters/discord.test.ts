/** Threat: who has not the key, what was sent before, hosts that look like the platform's. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, TestClock } from "effect"
import { Discord, type Inbound } from "../../src/adapters/index.js"
import { names, recorder } from "../layers/network/fixture.js"
import { discordCommand, discordMessage, discordSigned, otherKey, PUBLIC_KEY } from "./stubs/DiscordStub.js"
import { filesStub } from "./stubs/filesStub.js"
import { PNG, post, world } from "./world.js"

const NOW = 1_760_000_000

const started = Effect.gen(function* () {
  yield* TestClock.setTime(NOW * 1000)
  const stub = yield* filesStub()
  stub.files.set("/attachments/1/2/cat.png", { body: PNG })
  const options = { publicKey: PUBLIC_KEY, baseUrls: [stub.url], private: [stub.endpoint] }
  const file = {
    filename: "cat.png",
    content_type: "image/png",
    url: `${stub.url}/attachments/1/2/cat.png?ex=1`
  }
  return { stub, options, file }
})

describe("a message", () => {
  it.scoped("of the gateway, and a command, bring their files", () =>
    Effect.gen(function* () {
      const { file, options } = yield* started
      const receive = yield* Discord.make(options)
      const message = Option.getOrThrow(yield* receive(discordMessage("9", "look", [file])))
      expect(message).toMatchObject({
        platform: "discord",
        sessionKey: "discord:645027906669510667",
        messageId: "9",
        text: "look",
        attachments: [{ ref: "att-0", type: "image", filename: "cat.png" }]
      })
      const command = Option.getOrThrow(yield* receive(discordCommand("10", file)))
      expect(command).toMatchObject({ text: "/describe style:short", attachments: [{ ref: "att-0" }] })
    }).pipe(Effect.provide(world()))
  )

  it.scoped(
    "a command of a command is written with what was given to it, as far as that can be written",
    () =>
      Effect.gen(function* () {
        const { options } = yield* started
        const receive = yield* Discord.make(options)
        const bare = { id: "1", type: 2, channel_id: "7" }
        const text = (given: ReadonlyArray<unknown>) =>
          Effect.map(receive({ ...bare, data: { name: "do", options: given } }), (message) =>
            Option.getOrThrow(message)
          )
        const style = { name: "style", type: 3, value: "short" }
        expect(
          yield* text([{ name: "group", type: 2, options: [{ name: "sub", type: 1, options: [style] }] }])
        ).toMatchObject({ text: "/do group sub style:short" })
        expect(yield* text([{ name: "x", value: { toString: 1, valueOf: 1 } }, style])).toMatchObject({
          text: "/do style:short"
        })
      }).pipe(Effect.provide(world()))
  )

  it.scoped("a file that is not as documented is a note, and costs neither the message nor the others", () =>
    Effect.gen(function* () {
      const { file, options } = yield* started
      const receive = yield* Discord.make(options)
      const message = { ...discordMessage("9", "look", []), attachments: [{ url: 7 }, null, file] }
      const { attachments, text } = Option.getOrThrow(yield* receive(message))
      expect(attachments).toMatchObject([{ ref: "att-0", filename: "cat.png" }])
      expect(text.match(/not taken: the platform tells of it/g)).toHaveLength(2)
    }).pipe(Effect.provide(world()))
  )

  it.scoped("a host of the platform at a private address is not connected to", () => {
    const { asked, connect } = recorder()
    const { resolve } = names({ "cdn.discordapp.com": "10.0.0.5", "media.discordapp.net": "169.254.169.254" })
    return Effect.gen(function* () {
      const receive = yield* Discord.make()
      const files = ["https://cdn.discordapp.com/a", "https://media.discordapp.net/b"].map((url) => ({
        filename: "a.png",
        url
      }))
      const { attachments, text } = Option.getOrThrow(yield* receive(discordMessage("1", "", files)))
      expect(attachments).toEqual([])
      expect(text.match(/its host has an address that is not public/g)).toHaveLength(2)
      expect(asked).toEqual([])
    }).pipe(Effect.provide(world({ network: { resolve, connect } })))
  })

  it.scoped("a host that redirects to one at a private address is followed no further", () =>
    Effect.gen(function* () {
      const stub = yield* filesStub()
      stub.files.set("/a", { body: PNG, location: "http://inner.example/b" })
      const { asked, connect } = recorder(Number(new URL(stub.url).port))
      const { resolve } = names({ "cdn.example": "93.184.216.34", "inner.example": "10.0.0.5" })
      yield* Effect.gen(function* () {
        const receive = yield* Discord.make({ baseUrls: ["http://cdn.example", "http://inner.example"] })
        const file = { filename: "a.png", url: "http://cdn.example/a" }
        const { attachments, text } = Option.getOrThrow(yield* receive(discordMessage("1", "", [file])))
        expect(attachments).toEqual([])
        expect(text).toBe('[the file "a.png" was not taken: its address leads away from the platform]')
        expect(asked.map(({ address }) => address)).toEqual(["93.184.216.34"])
        expect(stub.asked).toHaveLength(1)
      }).pipe(Effect.provide(world({ network: { resolve, connect } })))
    })
  )

  it.scoped("other hosts are refused, however much they look like the platform's", () => {
    const { asked, connect } = recorder()
    return Effect.gen(function* () {
      const receive = yield* Discord.make()
      const urls = [
        "https://cdn.discordapp.com.attacker.example/a",
        "https://attacker.example/cdn.discordapp.com",
        "https://cdn.discordapp.com@attacker.example/",
        "https://cdn.discordapp.com:8443/a",
        "file:///etc/passwd"
      ]
      const { attachments, text } = Option.getOrThrow(
        yield* receive(
          discordMessage(
            "1",
            "hello",
            urls.map((url) => ({ filename: "a", url }))
          )
        )
      )
      expect(attachments).toEqual([])
      expect(text.match(/was not taken/g)).toHaveLength(urls.length)
      expect(asked).toEqual([])
    }).pipe(Effect.provide(world({ network: { connect } })))
  })
})

describe("the webhook", () => {
  const hooked = (options: Parameters<typeof Discord.webhook>[0]) =>
    Effect.gen(function* () {
      const messages: Array<Inbound.InboundMessage> = []
      const app = yield* Discord.webhook(options, (message) => Effect.sync(() => messages.push(message)))
      return { app, messages }
    })

  it.scoped("answers a ping with a pong, and a command with what is to come", () =>
    Effect.gen(function* () {
      const { file, options } = yield* started
      const { app, messages } = yield* hooked(options)
      const ping = JSON.stringify({ id: "1", type: 1, application_id: "2" })
      expect(yield* post(app, ping, discordSigned(ping, NOW))).toEqual({ status: 200, text: '{"type":1}' })
      const body = JSON.stringify(discordCommand("10", file))
      expect(yield* post(app, body, discordSigned(body, NOW))).toEqual({ status: 200, text: '{"type":5}' })
      expect(messages).toMatchObject([{ messageId: "10", attachments: [{ ref: "att-0" }] }])
    }).pipe(Effect.provide(world()))
  )

  it.scoped("refuses what is forged, changed, old or seen before", () =>
    Effect.gen(function* () {
      const { file, options } = yield* started
      const { app, messages } = yield* hooked(options)
      const body = JSON.stringify(discordCommand("10", file))
      const signed = discordSigned(body, NOW)
      const attempts: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
        [body, {}],
        [body, discordSigned(body, NOW, otherKey)],
        [`${body} `, signed],
        [body, { ...signed, "x-signature-timestamp": String(NOW + 1) }],
        [body, { ...signed, "x-signature-ed25519": "00".repeat(64) }],
        [body, { ...signed, "x-signature-ed25519": "zz" }],
        [body, discordSigned(body, NOW - 301)]
      ]
      for (const [text, headers] of attempts)
        expect(yield* post(app, text, headers)).toMatchObject({ status: 401 })
      expect(messages).toEqual([])
      expect(yield* post(app, body, signed)).toMatchObject({ status: 200 })
      expect(yield* post(app, body, signed)).toMatchObject({ status: 403 })
      expect(messages).toHaveLength(1)
    }).pipe(Effect.provide(world()))
  )

  it.scoped("a key that is none is told at once", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Discord.webhook({ publicKey: "abc" }, () => Effect.void))
      expect(error.message).toContain("SETTING_INVALID: discord: publicKey is not 64 hexadecimal digits")
    }).pipe(Effect.provide(world()))
  )
})
