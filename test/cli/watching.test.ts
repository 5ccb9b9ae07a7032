/** Whoever looks again when something changes misses nothing that changes while it looks. */
import { appendFileSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { watching } from "../../src/cli/Watching.js"

// The clock of the test stands still: nobody looks but who was told to.
it.scoped("what is written during the first look is looked at", () =>
  Effect.gen(function* () {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-watching-")))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const again = yield* Deferred.make<void>()
    let looks = 0
    yield* watching(
      () => [directory],
      () => {
        looks += 1
        if (looks === 1) appendFileSync(join(directory, "log"), "a line\n")
        else Deferred.unsafeDone(again, Effect.void)
      }
    )
    yield* Deferred.await(again)
    expect(looks).toBeGreaterThan(1)
  })
)
