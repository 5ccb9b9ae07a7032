/** What servers ask, as it is sent: what is read is what was written, and what does not fit a form is found. */
import { Arbitrary, Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as WireElicitation from "../../src/mcp/inquiry/WireElicitation.js"
import * as WireSampling from "../../src/mcp/inquiry/WireSampling.js"
import * as Elicitation from "../../src/registry/inquiry/Elicitation.js"
import * as Sampling from "../../src/registry/inquiry/Sampling.js"

/** Names are of letters, and each is there once. */
const forms = Arbitrary.make(Elicitation.Request).map(({ fields, message }) => ({
  message,
  fields: fields.map((field, at) => ({ ...field, name: `field_${at}` }))
}))

describe("a form as it is sent", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(forms, (form) => {
        expect(Either.flatMap(WireElicitation.write(form, "2025-11-25"), WireElicitation.read)).toEqual(
          Either.right(form)
        )
      })
    )
  })

  it("of the earlier revision is read as it was written less lists that may be left empty, or was not written", () => {
    fc.assert(
      fc.property(forms, ({ fields, message }) => {
        const left = fields.filter(({ _tag }) => _tag !== "SomeOf")
        const isAskable =
          fields.every(({ _tag, required }) => _tag !== "SomeOf" || !required) &&
          (left.length > 0 || fields.length === 0)
        const written = WireElicitation.write({ fields, message }, "2025-06-18")
        expect(Either.isRight(written)).toBe(isAskable)
        if (isAskable)
          expect(Either.flatMap(written, WireElicitation.read)).toEqual(
            Either.right({ message, fields: left })
          )
      })
    )
  })

  it("is anything at all, and never throws", () => {
    fc.assert(
      fc.property(fc.anything(), (given) => {
        for (const read of [
          WireElicitation.read,
          WireElicitation.readAnswer,
          WireSampling.read,
          WireSampling.readAnswer
        ]) {
          expect(Either.isEither(read(given))).toBe(true)
        }
      })
    )
  })

  it.each(["__proto__", "a b", "", "x".repeat(129), "a\u202eb"])("has no field named %j", (name) => {
    const properties = Object.fromEntries([[name, { type: "string" }]])
    const form = { message: "", requestedSchema: { type: "object", properties } }
    expect(Either.isLeft(WireElicitation.read(form))).toBe(true)
  })

  it("has no more fields and choices than a person reads", () => {
    const form = (properties: object) => ({ message: "", requestedSchema: { type: "object", properties } })
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`f${at}`, { type: "string" }]))
    expect(WireElicitation.read(form(many))).toMatchObject({ left: "it asks for more than 64 fields" })
    const values = Array.from({ length: 257 }, (_, at) => `v${at}`)
    expect(Either.isLeft(WireElicitation.read(form({ a: { type: "string", enum: values } })))).toBe(true)
  })
})

describe("a prompt as it is sent", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(Arbitrary.make(Sampling.Request), (request) => {
        expect(WireSampling.read(WireSampling.write(request))).toEqual(Either.right(request))
      })
    )
  })

  it("that has several pieces in a message is several messages of that role", () => {
    const [one, two] = [
      { type: "text", text: "a" },
      { type: "text", text: "b" }
    ]
    expect(WireSampling.read({ messages: [{ role: "user", content: [one, two] }], maxTokens: 1 })).toEqual(
      Either.right({
        messages: [
          { role: "user", content: one },
          { role: "user", content: two }
        ],
        maxTokens: 1
      })
    )
  })

  it("loses what is not passed on: the context of others, data of the provider, a task", () => {
    const messages = [{ role: "user", content: { type: "text", text: "a" } }]
    const more = { includeContext: "allServers", metadata: { a: 1 }, task: { ttl: 1 }, _meta: {} }
    expect(WireSampling.read({ messages, maxTokens: 1, ...more })).toEqual(
      Either.right({ messages, maxTokens: 1 })
    )
  })

  it("is answered as it was written, one piece alone in a list or not", () => {
    fc.assert(
      fc.property(Arbitrary.make(Sampling.Answer), (answer) => {
        expect(WireSampling.readAnswer(WireSampling.writeAnswer(answer))).toEqual(Either.right(answer))
        expect(WireSampling.readAnswer({ ...answer, content: [answer.content] })).toEqual(
          Either.right(answer)
        )
      })
    )
  })
})

describe("what is filled in", () => {
  const named = { name: "a", required: true }
  const choices = [
    { value: "x", title: "Ex" },
    { value: "y", title: "Why" }
  ] as const
  const text = { _tag: "Text", ...named } as const
  const some = { _tag: "SomeOf", ...named, choices, least: 1, most: 1 } as const
  const cases: ReadonlyArray<readonly [Elicitation.Field, Elicitation.Value, boolean]> = [
    [text, "", true],
    [text, 1, false],
    [{ ...text, minLength: 2, maxLength: 3 }, "\u{1f600}", false],
    [{ ...text, minLength: 2, maxLength: 3 }, "abc", true],
    [{ ...text, minLength: 2, maxLength: 3 }, "abcd", false],
    [{ ...text, format: "email" }, "a@b", true],
    [{ ...text, format: "email" }, "a b@c", false],
    [{ ...text, format: "uri" }, "https://example.com", true],
    [{ ...text, format: "uri" }, "example", false],
    [{ ...text, format: "date" }, "2024-02-29", true],
    [{ ...text, format: "date" }, "2023-02-29", false],
    [{ ...text, format: "date-time" }, "2024-02-29T10:00:00Z", true],
    [{ ...text, format: "date-time" }, "2024-02-29", false],
    [{ _tag: "Number", ...named, isWhole: false, minimum: 0, maximum: 1 }, 0.5, true],
    [{ _tag: "Number", ...named, isWhole: true }, 0.5, false],
    [{ _tag: "Number", ...named, isWhole: true, minimum: 1 }, 0, false],
    [{ _tag: "Number", ...named, isWhole: true, maximum: 1 }, 2, false],
    [{ _tag: "YesNo", ...named }, false, true],
    [{ _tag: "YesNo", ...named }, "no", false],
    [{ _tag: "OneOf", ...named, choices }, "y", true],
    [{ _tag: "OneOf", ...named, choices }, "Why", false],
    [some, ["x"], true],
    [some, [], false],
    [some, ["x", "y"], false],
    [some, ["z"], false],
    [{ ...some, most: 2 }, ["x", "x"], false],
    [some, "x", false]
  ]
  it.each(cases)("into %j as %j fits: %s", (field, value, fits) => {
    expect(Elicitation.misfit(field, value) === undefined).toBe(fits)
    expect(Elicitation.misfits({ message: "", fields: [field] }, { a: value }) === undefined).toBe(fits)
  })

  it("must be all that is required, and nothing that was not asked for", () => {
    const form = { message: "", fields: [text, { ...text, name: "b", required: false }] }
    expect(Elicitation.misfits(form, { a: "x" })).toBeUndefined()
    expect(Elicitation.misfits(form, { b: "x" })).toContain("required")
    expect(Elicitation.misfits(form, { a: "x", c: "y" })).toContain("not asked for")
    expect(Elicitation.misfits(form, Object.fromEntries([["toString", "x"]]))).toContain("not asked for")
  })
})
