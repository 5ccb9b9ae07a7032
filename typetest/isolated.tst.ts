// The tools of a module that is not loaded: their types are the module's own.
import type { Effect, Scope } from "effect"
import { describe, expect, test } from "tstyche"
import type { IsolatedError } from "../src/isolated/host/IsolatedError.js"
import * as Isolated from "../src/isolated/index.js"
import * as Registry from "../src/registry/Registry.js"
import type * as Tool from "../src/tools/Tool.js"
import type * as basic from "../test/isolated/modules/basic.js"

type Module = typeof basic

const made = Isolated.toolkit<Module>(new URL("./basic.js", import.meta.url), { per: "call", spares: 2 })

declare const kit: Isolated.ToolsOf<typeof basic>

describe("the toolkit of a module", () => {
  test("needs a scope, and fails in one way", () => {
    expect<typeof made>().type.toBeAssignableTo<
      Effect.Effect<Isolated.ToolsOf<Module>, IsolatedError, Scope.Scope>
    >()
  })

  test("has its tools, and nothing else of it", () => {
    expect(kit.title).type.toBe<Module["title"]>()
    expect(kit).type.not.toHaveProperty("helper")
    expect(kit.list).type.toBeAssignableTo<ReadonlyArray<Tool.Any>>()
  })

  test("keeps arguments typed in a registry", () => {
    const registry = Registry.make(kit.title)
    expect(registry.call).type.toBeCallableWith("title", { path: "x" })
    expect(registry.call).type.not.toBeCallableWith("title", { path: 1 })
  })
})
