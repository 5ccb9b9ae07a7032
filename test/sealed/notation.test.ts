/** What is threatened: a word that seals and is not read, or a change that opens what was sealed and passes for none. */
import { describe, expect, it } from "@effect/vitest"
import {
  AgentRecord,
  Authority,
  Grant,
  Manifest,
  Personality,
  Registry,
  Request,
  Secrets,
  Tool
} from "bailiwick"
import { Effect, Either, Schema } from "effect"
import { Capabilities } from "../../src/capabilities/Capabilities.js"
import * as Declaration from "../../src/capabilities/Declaration.js"
import * as AgentEdit from "../../src/policy/agent/edit/AgentEdit.js"
import { KEY } from "./rig.js"

const held = (...specs: ReadonlyArray<string>) =>
  Grant.authority(specs.map((spec) => Either.getOrThrow(Grant.compile(Grant.parseSync(spec), {}))))

const may = (authority: Authority.Authority, line: string) =>
  Authority.permits(authority, Request.parseSync(line)).allowed

const SEAL = "seal KEY to api.example.com:443 in header:authorization"

describe("a grant of secrets", () => {
  it("that is sealed lets them be sent, and not be read", () => {
    const sealed = held("secrets.read{refs=[KEY],sealed=true}")
    expect([may(sealed, SEAL), may(sealed, "secret KEY"), may(sealed, SEAL.replace("KEY", "OTHER"))]).toEqual(
      [true, false, false]
    )
    const plain = held("secrets.read{refs=[KEY]}")
    expect([may(plain, SEAL), may(plain, "secret KEY")]).toEqual([true, true])
    expect(Authority.within(sealed, plain)).toBe(true)
    expect(Authority.within(plain, sealed)).toBe(false)
    expect(Authority.describe(sealed)).toEqual(["may send the sealed secrets KEY"])
    expect(Authority.describe(plain)).toEqual(["may read the secrets KEY"])
  })

  it("is written in each form, reads back, and says what it is", () => {
    const spec = "secrets.read{refs=[KEY],sealed=true}"
    for (const given of [spec, { "secrets.read": { refs: ["KEY"], sealed: true } }]) {
      const grant = Either.getOrThrow(Grant.fromData(given))
      expect(Grant.print(grant)).toBe(spec)
      expect(Grant.toYaml(grant)).toBe("secrets.read: { refs: [KEY], sealed: true }")
      expect(Grant.describe(grant)).toBe("send sealed secrets of ref KEY")
    }
    expect(Grant.print(Grant.parseSync("secrets.read{refs=[KEY],sealed=false}"))).toBe(
      "secrets.read{refs=[KEY]}"
    )
    const wrong = Grant.parse("secrets.read{refs=[KEY],sealed=yes}")
    expect(Either.isLeft(wrong) && wrong.left.message).toMatch(
      /'sealed' is the string 'yes', expected true or false/
    )
  })

  it("of an agent's record: a sealed one is revoked by its ref, and by the bare verb", () => {
    const source = (text: string) => ({
      id: "agents/a",
      file: "a.md",
      text: `---\nclass: agent\ncapabilities:\n${text}---\n`
    })
    const record = source("  - secrets.read: { refs: [KEY, OTHER], sealed: true }\n")
    expect(may(AgentRecord.parse(record, {}).authority, SEAL)).toBe(true)
    const left = (spec: string) => Either.getOrThrow(AgentEdit.revoke(record, Grant.parseSync(spec), {})).text
    expect(left("secrets.read{refs=[KEY]}")).toContain("secrets.read: { refs: [OTHER], sealed: true }")
    expect(left("secrets.read")).not.toContain("secrets.read")
  })
})

describe("a personality", () => {
  const parse = (text: string) =>
    Personality.parse({ config: { file: "c.yaml", text: `id: p\n${text}` } }, { workdir: "/work" })

  it("says that secrets are only sent sealed", () => {
    const { authority, sources } = Either.getOrThrow(parse("secrets: { allow: [KEY], sealed: true }"))
    expect([may(authority, SEAL), may(authority, "secret KEY")]).toEqual([true, false])
    expect(sources.map(({ line, written }) => `${line} ${written}`)).toEqual(["2 secrets.allow: KEY"])
    const alone = Either.getOrThrow(parse("secrets:\n  sealed: true"))
    expect([may(alone.authority, SEAL), may(alone.authority, "secret KEY")]).toEqual([true, false])
    expect(alone.asDeclared).not.toContain("secrets")
    expect(alone.sources.map(({ line, written }) => `${line} ${written}`)).toEqual(["3 secrets.sealed: true"])
    expect(Either.getOrThrow(parse("secrets: { sealed: false }")).asDeclared).toContain("secrets")
    expect(Either.getOrThrow(parse("secrets: {}")).asDeclared).not.toContain("secrets")
  })

  it.each(["secrets: { sealed: yes please }", 'secrets: { sealed: "true" }', "secrets: { seal: true }"])(
    "does not guess: %s",
    (text) => {
      const read = parse(text)
      expect(Either.isLeft(read) && read.left.message).toMatch(/KEY_UNKNOWN|VALUE_INVALID/)
    }
  )
})

describe("a declaration", () => {
  const decode = Schema.decodeUnknownEither(Capabilities)

  it.each([
    [{ ref: "KEY", hosts: [] }],
    [{ ref: "KEY", hosts: ["*"] }],
    [{ ref: "KEY", hosts: ["https://api.example.com"] }],
    [{ ref: "KEY", hosts: ["api.example.com"], in: [] }],
    [{ ref: "KEY", hosts: ["api.example.com"], in: ["cookie"] }],
    [{ ref: "KEY", hosts: ["api.example.com"], in: ["header:"] }],
    [{ ref: "KEY", hosts: ["api.example.com"], in: ["header:a b"] }],
    [{ ref: "KEY", hosts: ["api.example.com"], at: ["body"] }],
    [{ ref: "*", hosts: ["api.example.com"] }],
    [{ hosts: ["api.example.com"] }],
    [{ ref: "KEY" }]
  ])("that is not whole, or for everybody, is none: %j", (entry) => {
    expect(Either.isLeft(decode({ secrets: [entry] }))).toBe(true)
  })

  it("is a header unless it is said, and mixes with refs that are read", () => {
    const secrets = ["OTHER", { ref: "KEY", hosts: ["api.example.com", "*.example.org:8443"] }]
    const declared = Either.getOrThrow(decode({ secrets }))
    const authority = Either.getOrThrow(Declaration.authority(declared))
    expect(may(authority, SEAL)).toBe(true)
    expect(may(authority, SEAL.replace("header:authorization", "body"))).toBe(false)
    expect(may(authority, "seal KEY to a.example.org:8443 in header:authorization")).toBe(true)
    expect(may(authority, "seal KEY to a.example.org:443 in header:authorization")).toBe(false)
    expect([may(authority, "secret KEY"), may(authority, "secret OTHER")]).toEqual([false, true])
    expect(authority.toJSON()).toEqual({
      secrets: {
        read: ["OTHER"],
        seal: [
          { ref: "KEY", to: "*.example.org:8443", in: "header:authorization" },
          { ref: "KEY", to: "api.example.com", in: "header:authorization" }
        ]
      }
    })
    expect(Declaration.listed(declared).map(({ value }) => value)).toEqual([
      "OTHER",
      "KEY, sealed, to api.example.com in header:authorization",
      "KEY, sealed, to *.example.org:8443 in header:authorization"
    ])
  })
})

describe("a manifest", () => {
  const tool = (secrets: ReadonlyArray<unknown>) =>
    Tool.make({
      name: "caller",
      description: "calls",
      parameters: Schema.Struct({}),
      capabilities: { secrets: secrets as readonly [typeof KEY] },
      execute: () => Effect.as(Secrets.sealed("KEY"), "ok")
    }) as Tool.Any

  it.each([
    ["sealed to plain", [KEY], ["KEY"], true],
    ["a host more", [KEY], [{ ...KEY, hosts: [...KEY.hosts, "b.example.com"] }], true],
    ["a place more", [KEY], [{ ...KEY, in: [...KEY.in, "body"] }], true],
    ["a wider host", [KEY], [{ ...KEY, hosts: ["*.example.com"] }], true],
    ["plain to sealed", ["KEY"], [KEY], false],
    ["a host less", [{ ...KEY, hosts: [...KEY.hosts, "b.example.com"] }], [KEY], false],
    ["the same, said otherwise", [KEY], [{ ref: "KEY", hosts: ["API.example.com"] }], false]
  ])("says that %s widens, or does not", (_, before, after, widens) => {
    const accepted = Manifest.of(Registry.make(tool(before)))
    const { changes, passes } = Manifest.compare(accepted, Manifest.of(Registry.make(tool(after))))
    expect(changes.some(({ more }) => more.length > 0)).toBe(widens)
    expect(passes).toBe(!widens)
  })
})
