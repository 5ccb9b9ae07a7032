/** Servers that others wrote, held to what they require: what they may they do, and nothing else. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { canHold, directory, reference, valueOf, world } from "./gatewayWorld.js"

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
      const { call } = yield* world([
        reference("filesystem", { files: { read: [`${open}/`] } }, [open, place])
      ])
      const inside = yield* call("mcp__filesystem__read_text_file", { path: join(open, "a.txt") })
      expect(JSON.stringify(valueOf(inside))).toContain("inside")
      const outside = yield* call("mcp__filesystem__read_text_file", { path: join(shut, "b.txt") })
      expect(outside.result.ok).toBe(false)
      const written = yield* call("mcp__filesystem__write_file", { path: join(open, "c.txt"), content: "no" })
      expect(written.result.ok).toBe(false)
      expect(existsSync(join(open, "c.txt"))).toBe(false)
    })
  )

  it.scopedLive.runIf(canHold)(
    "the memory server keeps what it is told where it may write, and nowhere else",
    () =>
      Effect.gen(function* () {
        const place = yield* directory
        const { call } = yield* world([
          reference("memory", { files: { read: [`${place}/`], write: [`${place}/`] } })
        ])
        const made = yield* call("mcp__memory__create_entities", {
          entities: [{ name: "n", entityType: "t", observations: ["o"] }]
        })
        // It wants to write beside its own code, which it sees and cannot change.
        expect(made.result.ok).toBe(false)
        expect((yield* call("mcp__memory__read_graph")).result.ok).toBe(true)
      })
  )

  it.scopedLive("the server of everything answers in its kinds of content", () =>
    Effect.gen(function* () {
      const { call, registry } = yield* world([reference("everything", {})])
      expect(valueOf(yield* call("mcp__everything__echo", { message: "hello" }))).toBe("Echo: hello")
      expect(registry.tools.size).toBeGreaterThan(5)
      expect(registry.tools.get("mcp__everything__echo")?.outputIsUntrusted).toBe(true)
      const image = yield* call("mcp__everything__get-tiny-image")
      expect(valueOf(image)).toContainEqual(expect.objectContaining({ type: "image", mimeType: "image/png" }))
    })
  )
})
