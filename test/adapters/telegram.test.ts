/** Threat: who is not Telegram, what is not a photo, a file that leads elsewhere, a token that shows. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger, LogLevel, Option, Queue, Schema, TestClock } from "effect"
import { Inbound, Telegram } from "../../src/adapters/index.js"
import { AttachmentCache } from "../../src/layers/node/attachments/AttachmentCache.js"
import { temporary } from "../layers/attachments/temporary.js"
import { asleep } from "../waiting.js"
import { served } from "./stubs/Served.js"
import { documentUpdate, photoUpdate, TOKEN, telegramStub, textUpdate } from "./stubs/TelegramStub.js"
import { filesBelow, JPEG, listening, PNG, post, refs, WEBHOOK_SECRET, world, worldIn } from "./world.js"

const GENUINE = { "x-telegram-bot-api-secret-token": WEBHOOK_SECRET }

const started = Effect.gen(function* () {
  const stub = yield* telegramStub
  const options = { ...refs, baseUrls: [stub.url], private: [stub.endpoint] }
  return { stub, options }
})

const received = (update: unknown) =>
  Effect.gen(function* () {
    const { options, stub } = yield* started
    const receive = yield* Telegram.make(options)
    return { stub, message: Option.getOrThrow(yield* receive(update)) }
  })

describe("a message", () => {
  it.scoped("brings its photo in the largest size, downloaded once, as att-0", () =>
    Effect.gen(function* () {
      const { options, stub } = yield* started
      stub.files.set("photo", { body: JPEG })
      const receive = yield* Telegram.make({ ...options, bot: "cook" })
      const message = Option.getOrThrow(yield* receive(photoUpdate(1, "photo", "What is this?")))
      const [photo] = message.attachments
      expect(message).toEqual({
        platform: "telegram",
        sessionKey: "telegram:cook:42",
        messageId: "1001",
        text: "What is this?",
        attachments: [
          { type: "image", ref: "att-0", url: photo?.url, mimeType: "image/jpeg", sizeBytes: JPEG.length }
        ]
      })
      expect(Schema.is(Inbound.InboundMessage)(message)).toBe(true)
      expect(readFileSync(fileURLToPath(photo?.url ?? "")).equals(JPEG)).toBe(true)
      expect(stub.asked.map(({ url }) => url.replace(TOKEN, "T"))).toEqual([
        "/botT/getFile?file_id=photo",
        "/file/botT/files/photo"
      ])
    }).pipe(Effect.provide(world()))
  )

  it.scoped("a file that is not as documented is a note, and does not cost the message", () =>
    Effect.gen(function* () {
      const { message } = yield* received({
        ...textUpdate(1, "look"),
        message: { ...textUpdate(1, "look").message, document: { file_id: 7 }, photo: [null, "x"] }
      })
      expect(message.attachments).toEqual([])
      expect(message.text).toMatch(/^look\n/)
      expect(message.text.match(/not taken: the platform tells of it/g)).toHaveLength(2)
    }).pipe(Effect.provide(world()))
  )

  it.scoped("what is no message gives none", () =>
    Effect.gen(function* () {
      const { options } = yield* started
      const receive = yield* Telegram.make(options)
      for (const update of [
        {},
        7,
        { update_id: 1, edited_message: textUpdate(1, "x").message },
        { message: 1 }
      ]) {
        expect(Option.isNone(yield* receive(update))).toBe(true)
      }
    }).pipe(Effect.provide(world()))
  )

  it.scoped(
    "[A12] a file of another kind than what was said is refused, and the message arrives with a note",
    () =>
      Effect.gen(function* () {
        const { options, stub } = yield* started
        stub.files.set("page", { body: Buffer.from("<!DOCTYPE html><html>hello</html>") })
        const receive = yield* Telegram.make(options)
        const update = documentUpdate(1, { file_id: "page", file_name: "cat.png", mime_type: "image/png" })
        const { attachments, text } = Option.getOrThrow(yield* receive(update))
        expect(attachments).toEqual([])
        expect(text).toBe(
          'see the file\n[the file "cat.png" was not taken: the attachment is text/html, and was sent as image/png; send it as what it is]'
        )
      }).pipe(Effect.provide(world()))
  )

  it.scoped("a file that says that it is too large is not asked for, and one that is does not stay", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        const { options, stub } = yield* started
        const receive = yield* Telegram.make(options)
        stub.files.set("big", { body: Buffer.alloc(5000, 1) })
        const honest = yield* receive(
          documentUpdate(1, { file_id: "big", file_name: "b.bin", file_size: 5000 })
        )
        expect(Option.getOrThrow(honest).text).toContain("5000 bytes, more than 4096")
        expect(stub.asked).toEqual([])
        const lying = yield* receive(documentUpdate(2, { file_id: "big", file_name: "b.bin", file_size: 5 }))
        expect(Option.getOrThrow(lying).text).toContain("more than 4096 bytes")
        expect(filesBelow(directory)).toEqual([])
        expect(yield* Effect.flatMap(AttachmentCache, ({ usage }) => usage("telegram:42"))).toEqual({
          session: 0,
          total: 0
        })
      }).pipe(Effect.provide(worldIn(directory, { maxBytes: 4096 })))
    })
  )

  it.scoped("[A13] a body that grows when it is decoded is bounded after decoding", () =>
    Effect.gen(function* () {
      const { options, stub } = yield* started
      stub.files.set("bomb", {
        body: gzipSync(Buffer.alloc(4 * 1024 * 1024)),
        headers: { "content-encoding": "gzip" }
      })
      const receive = yield* Telegram.make(options)
      const message = Option.getOrThrow(yield* receive(documentUpdate(1, { file_id: "bomb" })))
      expect(message.attachments).toEqual([])
      expect(message.text).toContain("was not taken: the attachment has more than 1048576 bytes")
    }).pipe(Effect.provide(world({ maxBytes: 1024 * 1024 })))
  )

  it.scoped("[A13] an archive is kept as it is, and nothing of it is unpacked", () =>
    Effect.gen(function* () {
      const { options, stub } = yield* started
      const zip = gzipSync(Buffer.alloc(1024 * 1024))
      stub.files.set("zip", { body: zip })
      const receive = yield* Telegram.make(options)
      const update = documentUpdate(1, { file_id: "zip", file_name: "a.gz", mime_type: "application/gzip" })
      const { attachments } = Option.getOrThrow(yield* receive(update))
      expect(attachments).toMatchObject([
        { type: "file", mimeType: "application/gzip", sizeBytes: zip.length }
      ])
    }).pipe(Effect.provide(world({ maxBytes: 65_536 })))
  )

  it.scoped("a download that leads to another host, or to a private address, is refused with a note", () =>
    Effect.gen(function* () {
      const secret = yield* served((_, response) => response.end("inner"))
      const { options, stub } = yield* started
      const receive = yield* Telegram.make(options)
      const elsewhere = [
        `http://localhost:${new URL(secret.url).port}/`,
        `${secret.url}/`,
        "http://169.254.169.254/latest/meta-data/",
        "https://attacker.example/"
      ]
      for (const [index, location] of elsewhere.entries()) {
        stub.files.set("f", { body: PNG, location })
        const message = Option.getOrThrow(
          yield* receive(documentUpdate(index, { file_id: "f", file_name: "f.png" }))
        )
        expect(message.attachments).toEqual([])
        expect(message.text).toContain('[the file "f.png" was not taken: ')
      }
      expect(secret.asked).toEqual([])
    }).pipe(Effect.provide(world()))
  )

  it.scoped(
    "[A11] a name with a path, controls or markup is made fit, the file stays, and the text says so",
    () =>
      Effect.gen(function* () {
        const { options, stub } = yield* started
        stub.files.set("f", { body: PNG })
        const receive = yield* Telegram.make(options)
        const names = [
          ["../../etc/passwd.png", "passwd.png"],
          ["a\nb\u202Egnp.png", "abgnp.png"],
          ['x"><script>.png', "x___script_.png"],
          ["..", undefined]
        ] as const
        for (const [index, [file_name, expected]] of names.entries()) {
          const update = documentUpdate(index, { file_id: "f", file_name, mime_type: "image/png" })
          const { attachments, text } = Option.getOrThrow(yield* receive(update))
          expect(attachments.map(({ filename }) => filename)).toEqual([expected])
          expect(text).toContain("[the name of att-0 was ")
        }
      }).pipe(Effect.provide(world()))
  )

  it.scoped("a place that is no place of the platform is not asked for", () =>
    Effect.gen(function* () {
      const { options, stub } = yield* started
      const receive = yield* Telegram.make(options)
      for (const path of ["../bot1/getMe", "/var/lib/telegram-bot-api/secret", "a?b=c", ""]) {
        stub.asked.length = 0
        stub.files.set("f", { body: PNG, path })
        const { text } = Option.getOrThrow(yield* receive(documentUpdate(1, { file_id: "f" })))
        expect(text).toContain("was not taken")
        expect(stub.asked).toHaveLength(1)
      }
    }).pipe(Effect.provide(world()))
  )

  it.scoped("more files than the cache has room for are notes, and the message arrives", () =>
    Effect.gen(function* () {
      const { options, stub } = yield* started
      stub.files.set("f", { body: PNG })
      const receive = yield* Telegram.make(options)
      const take = (id: number) =>
        Effect.map(receive(documentUpdate(id, { file_id: "f" })), Option.getOrThrow)
      expect((yield* take(1)).attachments).toHaveLength(1)
      const full = yield* take(2)
      expect(full.attachments).toEqual([])
      expect(full.text).toContain("the attachments of this session would be more than 50 bytes")
      yield* Effect.flatMap(AttachmentCache, ({ clear }) => clear("telegram:42"))
      expect((yield* take(3)).attachments).toHaveLength(1)
    }).pipe(Effect.provide(world({ sessionBytes: 50 })))
  )
})

describe("the token", () => {
  it.scoped("is in no log, note or error, whatever the server answers", () => {
    const log = listening()
    return Effect.gen(function* () {
      const { options, stub } = yield* started
      const receive = yield* Telegram.make(options)
      const texts: Array<string> = []
      const files = [
        { body: PNG },
        { body: PNG, location: `https://attacker.example/bot${TOKEN}/` },
        { body: PNG, location: `http://127.0.0.1:1/file/bot${TOKEN}/x` },
        { body: PNG, path: `../bot${TOKEN}` },
        { body: PNG, headers: { "content-encoding": "gzip" } }
      ]
      for (const [index, file] of files.entries()) {
        stub.files.set("f", file)
        texts.push(JSON.stringify(yield* receive(documentUpdate(index, { file_id: "f" }))))
      }
      texts.push(JSON.stringify(yield* receive(documentUpdate(9, { file_id: "missing" }))))
      stub.failures.push({
        status: 401,
        body: { ok: false, error_code: 401, description: `Unauthorized ${TOKEN}` }
      })
      const error = yield* Effect.flip(Telegram.poll(options, () => Effect.void))
      texts.push(error.message, JSON.stringify(error))
      expect(error.code).toBe("PLATFORM_REFUSED")
      expect(texts.join("\n")).not.toContain(TOKEN.slice(12))
      expect(log.text()).toContain("refused")
      expect(log.text()).not.toContain(TOKEN.slice(12))
    }).pipe(Effect.provide(world()), Effect.provide(log.layer), Logger.withMinimumLogLevel(LogLevel.All))
  })
})

describe("the webhook", () => {
  const hook = (options: Parameters<typeof Telegram.webhook>[0], messages: Array<Inbound.InboundMessage>) =>
    Telegram.webhook(options, (message) => Effect.sync(() => messages.push(message)))

  it.scoped("takes what bears the secret, once, and nothing else", () =>
    Effect.gen(function* () {
      const { options, stub } = yield* started
      stub.files.set("photo", { body: JPEG })
      const messages: Array<Inbound.InboundMessage> = []
      const app = yield* hook(options, messages)
      const body = JSON.stringify(photoUpdate(1, "photo"))
      expect(yield* post(app, body)).toMatchObject({ status: 401 })
      expect(yield* post(app, body, { "x-telegram-bot-api-secret-token": "forged" })).toMatchObject({
        status: 401
      })
      expect(yield* post(app, body, { "x-telegram-bot-api-secret-token": "" })).toMatchObject({ status: 401 })
      expect(messages).toEqual([])
      expect(yield* post(app, body, GENUINE)).toMatchObject({ status: 200 })
      expect(yield* post(app, body, GENUINE)).toMatchObject({ status: 200 })
      expect(messages).toHaveLength(1)
      expect(messages[0]?.attachments).toHaveLength(1)
      expect(stub.asked).toHaveLength(2)
    }).pipe(Effect.provide(world()))
  )

  it.scoped("refuses what is no POST, no JSON, or too long, however it is sent", () =>
    Effect.gen(function* () {
      const { options } = yield* started
      const messages: Array<Inbound.InboundMessage> = []
      const app = yield* hook({ ...options, maxBodyBytes: 1000 }, messages)
      expect(yield* post(app, "", GENUINE, "GET")).toMatchObject({ status: 405 })
      expect(yield* post(app, "{", GENUINE)).toMatchObject({ status: 400 })
      expect(yield* post(app, Buffer.from([0xff, 0xfe]), GENUINE)).toMatchObject({ status: 400 })
      expect(yield* post(app, "x".repeat(1001), GENUINE)).toMatchObject({ status: 413 })
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(100))
      })
      expect(yield* post(app, endless, GENUINE)).toMatchObject({ status: 413 })
      expect(yield* post(app, "{}", GENUINE)).toMatchObject({ status: 200 })
      expect(messages).toEqual([])
    }).pipe(Effect.provide(world()))
  )

  it.scoped("a body that does not come is given up", () =>
    Effect.gen(function* () {
      const { options } = yield* started
      const app = yield* hook(options, [])
      const fiber = yield* Effect.fork(post(app, new ReadableStream<Uint8Array>(), GENUINE))
      yield* TestClock.adjust("10 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({ status: 408 })
    }).pipe(Effect.provide(world()))
  )

  it.scoped("answers no when the program fails, and takes the message when it comes again", () =>
    Effect.gen(function* () {
      const { options } = yield* started
      let tries = 0
      const app = yield* Telegram.webhook(options, () =>
        tries++ === 0 ? Effect.fail("not now") : Effect.void
      )
      const body = JSON.stringify(textUpdate(1, "hi"))
      expect(yield* post(app, body, GENUINE)).toMatchObject({ status: 500 })
      expect(yield* post(app, body, GENUINE)).toMatchObject({ status: 200 })
      expect(tries).toBe(2)
    }).pipe(Effect.provide(world()))
  )

  it.scoped("answers yes to what takes long, and goes on with it once", () =>
    Effect.gen(function* () {
      const { options } = yield* started
      const go = yield* Deferred.make<void>()
      const taken = yield* Queue.unbounded<string>()
      const app = yield* Telegram.webhook({ ...options, answerWithin: "5 seconds" }, ({ text }) =>
        Effect.zipRight(
          Queue.offer(taken, `begun ${text}`),
          Effect.zipRight(Deferred.await(go), Queue.offer(taken, text))
        )
      )
      const body = JSON.stringify(textUpdate(1, "long"))
      const first = yield* Effect.fork(post(app, body, GENUINE))
      expect(yield* Queue.take(taken)).toBe("begun long")
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(first)).toMatchObject({ status: 200 })
      const second = yield* Effect.fork(post(app, body, GENUINE))
      yield* Deferred.succeed(go, undefined)
      expect(yield* Queue.take(taken)).toBe("long")
      expect(yield* Fiber.join(second)).toMatchObject({ status: 200 })
      expect(yield* Queue.size(taken)).toBe(0)
    }).pipe(Effect.provide(world()))
  )
})

describe("long polling", () => {
  it.scoped("hands each update over once, in order, and confirms it by asking for the next", () =>
    Effect.gen(function* () {
      const { options, stub } = yield* started
      stub.updates.push(textUpdate(5, "a"), { update_id: 6 }, textUpdate(7, "b"))
      const taken = yield* Queue.unbounded<string>()
      const offsets: Array<number | undefined> = []
      const held = Effect.async<void>((resume) => {
        stub.onPoll = (offset) => {
          offsets.push(offset)
          if (offset === 8) resume(Effect.void)
        }
      })
      const polling = yield* Effect.fork(Telegram.poll(options, ({ text }) => Queue.offer(taken, text)))
      yield* held
      expect([...(yield* Queue.takeAll(taken))]).toEqual(["a", "b"])
      expect(offsets).toEqual([undefined, 8])
      expect(stub.updates).toEqual([])
      yield* Fiber.interrupt(polling)
    }).pipe(Effect.provide(world()))
  )

  it.scoped("who is interrupted confirms what was handed over, and no more", () =>
    Effect.gen(function* () {
      const { options, stub } = yield* started
      stub.updates.push(textUpdate(1, "a"), textUpdate(2, "b"))
      const begun = yield* Queue.unbounded<string>()
      const polling = yield* Effect.fork(
        Telegram.poll(options, ({ text }) =>
          Effect.zipRight(Queue.offer(begun, text), text === "b" ? Effect.never : Effect.void)
        )
      )
      yield* Queue.take(begun)
      expect(yield* Queue.take(begun)).toBe("b")
      yield* Fiber.interrupt(polling)
      const confirmed = new URL(stub.asked.at(-1)?.url ?? "", "http://stub").searchParams
      expect([confirmed.get("offset"), confirmed.get("timeout")]).toEqual(["2", "0"])
      const again = yield* Queue.unbounded<string>()
      const polled = yield* Effect.fork(Telegram.poll(options, ({ text }) => Queue.offer(again, text)))
      expect(yield* Queue.take(again)).toBe("b")
      yield* Fiber.interrupt(polled)
      expect(yield* Queue.size(again)).toBe(0)
    }).pipe(Effect.provide(world()))
  )

  it.scoped(
    "waits as long as it is told after a refusal, twice as long after each failure, and goes on",
    () =>
      Effect.gen(function* () {
        const { options, stub } = yield* started
        const polls = yield* Queue.unbounded<number | undefined>()
        stub.onPoll = (offset) => Queue.unsafeOffer(polls, offset)
        stub.failures.push(
          { status: 429, body: { ok: false, error_code: 429, parameters: { retry_after: 7 } } },
          { status: 502, body: "not JSON" }
        )
        stub.updates.push(textUpdate(1, "a"))
        const waits = yield* Queue.unbounded<void>()
        const taken = yield* Queue.unbounded<string>()
        const log = Logger.make(({ message }) => {
          if (String(message).includes("getUpdates")) Queue.unsafeOffer(waits, undefined)
        })
        yield* Effect.fork(
          Effect.provide(
            Telegram.poll(options, ({ text }) => Queue.offer(taken, text)),
            Logger.replace(Logger.defaultLogger, log)
          )
        )
        yield* Queue.take(waits)
        yield* asleep
        yield* TestClock.adjust("6999 millis")
        expect(yield* Queue.size(polls)).toBe(1)
        yield* TestClock.adjust("1 millis")
        yield* Queue.take(waits)
        yield* asleep
        yield* TestClock.adjust("2 seconds")
        expect(yield* Queue.take(taken)).toBe("a")
      }).pipe(Effect.provide(world()))
  )

  it.scoped.each([
    ["a wait of no time", { ok: false, error_code: 429, parameters: { retry_after: 0.0000001 } }],
    ["a wait until yesterday", { ok: false, error_code: 429, parameters: { retry_after: -5 } }],
    ["an update without a number", { ok: true, result: [{ update_id: "x" }] }],
    ["an update that was confirmed", { ok: true, result: [textUpdate(3, "old")] }]
  ] as const)("asks no sooner than in a second when it is answered with %s", ([, body]) =>
    Effect.gen(function* () {
      const { options, stub } = yield* started
      stub.failures.push({ status: 200, body })
      stub.updates.push(textUpdate(4, "new"))
      const polls = yield* Queue.unbounded<number | undefined>()
      stub.onPoll = (offset) => Queue.unsafeOffer(polls, offset)
      const taken = yield* Queue.unbounded<string>()
      const offsets = { load: Effect.succeed(4), save: () => Effect.void }
      const told = yield* Deferred.make<void>()
      const log = Logger.make(({ message }) => {
        if (String(message).includes("getUpdates")) Deferred.unsafeDone(told, Effect.void)
      })
      yield* Effect.fork(
        Effect.provide(
          Telegram.poll({ ...options, offsets }, ({ text }) => Queue.offer(taken, text)),
          Logger.replace(Logger.defaultLogger, log)
        )
      )
      yield* Queue.take(polls)
      yield* Deferred.await(told)
      yield* asleep
      yield* TestClock.adjust("999 millis")
      expect([yield* Queue.size(polls), yield* Queue.size(taken)]).toEqual([0, 0])
      yield* TestClock.adjust("1 millis")
      expect(yield* Queue.take(taken)).toBe("new")
    }).pipe(Effect.provide(world()))
  )

  it.scoped("goes on where it was saved, and hands nothing over that is older", () =>
    Effect.gen(function* () {
      const { options, stub } = yield* started
      stub.updates.push(textUpdate(3, "c"), textUpdate(4, "d"))
      const saved: Array<number> = []
      const taken = yield* Queue.unbounded<string>()
      const offsets = {
        load: Effect.succeed(4),
        save: (offset: number) => Effect.sync(() => void saved.push(offset))
      }
      yield* Effect.fork(Telegram.poll({ ...options, offsets }, ({ text }) => Queue.offer(taken, text)))
      expect(yield* Queue.take(taken)).toBe("d")
      expect(yield* Queue.size(taken)).toBe(0)
    }).pipe(Effect.provide(world()))
  )
})

it.scoped("a setting that cannot be read is told at once", () =>
  Effect.gen(function* () {
    const failed = (given: object) => Effect.flip(Telegram.make({ ...refs, ...given }))
    expect((yield* failed({ baseUrls: ["nowhere"] })).message).toContain("SETTING_INVALID: telegram")
    expect((yield* failed({ private: ["not an endpoint"] })).code).toBe("SETTING_INVALID")
  }).pipe(Effect.provide(world()))
)

it.scoped("without a word only the platform's own host is reached", () =>
  Effect.gen(function* () {
    const { message } = yield* received(textUpdate(1, "x"))
    expect(message.text).toBe("x")
    expect(Telegram.hosts).toEqual(["api.telegram.org"])
  }).pipe(Effect.provide(world()))
)
