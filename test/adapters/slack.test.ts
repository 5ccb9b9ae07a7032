/** Threat: who is not Slack, what Slack said before, a token that goes elsewhere, a page in place of a file. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, TestClock } from "effect"
import { type Inbound, Slack } from "../../src/adapters/index.js"
import { filesStub } from "./stubs/filesStub.js"
import { served } from "./stubs/Served.js"
import { slackMessage, slackSigned, TOKEN } from "./stubs/SlackStub.js"
import { listening, PNG, post, world } from "./world.js"

const refs = { token: "slack/token", signingSecret: "slack/signing" }
const NOW = 1_760_000_000

const started = Effect.gen(function* () {
  yield* TestClock.setTime(NOW * 1000)
  const stub = yield* filesStub(TOKEN)
  stub.files.set("/files-pri/T-F1/download/cat.png", { body: PNG })
  const options = { ...refs, baseUrls: [stub.url], private: [stub.endpoint] }
  const file = { name: "cat.png", mimetype: "image/png", url: `${stub.url}/files-pri/T-F1/download/cat.png` }
  return { stub, options, file }
})

const hooked = (options: Parameters<typeof Slack.webhook>[0]) =>
  Effect.gen(function* () {
    const messages: Array<Inbound.InboundMessage> = []
    const app = yield* Slack.webhook(options, (message) => Effect.sync(() => messages.push(message)))
    return { app, messages }
  })

describe("a message", () => {
  it.scoped("brings its files, asked for with the token", () =>
    Effect.gen(function* () {
      const { file, options, stub } = yield* started
      const receive = yield* Slack.make(options)
      const message = Option.getOrThrow(yield* receive(slackMessage("1760000000.000100", "look", [file])))
      expect(message).toMatchObject({
        platform: "slack",
        sessionKey: "slack:T061EG9R6:C2147483705:1760000000.000100",
        messageId: "1760000000.000100",
        text: "look",
        attachments: [{ ref: "att-0", type: "image", mimeType: "image/png", filename: "cat.png" }]
      })
      expect(stub.asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${TOKEN}`])
    }).pipe(Effect.provide(world()))
  )

  it.scoped("the token goes to no other host, not by a redirect and not by a URL that somebody wrote", () => {
    const log = listening()
    return Effect.gen(function* () {
      const other = yield* served((_, response) => response.end("thanks"))
      const { file, options, stub } = yield* started
      stub.files.set("/away", { body: PNG, location: `${other.url}/steal` })
      const receive = yield* Slack.make(options)
      const files = [
        { ...file, name: "away.png", url: `${stub.url}/away` },
        { ...file, name: "other.png", url: `${other.url}/steal` },
        { ...file, name: "plain.png", url: "http://files.slack.com/x" },
        { ...file, name: "none.png", url: "javascript:alert(1)" },
        file
      ]
      const { attachments, text } = Option.getOrThrow(yield* receive(slackMessage("1.1", "look", files)))
      expect(attachments.map(({ filename, ref }) => [ref, filename])).toEqual([["att-0", "cat.png"]])
      for (const name of ["away", "other", "plain", "none"])
        expect(text).toContain(`[the file "${name}.png" was not taken`)
      expect(other.asked).toEqual([])
      expect(text + log.text()).not.toContain(TOKEN)
    }).pipe(Effect.provide(world()), Effect.provide(log.layer))
  })

  it.scoped("the page to sign in is not taken for a picture", () =>
    Effect.gen(function* () {
      const { file } = yield* started
      const strict = yield* filesStub("another token")
      const receive = yield* Slack.make({ ...refs, baseUrls: [strict.url], private: [strict.endpoint] })
      const given = slackMessage("1.1", "look", [{ ...file, url: `${strict.url}/x` }])
      const { attachments, text } = Option.getOrThrow(yield* receive(given))
      expect(attachments).toEqual([])
      expect(text).toContain("the attachment is text/html, and was sent as image/png")
    }).pipe(Effect.provide(world()))
  )

  it.scoped("without other base URLs nothing but TLS to Slack is used", () =>
    Effect.gen(function* () {
      const { file } = yield* started
      const receive = yield* Slack.make(refs)
      const given = slackMessage("1.1", "look", [file, { ...file, url: "http://files.slack.com/x" }])
      const { attachments, text } = Option.getOrThrow(yield* receive(given))
      expect(attachments).toEqual([])
      expect(text.match(/its address is not one of the platform/g)).toHaveLength(2)
    }).pipe(Effect.provide(world()))
  )

  it.scoped("a file that is not as documented is a note, and costs neither the message nor the others", () =>
    Effect.gen(function* () {
      const { file, options } = yield* started
      const receive = yield* Slack.make(options)
      const event = slackMessage("1.1", "look", [file])
      const [whole] = event.event.files
      const files = [7, { size: "large" }, { ...whole, name: null, mimetype: null, size: null }]
      const { attachments, text } = Option.getOrThrow(
        yield* receive({ ...event, event: { ...event.event, files } })
      )
      expect(attachments).toMatchObject([{ ref: "att-0" }])
      expect(text).toMatch(/^look\n/)
      expect(text.match(/not taken: the platform tells of it/g)).toHaveLength(2)
    }).pipe(Effect.provide(world()))
  )

  it.scoped("what bots say, and edits, are no messages", () =>
    Effect.gen(function* () {
      const { options } = yield* started
      const receive = yield* Slack.make(options)
      const { event, ...rest } = slackMessage("1.1", "x")
      for (const more of [{ bot_id: "B1" }, { subtype: "message_changed" }, { type: "reaction_added" }]) {
        expect(Option.isNone(yield* receive({ ...rest, event: { ...event, ...more } }))).toBe(true)
      }
    }).pipe(Effect.provide(world()))
  )
})

describe("the webhook", () => {
  it.scoped("takes what is signed, and answers the challenge", () =>
    Effect.gen(function* () {
      const { file, options } = yield* started
      const { app, messages } = yield* hooked(options)
      const challenge = JSON.stringify({ type: "url_verification", token: "x", challenge: "3eZbrw1aB" })
      expect(yield* post(app, challenge, slackSigned(challenge, NOW))).toEqual({
        status: 200,
        text: '{"challenge":"3eZbrw1aB"}'
      })
      expect(yield* post(app, challenge)).toMatchObject({ status: 401 })
      const body = JSON.stringify(slackMessage("1.1", "look", [file]))
      expect(yield* post(app, body, slackSigned(body, NOW))).toMatchObject({ status: 200 })
      expect(messages).toMatchObject([{ text: "look", attachments: [{ ref: "att-0" }] }])
    }).pipe(Effect.provide(world()))
  )

  it.scoped("refuses what is forged, changed, too old or from the future", () =>
    Effect.gen(function* () {
      const { options } = yield* started
      const { app, messages } = yield* hooked(options)
      const body = JSON.stringify(slackMessage("1.1", "x"))
      const signed = slackSigned(body, NOW)
      const attempts: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
        [body, slackSigned(body, NOW, "another secret")],
        [`${body} `, signed],
        [body, { ...signed, "x-slack-request-timestamp": String(NOW + 1) }],
        [body, { ...signed, "x-slack-signature": `v1=${signed["x-slack-signature"].slice(3)}` }],
        [body, { ...signed, "x-slack-signature": "v0=" }],
        [body, slackSigned(body, NOW - 301)],
        [body, slackSigned(body, NOW + 301)],
        [body, { ...slackSigned(body, NOW), "x-slack-request-timestamp": "NaN" }]
      ]
      for (const [text, headers] of attempts)
        expect(yield* post(app, text, headers)).toMatchObject({ status: 401 })
      expect(messages).toEqual([])
      expect(yield* post(app, body, slackSigned(body, NOW - 300))).toMatchObject({ status: 200 })
      expect(messages).toHaveLength(1)
    }).pipe(Effect.provide(world()))
  )

  it.scoped("refuses a replay, and hands over once what Slack sends again", () =>
    Effect.gen(function* () {
      const { options } = yield* started
      const { app, messages } = yield* hooked(options)
      const body = JSON.stringify(slackMessage("1.1", "x"))
      expect(yield* post(app, body, slackSigned(body, NOW))).toMatchObject({ status: 200 })
      expect(yield* post(app, body, slackSigned(body, NOW))).toMatchObject({ status: 403 })
      expect(yield* post(app, body, slackSigned(body, NOW + 60))).toMatchObject({ status: 200 })
      expect(messages).toHaveLength(1)
      yield* TestClock.adjust("5 minutes")
      expect(yield* post(app, body, slackSigned(body, NOW))).toMatchObject({ status: 403 })
    }).pipe(Effect.provide(world()))
  )

  it.scoped("refuses a replay to the last moment in which its time is good", () =>
    Effect.gen(function* () {
      const { options } = yield* started
      const { app, messages } = yield* hooked(options)
      const body = JSON.stringify(slackMessage("1.1", "x"))
      const signed = slackSigned(body, NOW + 300)
      expect(yield* post(app, body, signed)).toMatchObject({ status: 200 })
      yield* TestClock.adjust("10 minutes")
      expect(yield* post(app, body, signed)).toMatchObject({ status: 403 })
      yield* TestClock.adjust("1 millis")
      expect(yield* post(app, body, signed)).toMatchObject({ status: 401 })
      expect(messages).toHaveLength(1)
    }).pipe(Effect.provide(world()))
  )

  it.scoped("takes what it failed on when it comes again with the signature that it had", () =>
    Effect.gen(function* () {
      const { options } = yield* started
      const taken: Array<string> = []
      let isDown = true
      const app = yield* Slack.webhook(options, ({ text }) => {
        if (isDown) return Effect.fail("down")
        return Effect.sync(() => void taken.push(text))
      })
      const body = JSON.stringify(slackMessage("1.1", "x"))
      const signed = { ...slackSigned(body, NOW), "x-slack-retry-num": "1" }
      expect(yield* post(app, body, signed)).toMatchObject({ status: 500 })
      isDown = false
      expect(yield* post(app, body, signed)).toMatchObject({ status: 200 })
      expect(yield* post(app, body, signed)).toMatchObject({ status: 403 })
      expect(taken).toEqual(["x"])
    }).pipe(Effect.provide(world()))
  )
})
