// Requirements that are no capability, and failures that are not declared.
import { Config, Data, Effect, Option, Schema } from "effect"
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
    // @ts-expect-error is not assignable to type '"failure not declared: write 'failure: Boom' where Boom is a Schema.TaggedError, add it to the Schema.Union that is there, or handle it with Effect.catchTag('Boom', …)"'.
    execute: ({ x }) => (x === "" ? Effect.fail(new Boom()) : Effect.succeed(1))
  })
  Tool.make({
    ...base,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: 'UnknownException': give Effect.try or Effect.tryPromise a 'catch' that makes a failure of your own"'.
    execute: () => Effect.tryPromise(() => Promise.resolve(1))
  })
  Tool.make({
    ...base,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: execute fails with 'unknown': map it to a Schema.TaggedError with Effect.mapError, and give that as failure"'.
    execute: () => Effect.fail({} as unknown)
  })
  Tool.make({
    ...base,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: write 'failure: Schema.String', or fail with a Schema.TaggedError"'.
    execute: () => Effect.fail("no")
  })
  Tool.make({
    ...base,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: an Error without a tag: fail with a Schema.TaggedError, and give it as failure"'.
    execute: () => Effect.fail(new Error("no"))
  })
  Tool.make({
    ...base,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: fail with a Schema.TaggedError, and give it as failure"'.
    execute: () => Effect.fail({ code: 1 })
  })
})

test("a failure of Effect itself, which has no schema", () => {
  Tool.make({
    ...base,
    capabilities: { network: { allowedHosts: ["a.com"] } },
    // @ts-expect-error is not assignable to type '"failure not declared: 'TimeoutException': write Effect.timeoutFail with a failure of your own, or set the option 'deadline'"'.
    execute: () => Effect.timeout(Network.get("https://a.com"), "1 second")
  })
  Tool.make({
    ...base,
    failure: Boom,
    capabilities: { network: { allowedHosts: ["a.com"] } },
    execute: () =>
      Effect.timeoutFail(Network.get("https://a.com"), { duration: "1 second", onTimeout: () => new Boom() })
  })
  Tool.make({
    ...base,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: 'ParseError': map it to a failure of your own with Effect.mapError, or end the call with Effect.orDie"'.
    execute: ({ x }) => Schema.decodeUnknown(Schema.Number)(x)
  })
  Tool.make({
    ...base,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: 'ConfigError': read configuration where the tool is made, or map it to a failure of your own with Effect.mapError"'.
    execute: () => Config.string("X")
  })
  Tool.make({
    ...base,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: 'NoSuchElementException': handle it with Effect.catchTag, or map it to a failure of your own with Effect.mapError"'.
    execute: () => Option.some(1)
  })
})

test("a failure without a schema, beside one that is declared", () => {
  class Own extends Data.TaggedError("Own")<{}> {}
  Tool.make({
    ...base,
    failure: Boom,
    capabilities: {},
    // @ts-expect-error is not assignable to type '"failure not declared: write 'failure: Own' where Own is a Schema.TaggedError, add it to the Schema.Union that is there, or handle it with Effect.catchTag('Own', …)"'.
    execute: ({ x }) => (x === "" ? Effect.fail(new Boom()) : Effect.fail(new Own()))
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

const untold = { name: "t", description: "d", capabilities: {} } as const

test("parameters of every kind that is an object", () => {
  const Plain = Schema.Struct({
    a: Schema.String,
    b: Schema.optionalWith(Schema.Number, { default: () => 1 })
  })
  class Point extends Schema.Class<Point>("Point")({ lat: Schema.Number }) {}
  class Circle extends Schema.TaggedClass<Circle>()("Circle", { radius: Schema.Number }) {}
  const plain = Tool.make({ ...untold, parameters: Plain, execute: ({ b }) => Effect.succeed(b) })
  expect(plain.parameters).type.toBe<typeof Plain>()
  expect<Tool.Success<typeof plain>>().type.toBe<number>()
  const point = Tool.make({ ...untold, parameters: Point, execute: (p) => Effect.succeed(p) })
  expect(point.parameters).type.toBe<typeof Point>()
  expect<Tool.Args<typeof point>>().type.toBe<Point>()
  const either = Tool.make({
    ...untold,
    parameters: Schema.Union(Plain, Circle),
    execute: (p) => Effect.succeed("radius" in p ? p.radius : p.a)
  })
  expect<Tool.Success<typeof either>>().type.toBe<string | number>()
  Tool.make({
    ...untold,
    parameters: Plain.pipe(Schema.filter(({ a }) => a !== "")),
    execute: ({ a }) => Effect.succeed(a.length)
  })
  Tool.make({
    ...untold,
    parameters: Plain.pipe(Schema.extend(Schema.Struct({ c: Schema.Boolean }))),
    execute: ({ a, c }) => Effect.succeed(c ? a : "")
  })
  const Renamed = Schema.rename(Plain, { a: "aa" })
  Tool.make({ ...untold, parameters: Renamed, execute: ({ aa }) => Effect.succeed(aa.length) })
  Tool.make({ ...untold, parameters: Schema.typeSchema(Plain), execute: ({ a }) => Effect.succeed(a) })
  const Text = Schema.transform(Plain, Schema.String, { decode: ({ a }) => a, encode: (a) => ({ a, b: 1 }) })
  Tool.make({ ...untold, parameters: Text, execute: (text) => Effect.succeed(text.length) })
})

test("parameters that are no object", () => {
  const execute = () => Effect.void
  // @ts-expect-error is not assignable to type '"parameters are not an object: give a Schema.Struct, a Schema.Class, or a union of them"'.
  Tool.make({ ...untold, parameters: Schema.String, execute })
  // @ts-expect-error is not assignable to type '"parameters are not an object: give a Schema.Struct, a Schema.Class, or a union of them"'.
  Tool.make({ ...untold, parameters: Schema.NullOr(base.parameters), execute })
  // @ts-expect-error is not assignable to type '"parameters are not an object: give a Schema.Struct, a Schema.Class, or a union of them"'.
  Tool.make({ ...untold, parameters: Schema.Array(base.parameters), execute })
  // @ts-expect-error is not assignable to type '"parameters are not an object: give a Schema.Struct, a Schema.Class, or a union of them"'.
  Tool.make({ ...untold, parameters: Schema.Unknown, execute })
  // @ts-expect-error is not assignable to type '"parameters are not a schema: write Schema.Struct({ … })"'.
  Tool.make({ ...untold, parameters: { x: Schema.String }, execute })
  const Looked = Schema.Struct({ x: Schema.String as Schema.Schema<string, string, Network> })
  // @ts-expect-error is not assignable to type '"parameters need a service to be decoded: take plain values, and look things up in execute"'.
  Tool.make({ ...untold, parameters: Looked, execute })
})
