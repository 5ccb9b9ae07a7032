import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Effect, Ref, Schema } from "effect"
import { Network } from "../../src/capabilities/network/Network.js"
import { Secrets } from "../../src/capabilities/secrets/Secrets.js"
import { Progress, type ProgressEvent } from "../../src/tools/Progress.js"
import * as Tool from "../../src/tools/Tool.js"

const base = {
  name: "fetch",
  description: "Fetches",
  parameters: Schema.Struct({ path: Schema.String, limit: Schema.optional(Schema.Number) })
} as const

const tool = Tool.make({
  ...base,
  capabilities: { network: { allowedHosts: ["a.com"] }, secrets: ["K"] },
  execute: ({ path }) => Effect.zipRight(Secrets.get("K"), Network.get(`https://a.com/${path}`))
})

/** What somebody passes who is not held by the types. */
const untyped = Tool.make as (options: unknown) => Tool.Any
const thrownBy = (options: object) => {
  try {
    untyped({ ...base, capabilities: {}, execute: () => Effect.void, ...options })
  } catch (error) {
    return error
  }
  return undefined
}

describe("Tool.run", () => {
  it.effect("runs against mocks", () =>
    Effect.gen(function* () {
      expect(yield* Tool.run(tool, { path: "x" })).toBe("https://a.com/x")
    }).pipe(Effect.provide(Network.mock((url) => url)), Effect.provide(Secrets.mock({ K: "v" })))
  )

  it.effect("turns a throw in execute into a defect of the run", () =>
    Effect.gen(function* () {
      const throwing = Tool.make({
        ...base,
        capabilities: {},
        execute: (): Effect.Effect<void> => {
          throw new Error("early")
        }
      })
      const cause = yield* Effect.flip(Effect.sandbox(Tool.run(throwing, { path: "" })))
      expect(Cause.pretty(cause)).toContain("early")
    })
  )
})

describe("a declaration", () => {
  it("is a frozen copy, all the way down", () => {
    const written = { network: { allowedHosts: ["a.com"] }, secrets: ["K"] }
    const made = untyped({ ...base, capabilities: written, execute: () => Effect.void })
    written.network.allowedHosts.push("evil.com")
    expect(made.capabilities).toEqual({ network: { allowedHosts: ["a.com"] }, secrets: ["K"] })
    expect(() => made.capabilities.network.allowedHosts.push("evil.com")).toThrow(TypeError)
    expect(() => Object.assign(made.capabilities, { process: {} })).toThrow(TypeError)
    expect(() => Object.assign(made, { capabilities: {} })).toThrow(TypeError)
  })

  it("is refused in one sentence when it is malformed", () => {
    for (const [capabilities, place] of [
      [{ netwrok: {} }, "capabilities.netwrok: is unexpected"],
      [{ network: { allowedHosts: "a.com" } }, "capabilities.network.allowedHosts: Expected"],
      [{ network: { allowedHosts: [], alowed: 1 } }, "capabilities.network.alowed: is unexpected"],
      [{ storage: { scope: "global", kind: "kv" } }, "capabilities.storage.scope: expected one of"],
      [{ attachments: { kinds: ["pdf"] } }, "capabilities.attachments.kinds.0: expected one of"],
      [undefined, "capabilities: Expected"]
    ] as const) {
      const error = thrownBy({ capabilities }) as Tool.ToolDefinitionError
      expect(error).toBeInstanceOf(Tool.ToolDefinitionError)
      expect(error).toBeInstanceOf(Error)
      expect(error.code).toBe("CAPABILITIES_INVALID")
      expect(error.message).toContain(`tool 'fetch' has malformed capabilities: ${place}`)
      expect(error.message).not.toContain("\n")
    }
  })

  it("is told in words", () => {
    expect(Tool.surface(tool)).toEqual(["network: a.com", "secrets: K"])
    const wide = Tool.make({
      ...base,
      capabilities: {
        network: { allowedHosts: ["a.com", "*.b.com"] },
        storage: { scope: "session", kind: "kv" },
        fs_reach: { read: "from-personality", write: ["/tmp"] },
        process: { allowedBinaries: [] },
        attachments: { kinds: "*" },
        records: { verbs: ["read"], classes: ["note"] },
        agents: { verbs: ["grant"] }
      },
      execute: () => Effect.void
    })
    expect(Tool.surface(wide)).toEqual([
      "network: a.com, *.b.com",
      "storage: session",
      "fs_reach.read: from-personality",
      "fs_reach.write: /tmp",
      "process: nothing",
      "attachments: *",
      "records: read (note)",
      "agents: grant"
    ])
  })
})

describe("a definition", () => {
  it("fills in what is not said", () => {
    expect(tool).toMatchObject({ readOnly: false, outputIsUntrusted: false })
    expect(tool.deadline).toBe(undefined)
    expect(tool.resultLimit).toBe(undefined)
    expect(tool.category).toBe(undefined)
    expect(Tool.isTool(tool)).toBe(true)
    expect(Tool.isTool({ name: "fetch" })).toBe(false)
  })

  it("keeps what is said", () => {
    const made = Tool.exact({
      ...base,
      capabilities: {},
      execute: () => Effect.void,
      deadline: "2 seconds",
      resultLimit: 100,
      readOnly: true,
      category: "web",
      outputIsUntrusted: true
    })
    expect(made).toMatchObject({ resultLimit: 100, readOnly: true, category: "web", outputIsUntrusted: true })
    expect(made.deadline).toEqual(Duration.seconds(2))
  })

  it("is refused in one sentence when a part of it makes no sense", () => {
    expect(thrownBy({ name: "a b" })).toMatchObject({
      message: "NAME_INVALID: tool 'a b' has a name that is not 1 to 64 letters, digits, '_' or '-'"
    })
    expect(thrownBy({ name: "x".repeat(65) })).toMatchObject({ code: "NAME_INVALID" })
    expect(thrownBy({ name: undefined })).toMatchObject({ code: "NAME_INVALID" })
    expect(thrownBy({ description: " " })).toMatchObject({ code: "DESCRIPTION_INVALID" })
    expect(thrownBy({ parameters: {} })).toMatchObject({
      message:
        "PARAMETERS_INVALID: tool 'fetch' has parameters that are not a Schema: write Schema.Struct({ … })"
    })
    expect(thrownBy({ execute: 1 })).toMatchObject({ code: "EXECUTE_INVALID" })
    expect(thrownBy({ deadline: "soon" })).toMatchObject({ code: "OPTION_INVALID" })
    expect(thrownBy({ deadline: 0 })).toMatchObject({ code: "OPTION_INVALID" })
    expect(thrownBy({ resultLimit: 0.5 })).toMatchObject({ code: "OPTION_INVALID" })
  })

  it("accepts names that an object would not", () => {
    expect(thrownBy({ name: "toString" })).toBe(undefined)
    expect(thrownBy({ name: "__proto__" })).toBe(undefined)
  })
})

describe("parameters", () => {
  it("are a JSON Schema of an object without other keys", () => {
    expect(Tool.jsonSchema(tool)).toMatchObject({
      type: "object",
      required: ["path"],
      properties: { path: { type: "string" }, limit: { type: "number" } },
      additionalProperties: false
    })
  })

  it("are an object even without fields", () => {
    const none = Tool.make({
      name: "none",
      description: "d",
      parameters: Schema.Struct({}),
      capabilities: {},
      execute: () => Effect.void
    })
    expect(Tool.jsonSchema(none)).toMatchObject({
      type: "object",
      properties: {},
      additionalProperties: false
    })
  })

  it.effect("decode what a model wrote, and nothing beside it", () =>
    Effect.gen(function* () {
      expect(yield* Tool.decodeArgs(tool, { path: "x", limit: 3 })).toEqual({ path: "x", limit: 3 })
      expect((yield* Effect.flip(Tool.decodeArgs(tool, { path: 1 })))._tag).toBe("ParseError")
      expect((yield* Effect.flip(Tool.decodeArgs(tool, { path: "x", other: 1 }))).message).toContain("other")
    })
  )
})

describe("progress", () => {
  const working = Tool.progress("half way", { done: 1, total: 2 })

  it.effect("is silent where nobody listens", () => working)

  it.effect("reaches a host that listens", () =>
    Effect.gen(function* () {
      const events = yield* Ref.make<ReadonlyArray<ProgressEvent>>([])
      const listener = Progress.layer((event) => Ref.update(events, (all) => [...all, event]))
      yield* Effect.zipRight(working, Tool.progress("done")).pipe(Effect.provide(listener))
      expect(yield* Ref.get(events)).toEqual([
        { message: "half way", done: 1, total: 2 },
        { message: "done" }
      ])
    })
  )
})

describe("parameters", () => {
  class Named extends Schema.Class<Named>("Named")({ city: Schema.String }) {}

  it("of a class are shown to the model as the object itself", () => {
    const schema = Tool.jsonSchema(
      Tool.make({ ...base, parameters: Named, capabilities: {}, execute: ({ city }) => Effect.succeed(city) })
    )
    expect(schema).toMatchObject({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"]
    })
  })

  it.effect("that are none accept an empty object, and nothing else", () =>
    Effect.gen(function* () {
      const none = Tool.make({
        ...base,
        parameters: Schema.Struct({}),
        capabilities: {},
        execute: () => Effect.void
      })
      yield* Tool.decodeArgs(none, {})
      for (const input of [5, "x", [1], { a: 1 }, null]) {
        expect((yield* Effect.exit(Tool.decodeArgs(none, input)))._tag).toBe("Failure")
      }
    })
  )

  const Circle = Schema.TaggedStruct("circle", { radius: Schema.Number })
  const Square = Schema.TaggedStruct("square", {
    side: Schema.Number,
    radius: Schema.optional(Schema.String)
  })

  const shown = (parameters: object) =>
    Tool.jsonSchema(
      Tool.make({
        ...base,
        parameters: parameters as Schema.Schema<object, object>,
        capabilities: {},
        execute: Effect.succeed
      })
    )

  it("that are a union are shown as one object, which says what goes together", () => {
    expect(shown(Schema.Union(Circle, Square))).toEqual({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      description: 'One of: { _tag: "circle", radius } or { _tag: "square", side, radius? }',
      required: ["_tag"],
      properties: {
        _tag: { type: "string", enum: ["circle", "square"] },
        radius: { anyOf: [{ type: "number" }, { type: "string" }] },
        side: { type: "number" }
      },
      additionalProperties: false
    })
  })

  it("that are a union keep the words of their author, and stay open where a member is", () => {
    const open = Schema.Record({ key: Schema.String, value: Schema.Number })
    const given = shown(
      Schema.Union(Circle, Schema.Union(Schema.Struct({}), open)).annotations({ description: "A shape" })
    )
    expect(given).toMatchObject({
      description: 'A shape. One of: { _tag: "circle", radius } or {} or { … }',
      required: [],
      additionalProperties: { type: "number" }
    })
  })

  it.effect("that are a union decode one of its members, and no mixture", () =>
    Effect.gen(function* () {
      const either = Tool.make({
        ...base,
        parameters: Schema.Union(Circle, Square, Schema.Struct({})),
        capabilities: {},
        execute: Effect.succeed
      })
      expect(yield* Tool.decodeArgs(either, { _tag: "circle", radius: 1 })).toEqual({
        _tag: "circle",
        radius: 1
      })
      expect(yield* Tool.decodeArgs(either, {})).toEqual({})
      for (const input of [
        { _tag: "circle", radius: 1, side: 2 },
        { _tag: "circle" },
        "circle",
        [],
        { x: 1 }
      ]) {
        expect((yield* Effect.exit(Tool.decodeArgs(either, input)))._tag).toBe("Failure")
      }
    })
  )

  it.effect("that are filtered or transformed take what a model can write", () =>
    Effect.gen(function* () {
      const Plain = Schema.Struct({
        a: Schema.String,
        n: Schema.optionalWith(Schema.Number, { default: () => 1 })
      })
      const filtered = Tool.make({
        ...base,
        parameters: Plain.pipe(Schema.filter(({ a }) => a !== "" || "a is empty")),
        capabilities: {},
        execute: Effect.succeed
      })
      expect(yield* Tool.decodeArgs(filtered, { a: "x" })).toEqual({ a: "x", n: 1 })
      expect((yield* Effect.flip(Tool.decodeArgs(filtered, { a: "" }))).message).toContain("a is empty")
      expect((yield* Effect.flip(Tool.decodeArgs(filtered, { a: "x", b: 1 }))).message).toContain("b")
      const Renamed = Schema.rename(Plain, { a: "aa" })
      const renamed = Tool.make({ ...base, parameters: Renamed, capabilities: {}, execute: Effect.succeed })
      expect(yield* Tool.decodeArgs(renamed, { a: "x" })).toEqual({ aa: "x", n: 1 })
      expect(shown(Renamed)).toMatchObject({ required: ["a"], properties: { a: {}, n: {} } })
    })
  )

  it.effect("of a class without fields take an empty object", () =>
    Effect.gen(function* () {
      class Nothing extends Schema.Class<Nothing>("Nothing")({}) {}
      const none = Tool.make({ ...base, parameters: Nothing, capabilities: {}, execute: Effect.succeed })
      expect(yield* Tool.decodeArgs(none, {})).toBeInstanceOf(Nothing)
      expect((yield* Effect.exit(Tool.decodeArgs(none, { a: 1 })))._tag).toBe("Failure")
      expect(Tool.jsonSchema(none)).toMatchObject({ type: "object", additionalProperties: false })
    })
  )

  it("that are no object make no tool", () => {
    for (const parameters of [
      Schema.String,
      Schema.Array(Circle),
      Schema.NullOr(Circle),
      Schema.Unknown,
      Schema.parseJson(Circle),
      Schema.typeSchema(Named)
    ]) {
      expect(thrownBy({ parameters })).toMatchObject({
        message:
          "PARAMETERS_INVALID: tool 'fetch' has parameters that are not an object: give a Schema.Struct, a Schema.Class, or a union of them"
      })
    }
  })

  it("that JSON Schema cannot say make no tool", () => {
    expect(thrownBy({ parameters: Schema.Struct({ when: Schema.DateFromSelf }) })).toMatchObject({
      code: "PARAMETERS_INVALID"
    })
  })
})

describe("what only the run time knows", () => {
  const made = (hosts: ReadonlyArray<string>) =>
    Tool.make({
      ...base,
      capabilities: {
        network: { allowedHosts: ["a.com", ...Tool.dynamic(hosts)] },
        secrets: [Tool.dynamic("K")]
      },
      execute: () => Effect.void
    })

  it("is declared as it is, and no more", () => {
    expect(made(["b.com"]).capabilities).toEqual({
      network: { allowedHosts: ["a.com", "b.com"] },
      secrets: ["K"]
    })
  })

  it("is read when the tool is made", () => {
    expect(() => made(["https://b.com/"])).toThrow(/^CAPABILITIES_INVALID: .*allowedHosts\.1/)
  })
})

describe("a copy of a tool", () => {
  it("is no tool, however much it looks like one", () => {
    expect(Tool.isTool(tool)).toBe(true)
    expect(Tool.isTool({ ...tool, capabilities: { process: { allowedBinaries: ["*"] } } })).toBe(false)
    expect(Tool.isTool({ [Tool.TypeId]: Tool.TypeId })).toBe(false)
  })
})
