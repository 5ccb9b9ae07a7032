/** Threat: hooks that settings of a repository name elsewhere are written by a child, or made by one (P15). */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { canHold } from "../process/harness.js"
import { placeOf, users } from "./abandoned.js"
import { fill } from "./folders.js"
import { git, rig } from "./swept.js"

describe.skipIf(!canHold).each(users)("Hooks elsewhere, as %s,", (_, uid) => {
  it.live("are frozen to a child, and others beside them are not", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { give, next, root, there } = yield* placeOf(uid)
        git(root, "init", "-q", ".")
        git(root, "config", "--file", ".git/config", "core.hooksPath", ".hooks")
        fill(root, { ".hooks/pre-commit": "mine", "src/x": "" })
        give(join(root, ".hooks"), join(root, ".hooks/pre-commit"), join(root, "src"))
        yield* next(
          "echo theirs > .hooks/pre-commit; echo theirs > .hooks/pre-push; mv .hooks gone; echo x > src/y; true"
        )
        expect(readFileSync(join(root, ".hooks/pre-commit"), "utf8")).toBe("mine")
        expect([there(".hooks/pre-push"), there("gone"), there("src/y")]).toEqual([false, false, true])
      })
    )
  )

  it.live("are moved away if a child makes them", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { moved, next, root, there } = yield* placeOf(uid)
        git(root, "init", "-q", ".")
        git(root, "config", "--file", ".git/config", "core.hooksPath", "tools/hooks")
        yield* next("mkdir -p tools/hooks && echo theirs > tools/hooks/pre-commit && echo x > tools/y")
        expect([moved(), there("tools/hooks"), there("tools/y")]).toEqual([["/tools/hooks"], false, true])
      })
    )
  )
})

describe("Settings of a repository", () => {
  it.scoped("are read anew once they changed, whoever changed them and however", () =>
    Effect.gen(function* () {
      const { child, quarantined, root, there } = yield* rig({ survey: { now: () => Date.now() + 60_000 } })
      git(root, "init", "-q", ".")
      yield* child(() => fill(root, { "a/pre-commit": "" }))
      expect(there("/a/pre-commit")).toBe(true)
      // In place, so that the directory shows no change.
      const text = readFileSync(join(root, ".git/config"), "utf8")
      fill(root, { ".git/config": `${text}[core]\n\thooksPath = b\n` })
      yield* child(() => fill(root, { "b/pre-commit": "" }))
      expect([Object.keys(quarantined()), there("/b")]).toEqual([["/b"], false])
    })
  )

  it.scoped("name a link, which is put back", () =>
    Effect.gen(function* () {
      const { child, root } = yield* rig()
      git(root, "init", "-q", ".")
      git(root, "config", "core.hooksPath", "led/hooks")
      fill(root, { "tools/hooks/pre-commit": "mine", "evil/hooks/pre-commit": "theirs", led: "->tools" })
      const { notes } = yield* child(() => {
        rmSync(join(root, "led"))
        fill(root, { led: "->evil" })
      })
      expect(readFileSync(join(root, "led/hooks/pre-commit"), "utf8")).toBe("mine")
      expect(notes.length).toBe(1)
    })
  )
})
