/** The threat: somebody swaps what a tool may touch for links to what it may not, while its commands start. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { has } from "../../../scripts/lib/system.js"
import { deep } from "../../deep.js"
import { authority, canHold, sh, world } from "../process/harness.js"

const SECRET = "hunter2-of-the-operator"

/** Moves each away, puts a link in its place, and moves it back, as fast as it can. */
const swapping = (pairs: ReadonlyArray<readonly [path: string, target: string]>) =>
  Effect.acquireRelease(
    Effect.sync((): ChildProcess => {
      const turns = pairs.map(
        ([path, target]) =>
          `rename("${path}","${path}.away"); symlink("${target}","${path}"); unlink("${path}"); rename("${path}.away","${path}");`
      )
      return spawn("perl", ["-e", `while (getppid() != 1) { ${turns.join(" ")} }`], { stdio: "ignore" })
    }),
    (child) =>
      Effect.async<void>((resume) => {
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )

const place = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "race-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe.skipIf(!canHold || !has("perl"))("what is swapped for a link while children start", () => {
  it.live("leads none of them out: neither trees nor files nor what is above them", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const base = yield* place
        const [inside, outside] = [join(base, "in"), join(base, "out")]
        for (const path of ["above/tree", "above/written", "tree", "written"]) {
          mkdirSync(join(inside, path), { recursive: true })
          mkdirSync(join(outside, path), { recursive: true })
          writeFileSync(join(inside, path, "file"), "mine\n")
          writeFileSync(join(outside, path, "file"), `${SECRET}\n`)
        }
        writeFileSync(join(inside, "file"), "mine\n")
        writeFileSync(join(outside, "file"), `${SECRET}\n`)
        const seen = ["tree", "written", "above/tree", "above/written"].map((path) => `${inside}/${path}`)
        const { operations } = yield* world({ children: 16 }, (root) =>
          authority({
            process: { exec: [{ argv: "*", in: `${root}/` }] },
            files: {
              read: [...seen.map((path) => `${path}/`), `${inside}/file`],
              write: seen.filter((path) => path.endsWith("written")).map((path) => `${path}/`)
            }
          })
        )
        const reading = [...seen.map((path) => `${path}/file`), `${inside}/file`].join(" ")
        const writing = seen.map((path) => `(: >${path}/made) 2>/dev/null`).join("; ")
        yield* swapping(
          ["tree", "written", "above", "file"].map((name) => [`${inside}/${name}`, `${outside}/${name}`])
        )
        const ends = yield* Effect.forEach(
          Array.from({ length: deep ? 600 : 80 }, (_, i) => i),
          () => Effect.either(operations.spawn(sh(`cat ${reading} 2>/dev/null; ${writing}; echo done`))),
          { concurrency: 8 }
        )
        const outputs = ends.flatMap((end) => (Either.isRight(end) ? [end.right.stdout] : []))
        expect(outputs.filter((text) => text.includes(SECRET))).toEqual([])
        expect(
          readdirSync(outside, { recursive: true }).filter((name) => String(name).endsWith("made"))
        ).toEqual([])
        // Most start, and see what they may; the others are told to try again.
        expect(outputs.filter((text) => text.includes("mine")).length).toBeGreaterThan(0)
        const failures = ends.flatMap((end) => (Either.isLeft(end) ? [end.left.message] : []))
        expect(
          failures.filter((message) => !/^SPAWN_FAILED: 'sh' was not started, because what /.test(message))
        ).toEqual([])
      })
    )
  )
})
