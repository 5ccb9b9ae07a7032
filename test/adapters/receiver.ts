/** A receiver as a process of its own, to be killed: it says when a message is handed over, and never ends with it. */
import { Effect, Layer } from "effect"
import { Telegram } from "../../src/adapters/index.js"
import { photoUpdate } from "./stubs/TelegramStub.js"
import { refs, worldIn } from "./world.js"

const [, , directory = "", url = "", ...files] = process.argv

const program = Effect.gen(function* () {
  const receive = yield* Telegram.make({ ...refs, baseUrls: [url], private: [new URL(url).host] })
  yield* Effect.forEach(
    files,
    (file, index) =>
      Effect.zipRight(
        receive(photoUpdate(index, file)),
        Effect.zipRight(
          Effect.sync(() => console.log(`received ${file}`)),
          Effect.never
        )
      ),
    { concurrency: "unbounded" }
  )
})

await Effect.runPromise(Effect.scoped(Effect.provide(program, Layer.fresh(worldIn(directory)))))
