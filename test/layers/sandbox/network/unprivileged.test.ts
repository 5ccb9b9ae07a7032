/** Whoever is not root may not enter the namespace of a child as it stands: it enters the one that owns it first. */
import { execFile } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { has } from "../../../../scripts/lib/system.js"

const canRun = has("bwrap") && has("perl") && has("curl")

const NOBODY = 65_534

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bailiwick-unprivileged-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe.skipIf(!canRun)("The network of a child", () => {
  it.scoped("is there for an unprivileged user as well", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const outfile = join(at, "program.mjs")
      yield* Effect.promise(() =>
        build({
          entryPoints: [fileURLToPath(new URL("unprivileged.ts", import.meta.url))],
          outfile,
          bundle: true,
          platform: "node",
          format: "esm",
          conditions: ["bailiwick-source"],
          banner: {
            js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'
          },
          logLevel: "error"
        })
      )
      chmodSync(at, 0o755)
      chmodSync(outfile, 0o644)
      // Who is not root already stays who it is.
      const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
      const answer = yield* Effect.async<string>((resume) => {
        execFile(
          process.execPath,
          [outfile],
          { ...as, cwd: "/", env: { PATH: process.env.PATH } },
          (_, stdout, stderr) => resume(Effect.succeed(stdout === "" ? stderr : stdout))
        )
      })
      expect(JSON.parse(answer)).toEqual({
        user: process.getuid?.() === 0 ? NOBODY : process.getuid?.(),
        said: ["GET a.test", "HOST_NOT_ALLOWED: b.test", "GET a.test", ""],
        events: ["allowed GET http://a.test/", "refused GET http://b.test/", "allowed GET http://a.test/"]
      })
    })
  )
})
