/** Whoever is not root may not enter the namespace of a child as it stands: it enters the one that owns it first. */
import { execFile, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { has } from "../../../../scripts/lib/system.js"

const canRun = has("bwrap") && has("perl") && has("curl")

const NOBODY = 65_534

/** The program in one file that anybody may read. */
const program = Effect.gen(function* () {
  const at = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "bailiwick-unprivileged-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
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
  return outfile
})

/** Who is not root already stays who it is. */
const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

const surroundings = { ...as, cwd: "/", env: { PATH: process.env.PATH } }

const isGone = (pid: number): boolean => {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return true
  }
}

const turn = Effect.promise(() => new Promise((done) => setImmediate(done)))

describe.skipIf(!canRun)("The network of a child", () => {
  it.scoped("is there for an unprivileged user as well", () =>
    Effect.gen(function* () {
      const file = yield* program
      const answer = yield* Effect.async<string>((resume) => {
        execFile(process.execPath, [file], surroundings, (_, stdout, stderr) =>
          resume(Effect.succeed(stdout === "" ? stderr : stdout))
        )
      })
      expect(JSON.parse(answer)).toEqual({
        user: process.getuid?.() === 0 ? NOBODY : process.getuid?.(),
        said: ["GET a.test", "HOST_NOT_ALLOWED: b.test", "GET a.test", ""],
        events: ["allowed GET http://a.test/", "refused GET http://b.test/", "allowed GET http://a.test/"]
      })
    })
  )

  it.scoped("leaves no helper when its program is killed", () =>
    Effect.gen(function* () {
      const file = yield* program
      const child = spawn(process.execPath, [file, "hold"], {
        ...surroundings,
        stdio: ["ignore", "pipe", "inherit"]
      })
      const said = yield* Effect.async<string>((resume) => {
        child.stdout.once("data", (chunk) => resume(Effect.succeed(String(chunk))))
        child.once("exit", () => resume(Effect.succeed("")))
      })
      expect(said).toMatch(/^\d+\n$/)
      expect(isGone(Number(said))).toBe(false)
      child.kill("SIGKILL")
      while (!isGone(Number(said))) yield* turn
    })
  )
})
