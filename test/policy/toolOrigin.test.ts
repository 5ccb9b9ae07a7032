/** Where tools come from: who may say so, and what that keeps apart. */

import { Registry, Tool } from "bailiwick"
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { isModuleName, ownerOf } from "../../src/policy/ToolOrigin.js"

const tool = Tool.make({
  name: "keep",
  description: "Keeps",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () => Effect.void
})

describe("an origin", () => {
  it("keeps what a tool has for itself from every other origin of that name", () => {
    const owners = [{}, { plugin: "a" }, { module: "a" }, { module: "b/a" }, { server: "a" }].map((origin) =>
      ownerOf("keep", origin)
    )
    expect(new Set(owners).size).toBe(owners.length)
  })

  it("is one, and a module is a path that a reader sees whole", async () => {
    const register = (origin: Registry.RegisterOptions) =>
      Effect.runPromise(Effect.either(Effect.scoped(Registry.make().register(tool, origin))))
    expect(await register({ module: "tools/a.js" })).toMatchObject({ _tag: "Right" })
    expect(await register({ module: "tools/a.js", plugin: "a" })).toMatchObject({ _tag: "Left" })
    expect(await register({ module: "../a.js" })).toMatchObject({
      _tag: "Left",
      left: { code: "TOOL_MALFORMED" }
    })
    const names = ["a.js", "tools/my tool.js", "@acme/tools/x"]
    const others = ["", "/a", "a//b", "./a", "a/../b", "a\u200b", "a\nb", " a", "a ", "x".repeat(2000)]
    expect([...names, ...others].filter(isModuleName)).toEqual(names)
  })
})
