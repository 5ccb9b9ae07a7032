/** Servers that others wrote, held to what they require: what they may they do, and nothing else. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { canHold, directory, reference, scripted, valueOf, world } from "./gatewayWorld.js"

describe("servers that others wrote", () => {
  it.scopedLive.runIf(canHold)("the filesystem server reads what it requires, and nothing beside it", () =>
    Effect.gen(function* () {
      const place = yield* directory
      const [open, shut] = [join(place, "open"), join(place, "shut")]
      mkdirSync(open)
      mkdirSync(shut)
      writeFileSync(join(open, "a.txt"), "inside")
      writeFileSync(join(shut, "b.txt"), "outside")
      // It was told that it may serve both; what it requires says otherwise.
      const { call } = yield* world([reference("filesystem", { files: { read: [`${open}/`] } }, [open, place])])
      const inside = yield* call("mcp__filesystem__read_text_file", { path: join(open, "a.txt") })
      expect(JSON.stringify(valueOf(inside))).toContain("inside")
      const outside = yield* call("mcp__filesystem__read_text_file", { path: join(shut, "b.txt") })
      expect(outside.result.ok).toBe(false)
      const written = yield* call("mcp__filesystem__write_file", { path: join(open, "c.txt"), content: "no" })
      expect(written.result.ok).toBe(false)
      expect(existsSync(join(open, "c.txt"))).toBe(false)
    })
  )
})

describe("the process of a server", () => {
  it.scopedLive("acts on what it is given", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("one", "plain")])
      expect(valueOf(yield* call("mcp__one__act", { a: [1] }))).toBe('acted on {"a":[1]}')
    })
  )
})
