/** Threat: a child closes its directories to their owner, so that what it left in them is not found, or not moved (P15). */
import { execFile } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { folder } from "./folders.js"

const NOBODY = 65_534

describe("What a child leaves behind in directories that it has closed", () => {
  it.scoped("is found and moved all the same, for who is not root", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const outfile = join(at, "program.mjs")
      yield* Effect.promise(() =>
        build({
          entryPoints: [fileURLToPath(new URL("locked.ts", import.meta.url))],
          outfile,
          bundle: true,
          platform: "node",
          format: "esm",
          conditions: ["bailiwick-source"],
          logLevel: "error"
        })
      )
      chmodSync(at, 0o755)
      chmodSync(outfile, 0o644)
      // Root is not kept out by modes. Who is not root already stays who it is.
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
        moved: [
          "/.husky",
          "/deep/inner/.envrc",
          "/repository/.git/config",
          "/repository/.git/hooks",
          "/shut/.envrc",
          "/unchanged/.envrc",
          "/unlisted/.envrc"
        ],
        unchanged: 0o555,
        notes: 7
      })
    })
  )
})
