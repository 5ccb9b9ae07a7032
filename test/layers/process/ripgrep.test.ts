/** Threat: a tool that may write the file of ripgrep puts a program of its own there, and has a search start it. */
import { existsSync, renameSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ScopedFiles from "../../../src/capabilities/files/ScopedFiles.js"
import * as NodeFiles from "../../../src/layers/node/files/NodeFiles.js"
import { holder } from "../../../src/policy/gate/Asking.js"
import { authority, directory, held, script } from "./harness.js"

describe("the ripgrep of a search", () => {
  it.scoped("is the file that was found, and no other that is put in its place", () =>
    Effect.gen(function* () {
      const [bin, root] = [yield* directory, yield* directory]
      const ripgrep = script(`${bin}/rg`, "exit 1")
      writeFileSync(`${root}/a.txt`, "needle\n")
      const files = ScopedFiles.scoped(
        holder({ authority: authority({ files: { read: [`${root}/`] } }), sandbox: held }),
        { workdir: root },
        NodeFiles.make({ ripgrep })
      )
      const search = files.search({ path: root, pattern: "needle" })
      // Only what it says is looked at.
      expect((yield* search).matches).toEqual([])
      renameSync(script(`${bin}/other`, `echo was here > ${bin}/second; exit 1`), ripgrep)
      expect((yield* search).matches).toHaveLength(1)
      expect(existsSync(`${bin}/second`)).toBe(false)
    })
  )
})
