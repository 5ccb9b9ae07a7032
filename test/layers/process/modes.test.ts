/** Whether a command is held is for its policy to say, and where nothing can hold it that is said. */
import { existsSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Mode } from "../../../src/policy/Sandbox.js"
import { canHold, directory, messageOf, noted, sh, world } from "./harness.js"

/** A machine on which there is nothing to hold children with. */
const without = { sandbox: { bwrap: "/nowhere/bwrap" } }

const settings = (mode: Mode | undefined) => ({ sandbox: { mode, limits: {} } })

const REFUSED =
  /^SPAWN_FAILED: 'sh' was not started, because commands must be held by the kernel, and bwrap is not installed; .*install.*bubblewrap.*, or have the policy write 'sandbox: off'$/

describe("where nothing holds children", () => {
  it.scoped("a command that must be held does not run: required, and unwritten", () =>
    Effect.gen(function* () {
      const { as, backend, root } = yield* world(without)
      expect(yield* backend.holding).toMatchObject({ held: false, isExpected: true, kind: "not_installed" })
      for (const mode of ["required", undefined] as const) {
        expect(yield* messageOf(as(settings(mode)).spawn(sh("echo x >ran")))).toMatch(REFUSED)
      }
      expect(existsSync(`${root}/ran`)).toBe(false)
    })
  )

  it.scoped("one that is rather held runs with a warning, and one that is not runs without a word", () =>
    Effect.gen(function* () {
      const { as } = yield* world(without)
      const preferred = yield* as(settings("preferred")).spawn(sh("echo x"))
      expect(preferred).toMatchObject({ exitCode: 0, stdout: "x\n" })
      expect(preferred.notes).toEqual([
        expect.stringMatching(
          /^nothing held this command, because bwrap is not installed: it could touch all that its user may; /
        )
      ])
      expect(yield* as(settings("off")).spawn(sh("echo x"))).not.toHaveProperty("notes")
    })
  )
})

describe.skipIf(!canHold)("where something does", () => {
  it.scoped("every mode but off holds", () =>
    Effect.gen(function* () {
      const { as, backend } = yield* world()
      expect(yield* backend.holding).toMatchObject({ held: true })
      const outside = `${yield* directory}/file`
      writeFileSync(outside, "not yours")
      for (const mode of ["required", "preferred", undefined] as const) {
        const result = yield* as(settings(mode)).spawn(sh(`cat ${outside}`))
        expect(result).toMatchObject({ exitCode: 1, stdout: "", ...noted })
      }
      expect((yield* as(settings("off")).spawn(sh(`cat ${outside}`))).stdout).toBe("not yours")
    })
  )
})
