/** The quick decoder never says anything that the schema would not say. */
import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck as fc, Schema } from "effect"
import { options, quickDecoder, unsure } from "../../src/tools/QuickDecoder.js"
import { seed, times } from "../deep.js"

type AnySchema = Schema.Schema.AnyNoContext

const atoms: ReadonlyArray<AnySchema> = [
  Schema.String,
  Schema.Number,
  Schema.Boolean,
  Schema.Unknown,
  Schema.Undefined,
  Schema.Null,
  Schema.Int,
  Schema.NonEmptyString,
  Schema.Literal("a", "b", 3),
  Schema.Union(Schema.String, Schema.Int),
  Schema.NullOr(Schema.Boolean)
]

const schemas: fc.Arbitrary<AnySchema> = fc.letrec<{ readonly any: AnySchema }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constantFrom(...atoms),
    tie("any").map((item) => Schema.Array(item)),
    fc
      .dictionary(fc.constantFrom("a", "b", "c", "d"), fc.tuple(tie("any"), fc.boolean()), {
        minKeys: 1
      })
      .map((fields) =>
        Schema.Struct(
          Object.fromEntries(
            Object.entries(fields).map(([name, [schema, isOptional]]) => [
              name,
              isOptional ? Schema.optional(schema) : schema
            ])
          )
        )
      )
  )
})).any

const hidden = Symbol("hidden")

const keys = fc.constantFrom("a", "b", "c", "d", "toString", "__proto__")

const inputs: fc.Arbitrary<unknown> = fc.letrec<{ readonly any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>("a", "", "text", 3, 1.5, Number.NaN, true, null, undefined, 1n, hidden),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.array(fc.tuple(keys, tie("any")), { maxLength: 4 }).map(Object.fromEntries),
    tie("any").map((value) => Object.defineProperty({ a: value }, "b", { value, enumerable: false })),
    tie("any").map((value) => ({ a: value, [hidden]: value })),
    tie("any").map((value) => Object.create({ a: value }))
  )
})).any

const decoderOf = (schema: AnySchema) => {
  const decode = quickDecoder(schema.ast)
  if (decode === undefined) throw new Error("it is not for this schema")
  return decode
}

describe("the quick decoder", () => {
  it("answers as the schema does, key by key, or not at all", () => {
    fc.assert(
      fc.property(schemas, inputs, (schema, input) => {
        const decoded = decoderOf(schema)(input)
        if (decoded === unsure) return
        const said = Either.getOrThrow(Schema.decodeUnknownEither(schema, options)(input))
        expect(decoded).toStrictEqual(said)
        // As text too: that shows the order of the keys.
        expect(inspect(decoded)).toBe(inspect(said))
      }),
      { numRuns: times(500), seed }
    )
  })

  it("answers for all that the schema makes", () => {
    const pairs = schemas.chain((schema) => fc.tuple(fc.constant(schema), Arbitrary.make(schema)))
    fc.assert(
      fc.property(pairs, ([schema, value]) => {
        expect(decoderOf(schema)(value)).not.toBe(unsure)
      }),
      { numRuns: 60, seed }
    )
  })

  it("takes the fields in any order, and gives them in the schema's", () => {
    const decode = decoderOf(Schema.Struct({ a: Schema.String, b: Schema.optional(Schema.Int) }))
    expect(Object.entries(decode({ b: 1, a: "x" }) as object)).toEqual([
      ["a", "x"],
      ["b", 1]
    ])
    expect(decode({ a: "x" })).toEqual({ a: "x" })
  })

  it("gives a copy, at every depth", () => {
    const given = { list: [{ a: "x" }] }
    const decode = decoderOf(Schema.Struct({ list: Schema.Array(Schema.Struct({ a: Schema.String })) }))
    const decoded = decode(given) as typeof given
    expect(decoded).toEqual(given)
    expect(decoded).not.toBe(given)
    expect(decoded.list).not.toBe(given.list)
    expect(decoded.list[0]).not.toBe(given.list[0])
  })

  it("reads a getter once", () => {
    let reads = 0
    const given = {
      get a() {
        reads += 1
        return reads === 1 ? "text" : 7
      }
    }
    expect(decoderOf(Schema.Struct({ a: Schema.String }))(given)).toEqual({ a: "text" })
    expect(reads).toBe(1)
  })

  it("leaves to the schema what transforms, waits, says how it is read, or has keys of any name", () => {
    for (const schema of [
      Schema.NumberFromString,
      Schema.Struct({ at: Schema.Date }),
      Schema.Struct({ a: Schema.optionalWith(Schema.String, { default: () => "x" }) }),
      Schema.Record({ key: Schema.String, value: Schema.String }),
      Schema.Struct({ a: Schema.String }).annotations({ parseOptions: { propertyOrder: "original" } }),
      Schema.Union(Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String })),
      Schema.suspend(() => Schema.String)
    ]) {
      expect(quickDecoder((schema as AnySchema).ast)).toBeUndefined()
    }
  })
})
