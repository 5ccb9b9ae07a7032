/** Threat: a receiver that is killed in the middle of a file, or between a file and the program that was to answer it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Telegram } from "../../src/adapters/index.js"
import { AttachmentCache } from "../../src/layers/node/attachments/AttachmentCache.js"
import { temporary } from "../layers/attachments/temporary.js"
import { photoUpdate, telegramStub } from "./stubs/TelegramStub.js"
import { filesBelow, JPEG, refs, worldIn } from "./world.js"

it.live(
  "what a killed receiver leaves half written is gone when the next begins, and its messages are received whole",
  () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const stub = yield* telegramStub
      const options = { ...refs, baseUrls: [stub.url], private: [stub.endpoint] }
      stub.files.set("whole", { body: JPEG })
      for (const id of ["half-1", "half-2", "half-3"]) stub.files.set(id, { body: JPEG, isStuck: true })
      const child = spawn(
        process.execPath,
        [
          "--import",
          "tsx",
          join(import.meta.dirname, "receiver.ts"),
          directory,
          stub.url,
          "half-1",
          "half-2",
          "half-3",
          "whole"
        ],
        { stdio: ["ignore", "pipe", "inherit"] }
      )
      yield* Effect.promise(async () => {
        for await (const line of createInterface({ input: child.stdout }))
          if (line === "received whole") break
      })
      // The drafts are opened before the files are asked for, and these are asked for with the one that came.
      yield* Effect.repeat(
        Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
        { until: () => filesBelow(directory).length === 4 }
      )
      child.kill("SIGKILL")
      yield* Effect.promise(() => once(child, "exit"))
      expect(filesBelow(directory).filter((name) => name.startsWith("."))).toHaveLength(3)

      for (const id of ["half-1", "half-2", "half-3"]) stub.files.set(id, { body: JPEG })
      yield* Effect.gen(function* () {
        expect(filesBelow(directory).filter((name) => name.startsWith("."))).toEqual([])
        const receive = yield* Telegram.make(options)
        const messages = yield* Effect.forEach(["half-1", "half-2", "half-3", "whole"], (id, index) =>
          Effect.map(receive(photoUpdate(index, id)), Option.getOrThrow)
        )
        expect(messages.map(({ attachments }) => attachments.length)).toEqual([1, 1, 1, 1])
        // The one that was whole already is there once.
        expect(filesBelow(directory)).toHaveLength(4)
        const { usage } = yield* AttachmentCache
        expect(yield* usage("telegram:42")).toEqual({ session: 4 * JPEG.length, total: 4 * JPEG.length })
      }).pipe(Effect.provide(worldIn(directory)))
    }).pipe(Effect.scoped)
)
