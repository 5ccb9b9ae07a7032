/**
 * The threat: a secret that a tool was given comes back in what it answers, whole or encoded, in a value, a key, an
 * error or bytes; and a token that nobody declared is written to a log.
 */

import { Buffer } from "node:buffer"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Option, Redacted } from "effect"
import { Scrubber } from "../../src/registry/scrub/Scrubber.js"
import { times } from "../deep.js"

const knowing = (...secrets: ReadonlyArray<string>): Scrubber => {
  const scrubber = new Scrubber()
  for (const secret of secrets) scrubber.add(secret)
  return scrubber
}

const percent = (secret: string, digits: (hex: string) => string) =>
  [...Buffer.from(secret)].map((byte) => `%${digits(byte.toString(16).padStart(2, "0"))}`).join("")

const html = (secret: string) =>
  secret
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")

const spellings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  base64: (secret) => Buffer.from(secret).toString("base64"),
  "base64 without padding": (secret) => Buffer.from(secret).toString("base64").replaceAll("=", ""),
  base64url: (secret) => Buffer.from(secret).toString("base64url"),
  "base64 after one byte": (secret) => Buffer.from(`:${secret}/tail`).toString("base64"),
  "base64 after two bytes": (secret) => Buffer.from(`u:${secret}/tail`).toString("base64url"),
  "base64 in broken lines": (secret) =>
    Buffer.from(`user:${secret}`).toString("base64").replace(/.{19}/g, "$&\n  "),
  hex: (secret) => Buffer.from(secret).toString("hex"),
  "hex in capitals": (secret) => Buffer.from(secret).toString("hex").toUpperCase(),
  "hex with colons": (secret) => Buffer.from(secret).toString("hex").replace(/../g, "$&:"),
  "hex in groups": (secret) => Buffer.from(secret).toString("hex").replace(/.{4}/g, "$& "),
  encodeURIComponent,
  "all percent": (secret) => percent(secret, (hex) => hex),
  "all percent in capitals": (secret) => percent(secret, (hex) => hex.toUpperCase()),
  form: (secret) => new URLSearchParams([["k", secret]]).toString().slice(2),
  json: (secret) => JSON.stringify(secret).slice(1, -1),
  "json within json": (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  "json in ASCII": (secret) =>
    secret.replace(/[^a-z]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
  html,
  "html of json": (secret) => html(JSON.stringify(secret).slice(1, -1)),
  "base64 in a URL": (secret) => encodeURIComponent(Buffer.from(secret).toString("base64"))
}

/** Secrets of all sorts, but none that is in the mark which replaces them, or in words around them. */
const secrets = fc
  .oneof(
    fc.string({ minLength: 6, maxLength: 60 }),
    fc.string({ minLength: 6, maxLength: 30, unit: "grapheme" }),
    fc.base64String({ minLength: 8, maxLength: 80 }),
    fc.stringMatching(/^[A-Za-z0-9_-]{8,64}$/)
  )
  .filter(
    (secret) =>
      secret.replace(/%..|&#?\w+;|\\\S{1,5}|\s/g, "").length >= 4 &&
      !/\p{Surrogate}/u.test(secret) &&
      /[A-Z0-9]/.test(secret)
  )

const around = fc.stringMatching(/^[ .,;!?a-z]{0,30}$/)

describe("Scrubber", () => {
  for (const [name, spell] of Object.entries(spellings)) {
    it(`finds a secret, ${name}`, () => {
      fc.assert(
        fc.property(secrets, around, around, (secret, before, after) => {
          const text = `${before}|${spell(secret)}|${after}`
          const scrubbed = knowing(secret).text(text)
          expect(scrubbed).toContain("[redacted]")
          expect(scrubbed).not.toContain(spell(secret))
          expect(scrubbed).not.toContain(secret)
          expect(scrubbed.startsWith(`${before}|`)).toBe(true)
          expect(scrubbed.endsWith(`|${after}`)).toBe(true)
        }),
        { numRuns: times(200) }
      )
    })
  }

  const seams = ["\u200b", "\u200d", "\u00ad", "\ufeff", "\u202e", "\u001b[1;31m", "\u0000", "\udb40\udc41"]
  const breaks = ["\n", "\r\n", "\n    ", "\\\n", "=\r\n", "\u2028"]
  const plain = fc.stringMatching(/^[A-Za-z0-9_-]{8,64}$/)

  for (const [name, between] of [
    ["what nobody sees", seams],
    ["line breaks", breaks]
  ] as const) {
    it(`finds a secret with ${name} in it`, () => {
      fc.assert(
        fc.property(
          plain,
          around,
          fc.array(fc.tuple(fc.nat(), fc.constantFrom(...between)), { minLength: 1, maxLength: 3 }),
          (secret, before, where) => {
            const seamAt = new Map(where.map(([place, seam]) => [1 + (place % (secret.length - 1)), seam]))
            const spread = Array.from(secret, (char, index) => (seamAt.get(index) ?? "") + char).join("")
            const scrubbed = knowing(secret).text(`${before}|${spread}|tail`)
            expect(scrubbed).toBe(`${before}|[redacted]|tail`)
          }
        ),
        { numRuns: times(200) }
      )
    })
  }

  it("finds a secret with escapes of what nobody sees in it, and in bytes", () => {
    const scrubber = knowing("s3cr3t-value")
    for (const seam of ["\\u200b", "%E2%80%8B", "&#8203;", "&shy;", "&ZeroWidthSpace;", "\\n"]) {
      expect(scrubber.text(`<s3cr3t${seam}-value>`)).toBe("<[redacted]>")
    }
    for (const seam of ["\u200b", "\n"]) {
      const bytes = Buffer.from(`<s3cr3t${seam}-value>`)
      expect(Buffer.from(scrubber.bytes(bytes)).toString()).toMatch(/^<\*+>$/)
    }
    const wide = Buffer.from("<s3cr3t-value>", "utf16le")
    expect(Buffer.from(scrubber.bytes(wide)).toString("latin1")).not.toContain("s\u00003\u0000c")
  })

  it("finds a secret that has such characters itself, however they are shown", () => {
    const scrubber = knowing("s3cr3t\u200b-value", "first-line\nsecond-line")
    expect(scrubber.text("<s3cr3t-value>")).toBe("<[redacted]>")
    expect(scrubber.text("<first-linesecond-line>")).toBe("<[redacted][redacted]>")
    expect(scrubber.text("<first-li\nne\nsecond-\nline>")).toBe("<[redacted]>")
  })

  it("does not join the end of a line to the next for a short value", () => {
    expect(knowing("abcd").text("ab\ncd")).toBe("ab\ncd")
    expect(knowing("abcd").text("ab\u200bcd")).toBe("[redacted]")
  })

  it("leaves a text as it was that holds none", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Z]{8,40}$/),
        fc.stringMatching(/^[a-z %&\\"'<>.-]{0,200}$/),
        (secret, text) => {
          // The alphabets differ, in base64 too: it is a chance in millions that they meet.
          expect(knowing(secret).text(text)).toBe(text)
        }
      ),
      { numRuns: times(500) }
    )
  })

  it("replaces what the secret covers, and nothing around it", () => {
    const scrubber = knowing("s3cr3t-value")
    expect(scrubber.text("a s3cr3t-value, and s3cr3t-value")).toBe("a [redacted], and [redacted]")
    expect(scrubber.text(`Basic ${Buffer.from("user:s3cr3t-value").toString("base64")} end`)).toMatch(
      /^Basic [A-Za-z0-9]{6}\[redacted\] end$/
    )
    expect(scrubber.text("x%20%73%33cr3t-value%20y")).toBe("x%20[redacted]%20y")
    expect(scrubber.text('{"a":"s3cr3t\\u002dvalue\\n"}')).toBe('{"a":"[redacted]\\n"}')
  })

  it("takes overlapping secrets out whole, and the longer of two", () => {
    expect(knowing("abcdef", "defghi").text("_abcdefghi_")).toBe("_[redacted]_")
    expect(knowing("abcd", "abcdefgh").text("_abcdefgh_")).toBe("_[redacted]_")
    expect(knowing("ababab").text("cababababac")).toBe("c[redacted]ac")
  })

  it("does not take out values that are in every other text", () => {
    const scrubber = knowing("", "1", "abc")
    expect(scrubber.isEmpty).toBe(true)
    expect(scrubber.text("1 abc")).toBe("1 abc")
    expect(knowing("abcd").isEmpty).toBe(false)
  })

  it("takes out the lines of a key one by one, and not its markers", () => {
    const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n"
    const scrubber = knowing(key)
    expect(scrubber.text("line 2: kqhkiG9w0BAQEF")).toBe("line 2: [redacted]")
    expect(scrubber.text("-----BEGIN PRIVATE KEY-----")).toBe("-----BEGIN PRIVATE KEY-----")
    expect(scrubber.text(`<${key.trim()}>`)).toBe("<[redacted]>")
  })

  it("takes time in proportion to the text, whatever the secret", () => {
    const repeated = knowing(`${"a".repeat(60_000)}b`, "a".repeat(60_000))
    expect(repeated.text("a".repeat(200_000))).toBe("[redacted]")
    const large = "0123456789abcdef".repeat(4096)
    expect(knowing(large).text(`x${large.slice(1)}y`)).toContain("x1234")
    expect(knowing("needle-in-hay").text("%41&amp;\\n".repeat(20_000)).length).toBe(200_000)
  })
})

describe("Scrubber of values", () => {
  const scrubber = knowing("s3cr3t-value")

  it("S20: takes secrets out of keys, and loses no entry", () => {
    const value = {
      "s3cr3t-value": 1,
      "k s3cr3t-value": 2,
      "[redacted]": 3,
      plain: { deep: ["s3cr3t-value"] }
    }
    expect(scrubber.value(value)).toEqual({
      "[redacted] 2": 1,
      "k [redacted]": 2,
      "[redacted]": 3,
      plain: { deep: ["[redacted]"] }
    })
    expect(scrubber.value(new Map([["s3cr3t-value", new Set(["s3cr3t-value"])]]))).toEqual(
      new Map([["[redacted]", new Set(["[redacted]"])]])
    )
    const proto = JSON.parse('{"__proto__": "s3cr3t-value"}')
    expect(JSON.stringify(scrubber.value(proto))).toBe('{"__proto__":"[redacted]"}')
  })

  it("takes secrets out of errors, with their causes and stacks", () => {
    const error = Object.assign(new TypeError("no s3cr3t-value", { cause: new Error("s3cr3t-value") }), {
      url: "https://x/?k=s3cr3t-value"
    })
    const scrubbed = scrubber.value(error)
    expect(scrubbed).toBeInstanceOf(TypeError)
    expect(scrubbed.message).toBe("no [redacted]")
    expect(scrubbed.url).toBe("https://x/?k=[redacted]")
    expect((scrubbed.cause as Error).message).toBe("[redacted]")
    expect(scrubbed.stack).not.toContain("s3cr3t-value")
    expect(error.message).toBe("no s3cr3t-value")
  })

  it("shares what holds none, also in circles", () => {
    const clean = { a: [1, "x"], m: new Map([["k", Option.some("v")]]), r: Redacted.make("s3cr3t-value") }
    expect(scrubber.value(clean)).toBe(clean)
    const half = { clean, dirty: "s3cr3t-value" }
    expect(scrubber.value(half).clean).toBe(clean)
    expect(scrubber.value(half).dirty).toBe("[redacted]")
    const circle: { self?: unknown; text: string } = { text: "clean" }
    circle.self = circle
    expect(scrubber.value(circle)).toBe(circle)
    circle.text = "s3cr3t-value"
    const copy = scrubber.value(circle)
    expect(copy).not.toBe(circle)
    expect(copy.self).toBe(copy)
    expect(copy.text).toBe("[redacted]")
    expect(scrubber.value(Option.some("s3cr3t-value"))).toEqual(Option.some("[redacted]"))
  })

  it("masks bytes, and keeps their length and kind", () => {
    const bytes = new TextEncoder().encode("<s3cr3t-value> \u00e9")
    expect(new TextDecoder().decode(scrubber.value(bytes))).toBe("<************> \u00e9")
    const buffer = scrubber.value({ body: Buffer.from("s3cr3t-value!") }).body
    expect(Buffer.isBuffer(buffer)).toBe(true)
    expect(buffer.toString()).toBe("************!")
    expect(new TextDecoder().decode(scrubber.value(bytes.buffer))).toBe("<************> \u00e9")
    expect(
      new TextDecoder().decode(
        knowing("gr\u00fc\u00dfe").bytes(new TextEncoder().encode("<gr\u00fc\u00dfe>"))
      )
    ).toBe("<*******>")
    const clean = new Uint8Array(100_000)
    expect(scrubber.value(clean)).toBe(clean)
  })

  it("shows nothing of what is nested too deeply to be looked through", () => {
    let nested: unknown = "s3cr3t-value"
    for (let depth = 0; depth < 100_000; depth++) nested = [nested]
    expect(JSON.stringify(scrubber.value(nested))).toMatch(/^\[+"\[nested too deeply to be shown\]"\]+$/)
  })

  it("looks at what a getter answers", () => {
    const value = {
      get token() {
        return "s3cr3t-value"
      },
      get broken(): string {
        throw new Error("s3cr3t-value")
      }
    }
    expect(scrubber.value(value).token).toBe("[redacted]")
  })

  it("does nothing as long as it knows nothing", () => {
    const value = {
      get never(): string {
        throw new Error("looked at")
      }
    }
    expect(new Scrubber().value(value)).toBe(value)
  })
})

describe("S18: what looks like a token", () => {
  const x = (count: number) => "aB3dE5gH".repeat(Math.ceil(count / 8)).slice(0, count)
  const tokens: Readonly<Record<string, string>> = {
    "a GitHub token (ghp)": `ghp_${x(36)}`,
    "a GitHub token (gho)": `gho_${x(36)}`,
    "a GitHub token (ghu)": `ghu_${x(36)}`,
    "a GitHub token (ghs)": `ghs_${x(36)}`,
    "a GitHub token (ghr)": `ghr_${x(36)}`,
    "a fine-grained GitHub token": `github_pat_${x(22)}_${x(59)}`,
    "a GitLab token": `glpat-${x(20)}`,
    "a Google key": `AIza${x(35)}`,
    "an AWS key": `AKIA${"A1B2".repeat(4)}`,
    "a temporary AWS key": `ASIA${"A1B2".repeat(4)}`,
    "an npm token": `npm_${x(36)}`,
    "a live Stripe key": `sk_live_${x(24)}`,
    "a test Stripe key": `sk_test_${x(24)}`,
    "an Anthropic key": `sk-ant-api03-${x(40)}`,
    "a Slack token": `xoxb-${"1".repeat(12)}-${x(24)}`,
    "a JWT": `eyJ${x(20)}.eyJ${x(30)}.${x(43)}`,
    "a private key": `-----BEGIN RSA PRIVATE KEY-----\n${x(64)}\n${x(20)}\n-----END RSA PRIVATE KEY-----`
  }
  for (const [name, token] of Object.entries(tokens)) {
    it(`takes out ${name}`, () => {
      expect(new Scrubber().guarded(`key="${token}", next`)).toBe('key="[redacted]", next')
    })
  }

  it("takes out what follows Bearer and Basic, and keeps the word", () => {
    expect(new Scrubber().guarded("authorization: Bearer abc.def-ghi_123==")).toBe(
      "authorization: Bearer [redacted]"
    )
    expect(new Scrubber().guarded("basic dXNlcjpwYXNz")).toBe("basic [redacted]")
  })

  it("takes out what stands before the host of a URL", () => {
    expect(new Scrubber().guarded("at postgres://user:p@ss@db:5432/x")).toBe(
      "at postgres://[redacted]@db:5432/x"
    )
    expect(new Scrubber().guarded("https://example.com/a@b?c=d@e")).toBe("https://example.com/a@b?c=d@e")
  })

  it("takes out a key that is cut off", () => {
    expect(new Scrubber().guarded("x -----BEGIN PRIVATE KEY-----\nabc")).toBe("x [redacted]")
  })

  it("leaves other texts alone", () => {
    const text =
      "task-force risk-taking sk-1 ghp_short AKIA npm_config_registry eyJ.eyJ https://a.b/c user@host"
    expect(new Scrubber().guarded(text)).toBe(text)
  })

  it("S22: takes linear time on texts made to be slow", () => {
    for (const part of [
      "eyJa",
      "eyJaaaaaaaa.",
      "-----BEGIN PRIVATE KEY-----",
      "://a:",
      "Bearer ",
      "ghp_",
      "sk-",
      "@"
    ]) {
      const hostile = part.repeat(Math.ceil(1_000_000 / part.length))
      expect(new Scrubber().guarded(hostile).length).toBeGreaterThan(0)
    }
  })
})

describe("Scrubber.following", () => {
  /** A text that comes bit by bit. */
  const flow = (scrubber: Scrubber, parts: ReadonlyArray<string>) =>
    parts.map((part, index) => scrubber.following(parts.slice(0, index).join(""), part))

  it("finds a secret that begins in one text and ends in another", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Z0-9]{12,40}$/),
        fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
        (secret, places) => {
          const text = `before ${secret} after`
          const at = [...new Set(places.map((place) => place % text.length))].sort((a, b) => a - b)
          const parts = [0, ...at].map((start, index) => text.slice(start, [...at, text.length][index]))
          const shown = flow(knowing(secret), parts)
          expect(shown.join("").replaceAll("[redacted]", "")).toMatch(/^before [A-Z0-9]{0,3} after$/)
        }
      ),
      { numRuns: times(300) }
    )
  })

  it("leaves texts alone that hold nothing of one", () => {
    expect(flow(knowing("s3cr3t-value"), ["a s3c", "ret, and", " more"])).toEqual([
      "a s3c",
      "ret, and",
      " more"
    ])
    expect(flow(knowing("abcd"), ["xab", "cdx"])).toEqual(["xab", "cdx"])
  })

  it("finds a token whose beginning was shown before", () => {
    const token = `ghp_${"aB3dE5gH".repeat(4)}`
    const shown = flow(new Scrubber(true), [token.slice(0, 10), `${token.slice(10)} end`])
    expect(shown).toEqual([token.slice(0, 10), "[redacted] end"])
  })
})
