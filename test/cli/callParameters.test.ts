/** Words of a command line become arguments by the schema of a tool, and lose nothing on the way. */
import { Tool } from "bailiwick"
import { Effect, FastCheck as fc, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { CliError } from "../../src/cli/CliError.js"
import { argumentsOf, parametersOf } from "../../src/cli/commands/call/parameters.js"
import { typed } from "../../src/cli/commands/call/toolHelp.js"
import { codePoint } from "../codePoints.js"
import { times } from "../deep.js"

interface Tree {
  readonly name: string
  readonly below: ReadonlyArray<Tree>
}

const Tree = Schema.Struct({
  name: Schema.String,
  below: Schema.Array(Schema.suspend((): Schema.Schema<Tree> => Tree))
}).annotations({ identifier: "Tree" })

const tool = (fields: Schema.Struct.Fields) =>
  parametersOf(
    "sample",
    Tool.jsonSchema(
      Tool.make({
        name: "sample",
        description: "takes what it is given",
        parameters: Schema.Struct(fields as Record<string, Schema.Schema.AnyNoContext>),
        capabilities: {},
        execute: () => Schema.decodeUnknown(Schema.Unknown)(undefined)
      } as never)
    )
  )

const read = (fields: Schema.Struct.Fields, ...words: ReadonlyArray<string>) =>
  argumentsOf(tool(fields), words)

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof CliError && error.exit === 2) return error.message
    throw error
  }
  throw new Error("it was taken")
}

describe("a value is read by its schema", () => {
  const one = (schema: Schema.Schema.AnyNoContext, text: string) => read({ x: schema }, `x=${text}`).x

  it.each([
    ["text stays text", Schema.String, "42", "42"],
    ["text may hold equals signs", Schema.String, "a=b=c", "a=b=c"],
    ["text may be empty", Schema.String, "", ""],
    ["text may begin like an option", Schema.String, "--json", "--json"],
    ["text keeps its quotes", Schema.String, '"a"', '"a"'],
    ["text that names a file is no file", Schema.String, "@notes.md", "@notes.md"],
    ["a number", Schema.Number, "47.6", 47.6],
    ["a number below zero", Schema.Number, "-122.3", -122.3],
    ["a number with an exponent", Schema.Number, "1e3", 1000],
    ["a whole number", Schema.Int, "7", 7],
    ["a number that is decoded from text", Schema.NumberFromString, "7", "7"],
    ["true", Schema.Boolean, "true", true],
    ["false", Schema.Boolean, "false", false],
    ["null", Schema.Null, "null", null],
    ["a list as JSON", Schema.Array(Schema.Number), "[1, 2]", [1, 2]],
    ["an empty list", Schema.Array(Schema.Number), "[]", []],
    ["the one item of a list", Schema.Array(Schema.String), "a", ["a"]],
    ["the one number of a list", Schema.Array(Schema.Number), "1.5", [1.5]],
    ["a tuple", Schema.Tuple(Schema.String, Schema.Number), '["a", 1]', ["a", 1]],
    ["an object as JSON", Schema.Struct({ a: Schema.Number }), '{"a": 1}', { a: 1 }],
    ["a tree of itself", Tree, '{"name":"a","below":[]}', { name: "a", below: [] }],
    ["one of several", Schema.Literal("utf8", "base64"), "base64", "base64"],
    ["one of several numbers", Schema.Literal(1, 2), "2", 2],
    ["JSON that is decoded by the tool is text", Schema.parseJson(), '{"a":1}', '{"a":1}'],
    ["text or nothing, as text", Schema.NullOr(Schema.String), "a", "a"],
    ["text or nothing, as nothing", Schema.NullOr(Schema.String), "null", null],
    ["text or nothing, as the text null", Schema.NullOr(Schema.String), '"null"', "null"],
    ["text or number, as number", Schema.Union(Schema.String, Schema.Number), "42", 42],
    ["text or number, as text in quotes", Schema.Union(Schema.String, Schema.Number), '"42"', "42"],
    [
      "text or number: what no number would be written as",
      Schema.Union(Schema.String, Schema.Number),
      "007",
      "007"
    ],
    [
      "text or number: digits that a number would lose",
      Schema.Union(Schema.String, Schema.Number),
      "1.10",
      "1.10"
    ],
    [
      "text or number: more digits than a number has",
      Schema.Union(Schema.Number, Schema.String),
      "12345678901234567890",
      "12345678901234567890"
    ],
    ["text or list, as text", Schema.Union(Schema.String, Schema.Array(Schema.String)), "a", "a"],
    ["text or list, as list", Schema.Union(Schema.String, Schema.Array(Schema.String)), '["a"]', ["a"]],
    ["number or list, as number", Schema.Union(Schema.Number, Schema.Array(Schema.Number)), "1", 1],
    ["a literal or its number", Schema.Literal(1, "1"), "1", 1],
    ["a literal or its number, in quotes", Schema.Literal(1, "1"), '"1"', "1"],
    ["text where true is no choice", Schema.Union(Schema.String, Schema.Number), "true", "true"],
    ["anything, as JSON", Schema.Unknown, '{"a":[1]}', { a: [1] }],
    ["anything, as text", Schema.Unknown, "hello {", "hello {"]
  ] as const)("%s", (_title, schema, text, expected) => {
    expect(one(schema as Schema.Schema.AnyNoContext, text)).toEqual(expected)
  })

  it.each([
    ["a number that is none", Schema.Number, "abc", "x takes a number, and not 'abc'"],
    ["a number of nothing", Schema.Number, "", "x takes a number, and not ''"],
    ["what JSON writes otherwise", Schema.Number, "0x10", "x takes a number, and not '0x10'"],
    ["no number at all", Schema.Number, "NaN", "x takes a number, and not 'NaN'"],
    ["a number without end", Schema.Number, "1e999", "too large to be kept exactly"],
    ["more digits than a number has", Schema.Int, "12345678901234567890", "too large to be kept exactly"],
    ["a part of a whole number", Schema.Int, "1.5", "x takes a whole number, and not '1.5'"],
    ["yes", Schema.Boolean, "yes", "x takes true or false, and not 'yes'"],
    ["1 for true", Schema.Boolean, "1", "x takes true or false, and not '1'"],
    ["True", Schema.Boolean, "True", "x takes true or false, and not 'True'"],
    [
      "a slip of a literal",
      Schema.Literal("utf8", "base64"),
      "utf-8",
      "'utf8' or 'base64', and not 'utf-8'; did you mean 'utf8'?"
    ],
    [
      "text for an object",
      Schema.Struct({ a: Schema.Number }),
      "a",
      "x takes an object as JSON, and not 'a'"
    ],
    ["a list for an object", Schema.Struct({ a: Schema.Number }), "[]", "x takes an object as JSON"],
    [
      "half an object",
      Schema.Struct({ a: Schema.Number }),
      '{"a":',
      "as JSON it is wrong at character 6: it ends in the middle"
    ],
    ["a key twice", Schema.Struct({ a: Schema.Number }), '{"a":1,"a":2}', 'the key "a" stands here twice'],
    [
      "half a list",
      Schema.Array(Schema.String),
      "[a",
      "as JSON it is wrong at character 2: a value is expected here"
    ],
    ["nothing for a list", Schema.Array(Schema.String), "", "x takes a list of texts, and not ''"],
    [
      "a wrong item",
      Schema.Array(Schema.Int),
      "a",
      "x takes a list of whole numbers, and an item of it takes a whole number, and not 'a'"
    ]
  ] as const)("%s is refused", (_title, schema, text, words) => {
    expect(refusal(() => one(schema as Schema.Schema.AnyNoContext, text))).toContain(words)
  })

  it("a long value is shown short, and nothing in it writes over the line", () => {
    const sentence = refusal(() => one(Schema.Number, `\u001b[2J${"9".repeat(5000)}x`))
    expect(sentence.length).toBeLessThan(200)
    expect(sentence).not.toContain("\u001b")
  })
})

describe("parameters", () => {
  const fields = { lat: Schema.Number, lon: Schema.Number, note: Schema.optional(Schema.String) }
  const open = Schema.Record({ key: Schema.String, value: Schema.String })
  const lists = {
    args: Schema.Array(Schema.String),
    pair: Schema.optional(Schema.Tuple(Schema.String, Schema.Number))
  }

  it("come in any order, and may be left out where the schema says so", () => {
    expect(read(fields, "lon=-122.3", "lat=47.6")).toEqual({ lat: 47.6, lon: -122.3 })
    expect(read({})).toEqual({})
  })

  it("given again and again make a list, each read as an item", () => {
    expect(read(lists, "args=-e", "args=[abc]", "args=")).toEqual({ args: ["-e", "[abc]", ""] })
    expect(read(lists, "args=x", "pair=7", "pair=7")).toEqual({ args: ["x"], pair: ["7", 7] })
    const either = { x: Schema.Union(Schema.String, Schema.Array(Schema.String)) }
    expect(read(either, "x=a", "x=b")).toEqual({ x: ["a", "b"] })
  })

  it.each([
    [["lta=1", "lon=2"], "sample has no parameter 'lta', only lat, lon and note; did you mean 'lat'?"],
    [["lat=1"], "sample needs lon, which takes a number; 'bailiwick call sample --help' says more"],
    [[], "sample needs lat and lon; "],
    [["lat=1", "lon=2", "lat=3"], "lat is given twice, and takes a number; keep one"],
    [["lat", "1"], "'lat' is not a parameter of sample: write lat=VALUE"],
    [["=1"], "'=1' is not a parameter of sample: write KEY=VALUE"],
    [["-", "lat=1"], "'-' reads all parameters from standard input; give it alone"],
    [["note.a=1", "lat=1", "lon=1"], "sample has no parameter 'note.a', only"],
    [["__proto__=1"], "sample has no parameter '__proto__', only"],
    [["toString=1"], "sample has no parameter 'toString', only"],
    [["constructor=1"], "sample has no parameter 'constructor', only"]
  ])("%j is refused: %s", (words, sentence) => {
    expect(refusal(() => read(fields, ...words))).toContain(sentence)
  })

  it("of an object are written as JSON, and the sentence says so", () => {
    expect(refusal(() => read({ headers: open }, "headers.accept=x"))).toContain(
      `what is inside of headers is written as JSON, as in headers='{"key":"value"}'`
    )
  })

  it("a tool without any says so", () => {
    expect(refusal(() => read({}, "a=1"))).toBe("sample takes no parameters, and 'a' is given")
  })

  it("may have the names of what every object has, and change no object", () => {
    expect(read({ toString: Schema.Number }, "toString=1")).toEqual({ toString: 1 })
    const parsed = argumentsOf(parametersOf("t", { additionalProperties: { type: "number" } }), [
      "__proto__=1"
    ])
    expect(Object.keys(parsed)).toEqual(["__proto__"])
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
  })

  it("of any name are read where the schema is open", () => {
    const schema = {
      type: "object",
      patternProperties: { "^n_": { type: "number" } },
      additionalProperties: { type: "string" }
    }
    expect(argumentsOf(parametersOf("t", schema), ["n_a=1", "b=1"])).toEqual({ n_a: 1, b: "1" })
  })
})

describe("schemas of strangers", () => {
  const value = (schema: object, text: string) => argumentsOf(parametersOf("t", schema), [`x=${text}`]).x

  it("refer, combine and name several types", () => {
    const $defs = { Count: { type: "integer" }, Name: { const: "a" }, "odd/name": { type: "boolean" } }
    const of = (x: unknown) => ({ properties: { x }, $defs })
    expect(value(of({ $ref: "#/$defs/Count" }), "1")).toBe(1)
    expect(value(of({ $ref: "#/$defs/odd~1name" }), "true")).toBe(true)
    expect(value(of({ type: ["integer", "null"] }), "null")).toBe(null)
    expect(value(of({ allOf: [{ type: "string" }, { minLength: 1 }] }), "1")).toBe("1")
    expect(value(of({ oneOf: [{ $ref: "#/$defs/Count" }, { $ref: "#/$defs/Name" }] }), "a")).toBe("a")
    expect(
      value(of({ type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } }), "1")
    ).toEqual(["1"])
    expect(refusal(() => value(of({ $ref: "#/$defs/Count" }), "x"))).toContain("a whole number")
    expect(refusal(() => value(of(false), "x"))).toContain("x takes nothing")
  })

  it("that go in circles or double at each step are still read", () => {
    const circle = {
      properties: { x: { $ref: "#/$defs/A" } },
      $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }, { type: "number" }] } }
    }
    expect(value(circle, "1")).toBe(1)
    const steps = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => {
        const next = { $ref: `#/$defs/s${at + 1}` }
        return [`s${at}`, { anyOf: [next, next] }]
      })
    )
    const doubling = {
      properties: { x: { $ref: "#/$defs/s0" } },
      $defs: { ...steps, s60: { type: "number" } }
    }
    expect(value(doubling, "1")).toBe(1)
    expect(value({ properties: { x: { $ref: "#/toString" } } }, "1")).toBe(1)
    expect(value({ properties: { x: { $ref: "elsewhere.json" } } }, "a")).toBe("a")
  })
})

/** A schema with a value of it. */
const pair: fc.Arbitrary<readonly [Schema.Schema.AnyNoContext, unknown]> = (() => {
  const text = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.constantFrom("1", "1.0", "-0", "true", "null", '"a"', "[", "[1]", "{}", "", "a=b", "--x", "\n")
  )
  const number = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((one) => (Object.is(one, -0) ? 0 : one))
  const int = fc.integer()
  const scalars = [
    text.map((value) => [Schema.String, value] as const),
    number.map((value) => [Schema.Number, value] as const),
    int.map((value) => [Schema.Int, value] as const),
    fc.boolean().map((value) => [Schema.Boolean, value] as const),
    fc.constant([Schema.Null, null] as const),
    text.map((value) => [Schema.Literal(value, "other", 1), value] as const)
  ]
  const deep = fc.oneof(
    fc.array(text).map((value) => [Schema.Array(Schema.String), value] as const),
    fc.array(number).map((value) => [Schema.Array(Schema.Number), value] as const),
    fc
      .dictionary(
        fc.string().filter((key) => key !== "__proto__"),
        int
      )
      .map((value) => [Schema.Record({ key: Schema.String, value: Schema.Int }), value] as const),
    fc.jsonValue({ maxDepth: 3 }).map((value) => [Schema.Unknown, JSON.parse(JSON.stringify(value))] as const)
  )
  const single = fc.oneof(...scalars, deep)
  return fc.oneof(
    single,
    // A union takes a value of either, whichever comes first in it.
    fc
      .tuple(single, single, fc.boolean())
      .map(([[a, value], [b], first]) => [first ? Schema.Union(a, b) : Schema.Union(b, a), value] as const)
  ) as fc.Arbitrary<readonly [Schema.Schema.AnyNoContext, unknown]>
})()

it("the parameters of a union are read by whichever member has the key", () => {
  const shapes = Tool.make({
    name: "draw",
    description: "Draws",
    parameters: Schema.Union(
      Schema.TaggedStruct("circle", { radius: Schema.Number }),
      Schema.TaggedStruct("text", { text: Schema.String, sizes: Schema.Array(Schema.Int) })
    ),
    capabilities: {},
    execute: () => Effect.void
  })
  const parameters = parametersOf("draw", Tool.jsonSchema(shapes))
  expect(argumentsOf(parameters, ["_tag=circle", "radius=1.5"])).toEqual({ _tag: "circle", radius: 1.5 })
  expect(argumentsOf(parameters, ["_tag=text", "text=12", "sizes=[1]"])).toEqual({
    _tag: "text",
    text: "12",
    sizes: [1]
  })
  expect(() => argumentsOf(parameters, ["radius=1"])).toThrow(/draw needs _tag/)
  expect(() => argumentsOf(parameters, ["_tag=oval"])).toThrow(/_tag/)
})

it("what is printed as KEY=VALUE is read back as it was", () => {
  fc.assert(
    fc.property(pair, ([schema, value]) => {
      const parameters = tool({ x: schema })
      const shape = parameters.named.get("x")?.shape
      if (shape === undefined) throw new Error("there is no x")
      expect(argumentsOf(parameters, [`x=${typed(shape, value)}`])).toEqual({ x: value })
    }),
    { numRuns: times(400) }
  )
})

it("whatever is typed is read or refused in one sentence", () => {
  const schemas = fc.constantFrom<Schema.Schema.AnyNoContext>(
    Schema.String,
    Schema.Int,
    Schema.Array(Schema.Number),
    Schema.Unknown,
    Tree,
    Schema.Union(Schema.Literal("a"), Schema.Number, Schema.Null)
  )
  const word = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.string({ unit: codePoint }).map((text) => `x=${text}`)
  )
  fc.assert(
    fc.property(schemas, fc.array(word, { maxLength: 3 }), (schema, words) => {
      try {
        read({ x: schema }, ...words)
      } catch (error) {
        expect(error).toBeInstanceOf(CliError)
        expect((error as CliError).message).not.toMatch(/\n/)
      }
    }),
    { numRuns: times(400) }
  )
})
