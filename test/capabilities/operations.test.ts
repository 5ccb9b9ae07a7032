// Every operation can cross a process boundary: what goes in, comes out or fails is JSON and back.
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Effect, FastCheck, Redacted, Schema } from "effect"
import { Agents } from "../../src/capabilities/agents/Agents.js"
import { Attachments } from "../../src/capabilities/attachments/Attachments.js"
import { Files } from "../../src/capabilities/files/Files.js"
import { Network } from "../../src/capabilities/network/Network.js"
import { NetworkError } from "../../src/capabilities/network/NetworkOperations.js"
import { Process } from "../../src/capabilities/process/Process.js"
import { Records } from "../../src/capabilities/records/Records.js"
import { Secrets } from "../../src/capabilities/secrets/Secrets.js"
import { Storage } from "../../src/capabilities/storage/Storage.js"

const categories = { Network, Secrets, Storage, Files, Process, Attachments, Records, Agents }

const throughJson = <A, I>(schema: Schema.Schema<A, I>, value: A) =>
  Effect.gen(function* () {
    const encoded = yield* Schema.encode(schema)(value)
    // A result of nothing has no JSON; a message without it is the same message.
    const wire = JSON.parse(JSON.stringify({ value: encoded })) as { readonly value?: unknown }
    return yield* Schema.decodeUnknown(schema)(wire.value)
  })

/** What JSON or a plain object cannot hold is no value of an operation, though front matter is of any type. */
const isPlain = (value: unknown): boolean =>
  !/undefined|__proto__|NaN|Infinity|-0\b|\dn\b/.test(FastCheck.stringify(value))

for (const [category, { operations }] of Object.entries(categories)) {
  describe(`${category}.operations`, () => {
    for (const [name, operation] of Object.entries(operations)) {
      for (const side of ["payload", "success", "failure"] as const) {
        it.effect(`${name}: its ${side} survives JSON`, () =>
          Effect.gen(function* () {
            const schema = (operation as Record<typeof side, Schema.Schema<unknown>>)[side]
            const values = FastCheck.sample(Arbitrary.make(schema).filter(isPlain), 50)
            for (const value of values) {
              const back = yield* throughJson(schema, value)
              if (Redacted.isRedacted(value) && Redacted.isRedacted(back)) {
                expect(Redacted.value(back)).toBe(Redacted.value(value))
              } else {
                expect(JSON.stringify(back)).toBe(JSON.stringify(value))
              }
            }
          })
        )
      }
    }
  })
}

it.effect("what goes to a running command survives JSON", () =>
  Effect.gen(function* () {
    for (const bytes of FastCheck.sample(FastCheck.uint8Array(), 20)) {
      expect(yield* throughJson(Process.inputs.stdin, bytes)).toEqual(bytes)
    }
    for (const order of FastCheck.sample(Arbitrary.make(Process.inputs.orders), 20)) {
      expect(yield* throughJson(Process.inputs.orders, order)).toBe(order)
    }
  })
)

it.effect("a failure keeps its class, its message and its denial", () =>
  Effect.gen(function* () {
    const failure = new NetworkError({
      code: "HOST_NOT_ALLOWED",
      detail: "b.com is not allowed",
      denial: {
        reason: "scope_violation",
        code: "HOST_NOT_ALLOWED",
        detail: "b.com is not allowed",
        capability: "network",
        asked: "GET https://b.com/",
        held: ["a.com"],
        remedy: "declare b.com"
      }
    })
    const back = yield* throughJson(NetworkError, failure)
    expect(back).toBeInstanceOf(NetworkError)
    expect(back.message).toBe("HOST_NOT_ALLOWED: b.com is not allowed")
    expect(back.denial?.held).toEqual(["a.com"])
  })
)
