/** The threat: an answer that comes bit by bit, in bits that are chosen so that no part of it looks like the secret. */
import { Buffer } from "node:buffer"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { Scrubber } from "../../src/registry/scrub/Scrubber.js"
import { seed, times } from "../deep.js"

const escaped = (value: string, form: (code: number) => string): string =>
  Array.from(Buffer.from(value), (byte) => form(byte)).join("")

const FORMS: ReadonlyArray<(value: string) => string> = [
  (value) => value,
  (value) => Buffer.from(value).toString("base64"),
  (value) => Buffer.from(`ab${value}`).toString("base64"),
  (value) => Buffer.from(`a${value}yz`).toString("base64url"),
  (value) =>
    (
      Buffer.from(value)
        .toString("base64")
        .match(/.{1,8}/g) ?? []
    ).join("\r\n"),
  (value) => Buffer.from(value).toString("hex"),
  (value) => (Buffer.from(value).toString("hex").toUpperCase().match(/../g) ?? []).join(":"),
  (value) => escaped(value, (byte) => `%${byte.toString(16).padStart(2, "0")}`),
  (value) => encodeURIComponent(encodeURIComponent(value)),
  (value) => escaped(value, (byte) => `\\u${byte.toString(16).padStart(4, "0")}`),
  (value) => escaped(value, (byte) => `&#${byte};`),
  (value) => escaped(value, (byte) => `&#x${byte.toString(16)};`),
  (value) => JSON.stringify(JSON.stringify(value)),
  (value) => Array.from(value).join("\u200b"),
  (value) => Array.from(value).join("\u001b[31m"),
  (value) => `${value.slice(0, 5)}\n${value.slice(5)}`
]

const sifted = (
  scrubber: Scrubber,
  body: Uint8Array,
  sizes: ReadonlyArray<number>,
  byLine = false
): string => {
  const sieve = scrubber.sieve(byLine)
  const out: Array<Uint8Array> = []
  for (let at = 0, i = 0; at < body.length; i++) {
    const size = sizes[i % sizes.length] ?? 1
    out.push(sieve.push(body.subarray(at, at + size)))
    at += size
  }
  return Buffer.concat([...out, sieve.end()]).toString("latin1")
}

const secret = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "b", "A", "0", "/", "+", "%", "&", "\\", "="),
    minLength: 8,
    maxLength: 24
  }),
  fc.constantFrom("hunter2-hunter2", "abababab", "aaaaaaaaab", "sk_live_5f1c9a7e")
)

const around = fc.string({
  unit: fc.constantFrom("x", "{", '"', ":", " ", "\n", "%", "&", "\\", "a", "b"),
  maxLength: 12
})

describe("a sieve", () => {
  it("lets nothing of the secret through, however it is written and cut, and as many bytes as came", () => {
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom(...FORMS),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        around,
        around,
        (value, form, sizes, before, after) => {
          const scrubber = new Scrubber()
          scrubber.add(value)
          const body = Buffer.from(`${before} ${form(value)} ${after}`)
          const text = sifted(scrubber, body, sizes)
          expect(text.length).toBe(body.length)
          expect(scrubber.text(text)).toBe(text)
          // What would be found in the whole is found in the parts.
          if (scrubber.bytes(body) !== body) expect(text).toContain("****")
        }
      ),
      { numRuns: times(1500), seed }
    )
  })

  it("changes nothing of what holds no secret, and hands it on at once", () => {
    const scrubber = new Scrubber()
    scrubber.add("hunter2-hunter2")
    const sieve = scrubber.sieve(false)
    const push = (text: string) => Buffer.from(sieve.push(Buffer.from(text))).toString()
    expect(push("data: 1\n\n")).toBe("data: 1\n\n")
    expect(push("the hunt")).toBe("the ")
    expect(push(" goes on")).toBe("hunt goes on")
    expect(Buffer.from(sieve.end()).toString()).toBe("")
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (body, sizes) => {
          expect(sifted(scrubber, body, sizes)).toBe(Buffer.from(body).toString("latin1"))
        }
      ),
      { numRuns: times(300), seed }
    )
  })

  it("hands an event on with its end, though its last letter is the first one of the secret", () => {
    const scrubber = new Scrubber()
    scrubber.add("nevermore-nevermore")
    const sieve = scrubber.sieve(true)
    for (const last of ["n", "6", "bmV2", "%6e", "6e:"]) {
      expect(Buffer.from(sieve.push(Buffer.from(`data: ${last}\n\n`))).toString()).toBe(`data: ${last}\n\n`)
    }
    expect(Buffer.from(sieve.push(Buffer.from("data: never"))).toString()).toBe("data: ")
  })

  it("takes linear time for a secret as long as a file, and one that repeats itself", () => {
    const scrubber = new Scrubber()
    scrubber.add("ab".repeat(20_000))
    const text = sifted(scrubber, Buffer.from("ab".repeat(15_000)), [1000])
    expect(text).toBe("ab".repeat(15_000))
  })
})
