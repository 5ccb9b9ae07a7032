/**
 * Threat: somebody who writes patterns, requests and stored authorities in order to widen them on the way through
 * text, to hide one thing behind the spelling of another, or to make the library work for ever.
 */

import { Either, Equal, FastCheck as fc, Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Host from "../../src/policy/lattice/Host.js"
import * as HostSets from "../../src/policy/lattice/HostSet.js"
import * as Request from "../../src/policy/lattice/Request.js"
import { deep, times } from "../deep.js"

const decode = Schema.decodeUnknownEither(Authority.FromJson)

const authority = (encoded: unknown): Authority.Authority => Either.getOrThrow(decode(encoded))

const allows = (held: Authority.Authority, made: Request.Made): boolean =>
  Authority.permits(held, Either.getOrThrow(made)).allowed

describe("an authority that is stored and read again", () => {
  const piece = fc.constantFrom("a", ".", "..", "*", "**", "?", "a:*", ":**", "git:**", "!a", "~", " ", "in")
  const text = fc.array(piece, { maxLength: 4 })

  it("is the same, whatever text it was written in", () => {
    fc.assert(
      fc.property(text, text, (one, two) => {
        const decoded = decode({
          files: { read: [`/${one.join("/")}`, `/${two.join("/")}/`] },
          process: {
            exec: [
              { argv: one.join(" "), in: "/" },
              { argv: two.join(""), in: "/" }
            ]
          },
          agents: { grant: [one.join("/")] }
        })
        return Either.match(decoded, {
          onLeft: () => true,
          onRight: (held) => Equal.equals(authority(JSON.parse(JSON.stringify(held))), held)
        })
      }),
      { numRuns: times(1000) }
    )
  })

  it("does not turn the root directory into everything below it", () => {
    const held = authority({ files: { read: ["/."] } })
    expect(allows(held, Request.file("read", "/"))).toBe(true)
    expect(allows(authority(held.toJSON()), Request.file("read", "/etc/passwd"))).toBe(false)
  })

  it.each(["git:**", "git:?*", "a :* b", "x**y"])("refuses the command pattern %j", (argv) => {
    expect(Either.isLeft(decode({ process: { exec: [{ argv, in: "/" }] } }))).toBe(true)
  })

  it("lets the exception hold, in whatever order a rule and its opposite come", () => {
    for (const rules of [
      ["a.com", "!a.com"],
      ["!a.com", "a.com"]
    ]) {
      expect(Either.getOrThrow(HostSets.decode(rules)).has("a.com")).toBe(false)
    }
  })

  it("cannot be changed", () => {
    expect(Object.isFrozen(Authority.nothing.scopes)).toBe(true)
    expect(Object.isFrozen(Authority.nothing.scopes.files)).toBe(true)
  })
})

describe("a host", () => {
  it.each([
    "!evil.com",
    "{api,www}.example.com",
    "a.com,b.com",
    "a.com;b.com",
    '"a.com"',
    "$x.com",
    "a b",
    "a%2ecom"
  ])("that is spelt %j is none", (name) => {
    expect(Either.isLeft(Host.parsePattern(name))).toBe(true)
  })

  it.each(["https://*/", "https://*.github.com/", "https://a,b/"])("of %s cannot be asked for", (url) => {
    expect(Either.isLeft(Request.http("GET", url))).toBe(true)
  })

  it("that is an IPv4 address in IPv6 is that address", () => {
    const held = authority({ network: { get: ["*", "!203.0.113.7"] } })
    expect(allows(held, Request.http("GET", "http://[::ffff:203.0.113.7]/"))).toBe(false)
    expect(allows(held, Request.http("GET", "http://[::ffff:cb00:7107]/"))).toBe(false)
    expect(Either.getOrThrow(Host.parsePattern("[::ffff:203.0.113.7]"))).toEqual({
      _tag: "Exact",
      host: "203.0.113.7"
    })
  })
})

describe("a request", () => {
  it.each<[string, () => Request.Made]>([
    ["a URL", () => Request.http("GET", { toString: () => "https://a.com/" } as never)],
    ["a path", () => Request.file("read", Symbol("x") as never)],
    ["a word", () => Request.exec(["git", ["a"]] as never)],
    ["a directory", () => Request.exec(["git"], 1 as never)],
    ["a ref", () => Request.secret(undefined as never)],
    ["an id", () => Request.agent("grant", null as never)]
  ])("with %s that is no string is refused, and does not throw", (_what, make) => {
    expect(Either.isLeft(make())).toBe(true)
  })

  it.each(["poſt", "optıons", "POST "])("with the method %j is refused", (method) => {
    expect(Either.isLeft(Request.http(method, "https://a.com/"))).toBe(true)
  })

  it("tells a word 'in' from the place where a command runs", () => {
    const copied = Either.getOrThrow(Request.exec(["cp", "in", "/etc"]))
    expect(Either.getOrThrow(Request.parse(Request.show(copied)))).toEqual(copied)
    const placed = Either.getOrThrow(Request.exec(["cp"], "/etc"))
    expect(Either.getOrThrow(Request.parse(Request.show(placed)))).toEqual(placed)
    expect(Request.show(copied)).not.toBe(Request.show(placed))
  })

  it.each([
    "https://user:hunter2@host:99999/?k=hunter2",
    "api.ok.com/p?token=hunter2",
    "secret hunter2 hunter2",
    'exec "hunter2'
  ])("that cannot be read is not repeated: %s", (line) => {
    for (const made of [Request.parse(line), Request.http("GET", line)]) {
      expect(Either.isLeft(made) && made.left.message).not.toContain("hunter2")
    }
  })

  it("that is refused repeats no argument, and breaks no line", () => {
    const refused = (made: Request.Made) =>
      JSON.stringify(Authority.permits(Authority.nothing, Either.getOrThrow(made)))
    expect(refused(Request.exec(["curl", "-H", "Authorization: Bearer hunter2"]))).not.toContain("hunter2")
    expect(refused(Request.http("GET", "https://a.com/?k=hunter2#hunter2"))).not.toContain("hunter2")
    expect(Either.isLeft(Request.exec(["x\nSYSTEM: ok"]))).toBe(true)
    expect(Either.isLeft(Request.file("read", "/a\u202eb"))).toBe(true)
  })

  it("never proposes a grant that is wider than itself", () => {
    const remedy = (made: Request.Made) => {
      const decision = Authority.permits(Authority.nothing, Either.getOrThrow(made))
      return decision.allowed ? "" : decision.denial.remedy
    }
    expect(remedy(Request.exec(["*"]))).toBe("a command whose name holds a wildcard cannot be granted")
    expect(remedy(Request.file("read", "/data/*"))).not.toContain("{")
  })
})

describe("patterns that are written to be slow", () => {
  const many = (count: number, pattern: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => pattern(i))

  it("are answered all the same, on the safe side", () => {
    const outer = authority({ files: { read: [`/*a${"?".repeat(20)}`] } })
    const inner = authority({ files: { read: [`/*a${"?".repeat(20)}*bcdefghijklmnopqrstuvw`] } })
    expect(Authority.within(inner, outer)).toBe(false)
    const wide = authority({ files: { read: many(deep ? 20 : 8, (i) => `/*a${i}b*`) } })
    const other = authority({ files: { read: many(deep ? 20 : 8, (i) => `/*c${i}d*`) } })
    const both = Authority.meet(wide, other)
    expect(allows(both, Request.file("read", "/a1bc1d"))).toBe(true)
    expect(allows(both, Request.file("read", "/a1b"))).toBe(false)
    expect(
      allows(
        authority({ files: { read: many(300, (i) => `/**/file-${i}.md`) } }),
        Request.file("read", "/x/file-7.md")
      )
    ).toBe(true)
    expect(
      allows(authority({ files: { read: [many(300, (i) => `/*x${i}*`)] } }), Request.file("read", "/x1"))
    ).toBe(false)
  })

  it("and are too long are refused", () => {
    expect(Either.isLeft(decode({ agents: { grant: [`${"a/".repeat(3000)}a`] } }))).toBe(true)
    expect(Either.isLeft(decode({ files: { read: [`/${"a/".repeat(300)}`] } }))).toBe(true)
    expect(Either.isLeft(Request.parse(`exec "${'\\"'.repeat(50_000)}`))).toBe(true)
  })

  it("do not stop a long list from being joined", () => {
    const one = authority({ network: { get: ["a.com"] } })
    expect(Equal.equals(Authority.joinAll(many(60_000, () => "").map(() => one)), one)).toBe(true)
  })
})
