/** A few tools of every temper, and a turn that allows some of what they ask for. */
import { Builtin, RecordsBackend, Registry, Tool } from "bailiwick"
import { Context, Deferred, Effect, Logger, Schema } from "effect"
import { readNote } from "../../examples/ai/tools.js"
import * as MemoryRecords from "../../src/capabilities/records/MemoryRecords.js"
import { policyOf, turnOf, world } from "../registry/support.js"

export class Db extends Context.Tag("test/Db")<Db, { readonly count: (table: string) => number }>() {}

const countRows = Tool.make({
  name: "count_rows",
  description: "Counts the rows of a table",
  parameters: Schema.Struct({ table: Schema.String, since: Schema.optional(Schema.NumberFromString) }),
  success: Schema.Struct({ rows: Schema.Number }),
  capabilities: {},
  services: [Db],
  execute: ({ since = 0, table }) => Effect.map(Db, (db) => ({ rows: db.count(table) + since }))
})

/** Answers with everything that JSON cannot say. */
const oddities = Tool.make({
  name: "oddities",
  description: "Answers with bytes, a map and a set",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () =>
    Effect.succeed({ bytes: Buffer.from("hi"), map: new Map([["a", 1]]), set: new Set([2]), not: undefined })
})

const lines = Tool.make({
  name: "lines",
  description: "Many lines",
  parameters: Schema.Struct({ count: Schema.Number }),
  success: Schema.Array(Schema.String),
  capabilities: {},
  execute: ({ count }) => Effect.succeed(Array.from({ length: count }, (_, i) => `line ${i}`))
})

/** A tool that runs until it is interrupted, and says so. */
export const waiting = Effect.gen(function* () {
  const started = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  const wait = Tool.make({
    name: "wait",
    description: "Waits",
    parameters: Schema.Struct({}),
    capabilities: {},
    execute: () =>
      Deferred.succeed(started, undefined).pipe(
        Effect.zipRight(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
  })
  return { wait, started: Deferred.await(started), interrupted: Deferred.await(interrupted) }
})

/** Two calls of it end, or none does. */
export const meeting = Effect.gen(function* () {
  const both = yield* Deferred.make<void>()
  let here = 0
  return Tool.make({
    name: "meet",
    description: "Waits for another call",
    parameters: Schema.Struct({}),
    capabilities: {},
    execute: () =>
      Effect.suspend(() => (++here === 2 ? Deferred.succeed(both, undefined) : Deferred.await(both))).pipe(
        Effect.as("met")
      )
  })
})

export const desk = Registry.make(readNote, countRows, oddities, lines)

const reader = policyOf({ files: { read: ["/notes/"] } })

export const readerTurn = (options: Parameters<typeof turnOf>[1] = {}) =>
  turnOf(reader, { workdir: "/notes", ...options })

export const everyBuiltin = Registry.make(...Builtin.builtins)

const services = world({ files: { "/notes/a.md": "apples", "/etc/passwd": "root" } }).pipe(
  Context.add(RecordsBackend, MemoryRecords.make([], {})),
  Context.add(Db, { count: () => 3 })
)

/** The backends and services of the desk; refusals are logged nowhere. */
export const atDesk = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provide(services), Effect.provide(Logger.remove(Logger.defaultLogger)))
