/**
 * Threat: a declaration that reads as less, or as more, than it says. The ids in brackets name the conformance
 * and attack cases.
 */
import { Either, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Capabilities } from "../../src/capabilities/Capabilities.js"
import * as Declaration from "../../src/capabilities/Declaration.js"
import * as Authority from "../../src/policy/lattice/Authority.js"

const declared = (capabilities: Capabilities, places?: Declaration.Places) =>
  Either.getOrThrowWith(
    Declaration.authority(capabilities, places),
    (error) => new Error(error.message)
  ).toJSON()

const policy = (encoded: unknown) => Schema.decodeUnknownSync(Authority.FromJson)(encoded)

const granted = (capabilities: Capabilities, encoded: unknown) =>
  Authority.meet(Either.getOrThrow(Declaration.authority(capabilities)), policy(encoded)).toJSON()

const gaps = (capabilities: Capabilities, encoded: unknown) =>
  Authority.gaps(Either.getOrThrow(Declaration.named(capabilities)), policy(encoded)).map(
    ({ capability, scope }) => `${capability} ${scope}`
  )

const every = { network: { get: ["*"], post: ["*"], put: ["*"], delete: ["*"] } }

describe("a declaration", () => {
  it("[A14, B1] that is empty asks for nothing", () => {
    expect(declared({})).toEqual({})
    expect(declared({ network: { allowedHosts: [] }, secrets: [], fs_reach: {} })).toEqual({})
  })

  it("asks for every method on its hosts", () => {
    const hosts = ["api.github.com"]
    expect(declared({ network: { allowedHosts: ["API.GitHub.com"] } })).toEqual({
      network: { get: hosts, post: hosts, put: hosts, delete: hosts },
      private: { connect: hosts }
    })
  })

  it("asks to delete what it asks to write, and not to read it", () => {
    expect(declared({ fs_reach: { write: ["/out/"] } })).toEqual({
      files: { write: ["/out/"], delete: ["/out/"] }
    })
  })

  it("asks for binaries anywhere, and for a shell only with '*'", () => {
    expect(declared({ process: { allowedBinaries: ["git"] } })).toEqual({
      process: { exec: [{ argv: "git:*", in: "/" }] }
    })
    expect(declared({ process: { allowedBinaries: ["*"] } })).toEqual({
      process: { exec: [{ argv: "*", in: "/" }], eval: ["/"] }
    })
  })

  it("asks for its refs, its scope, its kinds, its verbs", () => {
    expect(
      declared({
        secrets: ["K", "providers/exa/*"],
        storage: { scope: "session", kind: "kv" },
        attachments: { kinds: ["image"] },
        records: { verbs: ["read", "create"], classes: ["note"] },
        agents: { verbs: ["grant"], ids: ["agents/team/**"] }
      })
    ).toEqual({
      secrets: { read: ["K", "providers/exa/*"] },
      storage: { use: ["session"] },
      attachments: { read: ["image"] },
      records: { read: [{ class: "note", path: "**" }], create: [{ class: "note", path: "**" }] },
      agents: { grant: ["agents/team/**"] }
    })
  })

  it("[H6] expands '~' where a home is known, and is an error where not", () => {
    expect(declared({ fs_reach: { read: ["~/notes", "~"] } }, { home: "/home/u" })).toEqual({
      files: { read: ["/home/u/"] }
    })
    expect(Either.isLeft(Declaration.authority({ fs_reach: { read: ["~/notes"] } }))).toBe(true)
  })

  it.each<[string, string, Capabilities]>([
    ["C10", "HOST_INVALID", { network: { allowedHosts: ["a.*.com"] } }],
    ["C13", "HOST_INVALID", { network: { allowedHosts: ["a.com:8443"] } }],
    ["F12, S06", "REF_INVALID", { secrets: ["*"] }],
    ["F12, S06", "REF_INVALID", { secrets: ["/*"] }],
    ["F13", "REF_INVALID", { secrets: ["a/../b"] }],
    ["B14", "PATH_INVALID", { fs_reach: { read: ["/data/../etc"] } }],
    ["-", "PATH_INVALID", { fs_reach: { write: ["out"] } }],
    ["-", "PATH_INVALID", { fs_reach: { read: ["/data/*.md"] } }],
    ["-", "COMMAND_INVALID", { process: { allowedBinaries: ["git log"] } }],
    ["-", "COMMAND_INVALID", { process: { allowedBinaries: ["./git"] } }],
    ["-", "COMMAND_INVALID", { process: { allowedBinaries: ["gi*"] } }],
    ["-", "ID_INVALID", { agents: { verbs: ["grant"], ids: ["../x"] } }]
  ])("[%s] with %s is refused in one sentence", (_id, code, capabilities) => {
    const compiled = Declaration.authority(capabilities)
    expect(Either.isLeft(compiled) && compiled.left.code).toBe(code)
  })

  it.each([
    ["A11, Y04", { netwrok: {} }],
    ["A11", { browser: {} }],
    ["Y01", { network: { allowedHosts: "api.ok.com" } }],
    ["Y05", { fs_reach: { read: "from-personalty" } }],
    ["Y06", { process: { allowedBinaries: "git" } }],
    ["Y06", { secrets: "a/b" }],
    ["Y07, G24", { storage: { scope: "globl", kind: "kv" } }],
    ["B22", { attachments: { kinds: ["video"] } }],
    ["-", { network: {} }],
    ["-", { network: { allowedHosts: [], ports: [] } }]
  ])("[%s] %j has no shape that we read", (_id, capabilities) => {
    expect(Schema.decodeUnknownEither(Capabilities)(capabilities)._tag).toBe("Left")
  })
})

describe("a declaration met with a policy", () => {
  it("[D4, B6, T07] that says '*' gets exactly what the policy allows, and has no gaps", () => {
    expect(granted({ network: { allowedHosts: ["*"] } }, { network: { get: ["a.com", "*.b.com"] } })).toEqual(
      {
        network: { get: ["*.b.com", "a.com"] }
      }
    )
    expect(gaps({ network: { allowedHosts: ["*"] } }, {})).toEqual([])
  })

  it("gets what both name", () => {
    const hosts = ["api.github.com"]
    expect(
      granted(
        { network: { allowedHosts: ["api.github.com", "api.stripe.com"] } },
        { network: { get: ["*.github.com"], post: ["*.github.com"] } }
      )
    ).toEqual({ network: { get: hosts, post: hosts } })
  })

  it("[D6] open meets open", () => {
    expect(granted({ network: { allowedHosts: ["*"] } }, every)).toEqual(every)
  })

  it("[I31] from-personality under a policy without paths is nothing", () => {
    expect(granted({ fs_reach: { read: "from-personality" } }, {})).toEqual({})
  })

  it("[B5, B11, B12, B13, B15, B16, B25] has gaps where a name is not covered", () => {
    const all = (encoded: ReadonlyArray<string>) => ({
      network: { get: encoded, post: encoded, put: encoded, delete: encoded }
    })
    expect(gaps({ network: { allowedHosts: ["API.github.com"] } }, all(["*.GitHub.com"]))).toEqual([])
    expect(gaps({ network: { allowedHosts: ["github.com"] } }, all(["*.github.com"]))).toHaveLength(4)
    expect(gaps({ fs_reach: { read: ["/database"] } }, { files: { read: ["/data/"] } })).toEqual([
      "files.read /database/"
    ])
    expect(gaps({ fs_reach: { read: ["/etc"] } }, { files: { read: ["/"] } })).toEqual([])
    expect(gaps({ fs_reach: { read: ["/data/x"] } }, { files: { read: ["/data/"] } })).toEqual([])
    expect(gaps({ fs_reach: { write: ["/secret"] } }, { files: { read: ["/"] } })).toEqual([
      "files.write /secret/",
      "files.delete /secret/"
    ])
  })

  it("[S15] a secret that the policy does not hold is not granted", () => {
    expect(granted({ secrets: ["A", "B"] }, { secrets: { read: ["A"] } })).toEqual({
      secrets: { read: ["A"] }
    })
  })
})
