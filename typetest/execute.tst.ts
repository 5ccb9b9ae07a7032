// Requirements that are no capability, and failures that are not declared.
import { Effect, Schema } from "effect"
import { expect, test } from "tstyche"
import { Network } from "../src/capabilities/network/Network.js"
import type { NetworkError } from "../src/capabilities/network/NetworkOperations.js"
import { Process } from "../src/capabilities/process/Process.js"
import * as Tool from "../src/tools/Tool.js"

const base = { name: "t", description: "d", parameters: Schema.Struct({ x: Schema.String }) } as const

class Boom extends Schema.TaggedError<Boom>()("Boom", {}) {}

test("an open scope in R", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"'effect/Scope' is not a capability service: close the scope with Effect.scoped"'.
    capabilities: {},
    execute: () => Effect.addFinalizer(() => Effect.void)
  })
  Tool.make({
    ...base,
    capabilities: {},
    execute: () => Effect.scoped(Effect.addFinalizer(() => Effect.void))
  })
})

test("any in R", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"execute requires 'any': capability use cannot be checked"'.
    capabilities: {},
    execute: ({ x }) => Effect.succeed(x) as Effect.Effect<string, never, any>
  })
})

test("unknown in R", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"execute requires 'unknown': capability use cannot be checked"'.
    capabilities: {},
    execute: ({ x }) => Effect.succeed(x) as Effect.Effect<string, never, unknown>
  })
})

test("a failure that is not declared", () => {
  Tool.make({
    ...base,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: add 'Boom' to the failure schema"'.
    execute: ({ x }) => (x === "" ? Effect.fail(new Boom()) : Effect.succeed(1))
  })
  Tool.make({
    ...base,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: add 'UnknownException' to the failure schema"'.
    execute: () => Effect.tryPromise(() => Promise.resolve(1))
  })
  Tool.make({
    ...base,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: add 'unknown' to the failure schema"'.
    execute: () => Effect.fail({} as unknown)
  })
  Tool.make({
    ...base,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: add 'string' to the failure schema"'.
    execute: () => Effect.fail("no")
  })
})

test("a failure that is declared, beside those of the capabilities", () => {
  const tool = Tool.make({
    ...base,
    failure: Boom,
    capabilities: { network: { allowedHosts: ["a.com"] } },
    execute: ({ x }) => (x === "" ? Effect.fail(new Boom()) : Network.get("https://a.com"))
  })
  expect<Tool.Failure<typeof tool>>().type.toBe<Boom | NetworkError>()
})

test("a success that does not fit its schema", () => {
  Tool.make({
    ...base,
    success: Schema.Struct({ n: Schema.Number }),
    capabilities: {},
    // @ts-expect-error Type 'string' is not assignable to type 'number'.
    execute: ({ x }) => Effect.succeed({ n: x })
  })
})

test("something else that is missing is not blamed on execute", () => {
  // @ts-expect-error Property 'description' is missing
  Tool.make({
    name: "t",
    parameters: Schema.Struct({ x: Schema.String }),
    capabilities: { process: { allowedBinaries: ["rm"] } },
    execute: ({ x }) => Process.spawn("rm", [x])
  })
})

test("parameters that are not a struct", () => {
  Tool.make({
    name: "t",
    description: "d",
    // @ts-expect-error Property 'fields' is missing
    parameters: Schema.String,
    capabilities: {},
    execute: () => Effect.void
  })
})
