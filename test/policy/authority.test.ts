/**
 * What an authority permits, path by path and command by command, and what its refusals say. The ids in
 * brackets name the conformance and attack cases.
 */
import { Either, Equal, Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Denial from "../../src/policy/lattice/Denial.js"
import * as Request from "../../src/policy/lattice/Request.js"

const authority = (encoded: unknown): Authority.Authority =>
  Schema.decodeUnknownSync(Authority.FromJson)(encoded)

const decide = (held: Authority.Authority, line: string) =>
  Authority.permits(
    held,
    Either.getOrThrowWith(Request.parse(line), (error) => new Error(error.message))
  )

const allows = (encoded: unknown, line: string): boolean => decide(authority(encoded), line).allowed

const refusedLine = (line: string): string =>
  Either.match(Request.parse(line), { onLeft: (error) => error.message, onRight: () => "made" })

const reads = (...read: ReadonlyArray<unknown>) => ({ files: { read } })

const runs = (argv: string, root = "/") => ({ process: { exec: [{ argv, in: root }] } })

describe("files", () => {
  it.each([
    ["I1", "/data/", "/data/f", true],
    ["I7", "/data/f", "/data/f", true],
    ["I7", "/data/f", "/data/f/g", false],
    ["I8, B13", "/data/", "/database/x", false],
    ["B15, I10, G19", "/", "/etc/x", true],
    ["B16, T03", "/work/", "/work/a", true],
    ["H4", "/w/", "/w2/x", false],
    ["H6", "/w/lib/**", "/w/lib/foo.ex", true],
    ["H6", "/w/lib/**", "/w/test/foo.ex", false],
    ["H7", "/w/lib/**", "/w/lib/a/b.ex", true],
    ["H7", "/w/lib/**", "/w/lib", false],
    ["H9", "/w/lib/?", "/w/lib/a", true],
    ["H9", "/w/lib/?", "/w/lib/ab", false],
    ["H26", "/w/**/*.md", "/etc/x.md", false],
    ["H26", "/w/**/*.md", "/w/x.md", true],
    ["-", "/w/*", "/w/.git", true],
    ["-", "/w/*", "/w/a/b", false],
    ["-", "/w/a*b", "/w/axxb", true]
  ])("[%s] %s against %s is %s", (_id, pattern, path, allowed) => {
    expect(allows(reads(pattern), `read ${path}`)).toBe(allowed)
  })

  it("[I5] read, write and delete are apart", () => {
    expect(allows(reads("/data/"), "write /data/f")).toBe(false)
    expect(allows({ files: { write: ["/data/"] } }, "read /data/f")).toBe(false)
    expect(allows({ files: { write: ["/data/"] } }, "delete /data/f")).toBe(false)
  })

  it.each([
    "read /data/../etc/x",
    "read /data/..",
    "read data/x",
    "read file:///etc/passwd",
    'read "/a\\u0000b"'
  ])("[I9, B14, T01, F42, F43] %s cannot be asked", (line) => {
    expect(refusedLine(line)).toMatch(/^PATH_INVALID: /)
  })

  it.each(["/data/../etc/", "data", "~/x", "/w/a**/x", "/w/*/", ""])(
    "[H10] %j is not a pattern",
    (pattern) => {
      expect(Schema.decodeUnknownEither(Authority.FromJson)(reads(pattern))._tag).toBe("Left")
    }
  )

  it("[T02] a declared tree outside the policy's meets to nothing", () => {
    expect(Authority.isNothing(Authority.meet(authority(reads("/etc/")), authority(reads("/work/"))))).toBe(
      true
    )
  })

  it("[L15, L17, L20] inclusion compares whole scopes", () => {
    const within = (inner: string, outer: string) =>
      Authority.within(authority(reads(inner)), authority(reads(outer)))
    expect(within("/a/notes/a/**", "/a/notes/**")).toBe(true)
    expect(within("/", "/a/")).toBe(false)
    expect(within("/a/x", "/a/")).toBe(true)
    expect(within("/a/", "/a/lib/**")).toBe(false)
    expect(within("/a/*.ts", "/a/*")).toBe(true)
    expect(within("/a/*", "/a/*.ts")).toBe(false)
    expect(within("/a/**/x", "/a/**")).toBe(true)
  })

  it("a meet of two globs permits only what both match, and is stored as both", () => {
    const both = Authority.meet(authority(reads("/w/a*")), authority(reads("/w/*b")))
    expect(both.toJSON()).toEqual(reads(["/w/*b", "/w/a*"]))
    expect(decide(both, "read /w/ab").allowed).toBe(true)
    expect(decide(both, "read /w/ac").allowed).toBe(false)
    expect(Equal.equals(authority(both.toJSON()), both)).toBe(true)
  })

  it("a subset that only several scopes together cover is refused, not assumed", () => {
    expect(Authority.within(authority(reads("/a/*")), authority(reads("/a/?", "/a/??*")))).toBe(false)
  })
})

describe("commands", () => {
  it.each([
    ["I1", "rg:*", "exec rg foo src/", true],
    ["I2, K2", "rg:*", "exec curl", false],
    ["I3", "rg:*", "exec /usr/bin/rg", false],
    ["I4", "git:*", "exec Git", false],
    ["I6", "npm test", "exec npm test", true],
    ["I6", "npm test", "exec npm install", false],
    ["I6", "npm test", "exec npm test --watch", false],
    ["I13", "git * --stat *", "exec git diff --stat x", true],
    ["I14", "git*", "exec gitevil", true],
    ["I16", "npm test", 'exec "npm test"', false],
    ["-", "git log *", "exec git log", true],
    ["-", "git log *", "exec git", false],
    ["-", "git log *", "exec git logs", false],
    ["-", "git log *", "exec git log -1 -p", true],
    ["-", "git:*", "exec git", true],
    ["K3, N7", "*", "exec anything at all", true]
  ])("[%s] %j against %s is %s", (_id, pattern, line, allowed) => {
    expect(allows(runs(pattern), line)).toBe(allowed)
  })

  it.each(["git status:*", ":*", "", "git\nlog", "./git:*", "../x:*", "/usr/../bin/x:*"])(
    "[I10] %j is not a pattern",
    (pattern) => {
      expect(Schema.decodeUnknownEither(Authority.FromJson)(runs(pattern))._tag).toBe("Left")
    }
  )

  it("[K15, P16, I29] run only inside their root, and nowhere when the place is not said", () => {
    expect(allows(runs("git:*", "/w"), "exec git log in /w/lib")).toBe(true)
    expect(allows(runs("git:*", "/w"), "exec git log in /etc")).toBe(false)
    expect(allows(runs("git:*", "/w"), "exec git log")).toBe(false)
  })

  it("[L26, L27] a pattern is within its command", () => {
    const within = (inner: string, outer: string) =>
      Authority.within(authority(runs(inner)), authority(runs(outer)))
    expect(within("git log *", "git:*")).toBe(true)
    expect(within("git:*", "git log *")).toBe(false)
    expect(within("git log -1", "git log *")).toBe(true)
  })

  it("[I23] a shell is allowed by its place, whatever it runs, and never by a command", () => {
    expect(allows({ process: { eval: ["/w/"] } }, "eval in /w")).toBe(true)
    expect(allows({ process: { eval: ["/w/"] } }, "eval in /x")).toBe(false)
    expect(allows(runs("*"), "eval in /w")).toBe(false)
  })
})

describe("secrets", () => {
  const held = { secrets: { read: ["A", "providers/exa/*"] } }

  it.each([
    ["-", "A", true],
    ["F2", "B", false],
    ["F4", "a", false],
    ["-", "providers/exa/key", true],
    ["-", "providers/exa/a/b", true],
    ["-", "providers/exa", false],
    ["-", "providers/exam/key", false]
  ])("[%s] %s is %s", (_id, ref, allowed) => {
    expect(allows(held, `secret ${ref}`)).toBe(allowed)
  })

  it.each([
    "providers/exa/../x",
    "providers/exa/./x",
    "providers/exa//x",
    "providers/exa/",
    "providers/exa/..\\x",
    "providers/exa/%2e%2e/x",
    "providers/exa/k\u0000x",
    "providers/exa/*",
    "",
    "/A"
  ])("[F9, F10, F11, S02, S04, S05] %j cannot be asked", (ref) => {
    const made = Request.secret(ref)
    expect(Either.isLeft(made) && made.left.code).toBe("REF_INVALID")
  })

  it("[F3] a refusal does not repeat the ref", () => {
    const decision = decide(authority(held), "secret sk_live_abc")
    expect(JSON.stringify(decision)).not.toContain("sk_live_abc")
    expect(decision).toMatchObject({ denial: { code: "SECRET_NOT_DECLARED" } })
  })
})

describe("records and agents", () => {
  it("[K18, K19, K20] class and path must both hold", () => {
    const held = { records: { update: [{ class: "inbox", path: "notes/**" }] } }
    expect(allows(held, "records.update notes/a of class inbox")).toBe(true)
    expect(allows(held, "records.update design/a of class inbox")).toBe(false)
    expect(allows(held, "records.update notes/a of class durable")).toBe(false)
    expect(allows(held, "records.delete notes/a of class inbox")).toBe(false)
  })

  it("[K14, K15, K16, L28] agents are reached by id", () => {
    const held = { agents: { update: ["agents/a", "agents/team/**"] } }
    expect(allows(held, "agents.update agents/a")).toBe(true)
    expect(allows(held, "agents.update agents/b")).toBe(false)
    expect(allows(held, "agents.update agents/team/x")).toBe(true)
    expect(allows(held, "agents.grant agents/a")).toBe(false)
  })

  it.each(["agents.update ../x", "agents.update a//b", "agents.update a\\b", "agents.update agents/*"])(
    "%s cannot be asked",
    (line) => {
      expect(refusedLine(line)).toMatch(/^(ID_INVALID|REQUEST_INVALID): /)
    }
  )
})

describe("a refusal", () => {
  const held = authority({
    network: { get: ["*.github.com"] },
    files: { read: ["/data/"] },
    process: {
      exec: [
        { argv: "echo:*", in: "/" },
        { argv: "npm test", in: "/w" }
      ]
    },
    storage: { use: ["session"] },
    attachments: { read: ["image"] }
  })

  const denial = (line: string): Denial.Denial => {
    const decision = decide(held, line)
    if (decision.allowed) throw new Error(`${line} is allowed`)
    return decision.denial
  }

  it.each([
    [
      "GET https://api.stripe.com/v1?key=x",
      "HOST_NOT_ALLOWED: api.stripe.com is not in the declared allowedHosts"
    ],
    ["POST https://api.github.com/x", "METHOD_NOT_ALLOWED: POST is not permitted for api.github.com"],
    ["read /etc/passwd", "PATH_NOT_REACHABLE: read not permitted for /etc/passwd"],
    ["exec rm -rf /", "BINARY_NOT_ALLOWED: rm is not in the declared allowedBinaries"],
    ["exec npm install in /w", "BINARY_NOT_ALLOWED: npm may not be run with these arguments"],
    ["exec npm test in /etc", "CWD_NOT_REACHABLE: npm may not run in /etc"],
    ["exec npm test", "CWD_NOT_REACHABLE: npm may not run without a directory"],
    ["eval in /w", "SHELL_NOT_ALLOWED: a shell may not be run here"],
    ["secret STRIPE_KEY", "SECRET_NOT_DECLARED: the requested secret is not in the tool's declared secrets"],
    ["storage personality", "SCOPE_NOT_ALLOWED: personality storage is not declared"],
    ["attachment file", "KIND_NOT_ALLOWED: attachments of kind file are not declared"],
    ["records.read a of class b", "RECORD_NOT_REACHABLE: read not permitted for a of class b"],
    ["agents.grant agents/x", "AGENT_NOT_REACHABLE: grant not permitted for agents/x"]
  ])("[C2, I2, K2, J17] of %s says %s", (line, message) => {
    expect(Denial.message(denial(line))).toBe(message)
  })

  it.each([
    ["GET https://api.stripe.com/v1?key=x", "net.get{hosts=[api.stripe.com]}"],
    ["read /etc/passwd", "fs.read{in=/etc/passwd}"],
    ['read "/a b/c"', "fs.read{in=/a b/c}"],
    ["exec rm -rf / in /w", "proc.exec{in=/w,cmds=[rm]}"],
    ["eval in /w", "proc.eval{in=/w}"],
    ["storage personality", "storage.use{scopes=[personality]}"],
    ["attachment file", "attachments.read{kinds=[file]}"],
    ["records.update notes/a of class b", "records.update{classes=[b],paths=[notes/a]}"],
    ["records.read notes/a of class b", "records.read"],
    ["agents.grant agents/x", "agent.grant{id=agents/x}"]
  ])("[M7] of %s proposes %s", (line, remedy) => {
    expect(denial(line).remedy).toBe(remedy)
  })

  it("[D9] tells an absent capability from a scope that does not reach", () => {
    expect(denial("DELETE https://api.github.com/x").reason).toBe("capability_absent")
    expect(denial("GET https://evil.com/").reason).toBe("scope_violation")
    expect(denial("GET https://evil.com/").held).toEqual(["*.github.com"])
  })

  it("shows what was asked without its query, and few of many scopes", () => {
    expect(denial("GET https://api.stripe.com/v1?key=x#y").asked).toBe("GET https://api.stripe.com/v1")
    const many = authority({ network: { get: Array.from({ length: 30 }, (_, i) => `h${i}.example.com`) } })
    const decision = decide(many, "GET https://evil.com/")
    expect(decision.allowed ? [] : decision.denial.held).toHaveLength(11)
    expect(decision.allowed ? [] : decision.denial.held.at(-1)).toBe("and 20 more")
  })

  it("an allowed request names the scope that allowed it", () => {
    expect(decide(held, "GET https://api.github.com/x")).toEqual({
      allowed: true,
      capability: "network.get",
      scope: "*.github.com"
    })
    expect(decide(held, "exec echo hi")).toMatchObject({ allowed: true, scope: "echo:*" })
  })
})

describe("gaps", () => {
  it("[B4, B5, B11, B12] name what is wanted and not held, with the remedy", () => {
    const wanted = authority({
      network: { get: ["api.github.com", "github.com"] },
      files: { read: ["/etc/"], write: ["/out/"] }
    })
    const held = authority({
      network: { get: ["*.github.com"] },
      files: { read: ["/data/"], write: ["/out/"] }
    })
    expect(Authority.gaps(wanted, held)).toEqual([
      {
        capability: "network.get",
        scope: "github.com",
        message: "GET from github.com is wanted and not held",
        remedy: "net.get{hosts=[github.com]}"
      },
      {
        capability: "files.read",
        scope: "/etc/",
        message: "read /etc/ is wanted and not held",
        remedy: "fs.read{in=/etc}"
      }
    ])
  })

  it("say how each would be closed, whatever its dimensions", () => {
    const wanted = authority({
      network: { get: ["*.github.com", "b.com"] },
      files: { read: ["/w/*.md", "/w/x"] },
      process: {
        exec: [
          { argv: "git:*", in: "/w" },
          { argv: "npm test", in: "/" }
        ],
        eval: ["/w"]
      },
      secrets: { read: ["K"] },
      records: { update: [{ class: "note", path: "notes/**" }], delete: [{ class: "*", path: "**" }] },
      agents: { update: ["agents/team/*"], grant: ["agents/a"] }
    })
    const held = authority({ network: { get: ["api.github.com"] } })
    expect(Authority.gaps(wanted, held).map(({ remedy }) => remedy)).toEqual([
      "net.get{hosts=[*.github.com]}",
      "net.get{hosts=[b.com]}",
      "fs.read{in=/w/x}",
      "fs.read{in=/w,paths=[*.md]}",
      "proc.exec{in=/w,cmds=[git]}",
      "proc.exec{in=/,patterns=[npm test]}",
      "proc.eval{in=/w}",
      "secrets.read{refs=[K]}",
      "records.update{classes=[note],paths=[notes/**]}",
      "records.delete",
      "agent.update{paths=[agents/team/*]}",
      "agent.grant{id=agents/a}"
    ])
  })

  it("[B10, B16] of what is covered are none", () => {
    expect(Authority.gaps(authority(reads("/data/files/")), authority(reads("/data/")))).toEqual([])
  })
})

describe("an authority in words", () => {
  it("says what may be done, or that nothing may", () => {
    expect(Authority.describe(Authority.nothing)).toEqual(["may touch nothing"])
    expect(
      Authority.describe(
        authority({ network: { get: ["*.github.com"] }, process: { exec: [{ argv: "git:*", in: "/w" }] } })
      )
    ).toEqual(["may GET from *.github.com", "may run git:* in /w/"])
  })
})

describe("an authority as data", () => {
  it.each([
    ["an unknown facet", { netwrok: {} }],
    ["an unknown verb", { network: { fetch: ["a.com"] } }],
    ["an unknown dimension", { process: { exec: [{ argv: "git:*", in: "/", cwd: "/" }] } }],
    ["a dimension left out", { process: { exec: [{ argv: "git:*" }] } }],
    ["an empty list of patterns", { files: { read: [[]] } }],
    ["a string for a list", { network: { get: "a.com" } }],
    ["an unknown word", { storage: { use: ["globl"] } }],
    ["a host that is a URL", { network: { get: ["https://a.com"] } }]
  ])("[Y01, Y04, Y07, T10] refuses %s", (_what, encoded) => {
    expect(Schema.decodeUnknownEither(Authority.FromJson)(encoded)._tag).toBe("Left")
  })

  it("that says nothing is nothing", () => {
    expect(Equal.equals(authority({}), Authority.nothing)).toBe(true)
    expect(Equal.equals(authority({ network: { get: [] } }), Authority.nothing)).toBe(true)
  })

  it("of everything survives the trip", () => {
    expect(Equal.equals(authority(Authority.everything.toJSON()), Authority.everything)).toBe(true)
  })
})
