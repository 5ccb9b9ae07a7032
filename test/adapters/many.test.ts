/** Threat: everybody at once. */
import { expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { Telegram } from "../../src/adapters/index.js"
import { AttachmentCache } from "../../src/layers/node/attachments/AttachmentCache.js"
import { temporary } from "../layers/attachments/temporary.js"
import { photoUpdate, telegramStub } from "./stubs/TelegramStub.js"
import { filesBelow, JPEG, post, refs, WEBHOOK_SECRET, worldIn } from "./world.js"

const MESSAGES = 1000
const ROOM = 600

it.live("a thousand messages at once are all answered, and the cache stays within its limits", () =>
  Effect.gen(function* () {
    const directory = yield* temporary
    const stub = yield* telegramStub
    stub.files.set("photo", { body: JPEG })
    yield* Effect.gen(function* () {
      const answered = new Set<string>()
      let kept = 0
      let noted = 0
      const app = yield* Telegram.webhook(
        { ...refs, baseUrls: [stub.url], private: [stub.endpoint] },
        ({ attachments, messageId, text }) =>
          Effect.sync(() => {
            answered.add(messageId)
            kept += attachments.length
            if (text.includes("all attachments would be more than")) noted += 1
          })
      )
      const statuses = yield* Effect.forEach(
        Array.from({ length: MESSAGES }, (_, index) => index),
        (index) =>
          Effect.map(
            post(app, JSON.stringify(photoUpdate(index, "photo")), {
              "x-telegram-bot-api-secret-token": WEBHOOK_SECRET
            }),
            ({ status }) => status
          ),
        { concurrency: "unbounded" }
      )
      expect(new Set(statuses)).toEqual(new Set([200]))
      expect(answered.size).toBe(MESSAGES)
      expect(kept + noted).toBe(MESSAGES)
      expect(kept).toBe(filesBelow(directory).length)
      const { usage } = yield* AttachmentCache
      const { total } = yield* usage("telegram:42")
      expect(total).toBe(kept * JPEG.length)
      expect(total).toBeLessThanOrEqual(ROOM * JPEG.length)
      expect(kept).toBeGreaterThan(ROOM - 32)
    }).pipe(Effect.provide(worldIn(directory, { totalBytes: ROOM * JPEG.length })))
  }).pipe(Effect.scoped, Effect.provide(Logger.remove(Logger.defaultLogger)))
)
