// biome-ignore-all lint/suspicious/noTemplateCurlyInString: personalities write their variables like this
/**
 * Whoever asks why something is allowed is shown the line. A line that is shown and did not allow it, or a line that
 * allowed it and is not shown, is worse than none: so the lines together are exactly what the personality holds.
 */

import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import * as Personality from "../../src/policy/personality/Personality.js"
import * as Source from "../../src/policy/Source.js"
import { times } from "../deep.js"
import { parse, read } from "./personalities.js"

const text = `id: p
fs_reach:
  read:
    - "\${CWD}"
    - ~/notes
  write: [~/notes]
safety:
  network:
    allow:
      - "*.example.com"
      - api.github.com
    deny: [private.example.com]
    private: ["127.0.0.1:8080"]
process:
  allow:
    - git log *
    - rg
secrets: { allow: [providers/exa/*] }
storage: { scopes: [session] }
attachments: { kinds: [image] }
grants:
  - records.read
  - records.update: { classes: [inbox] }
  - agent.update{ids=[agents/a]}
`

const request = (line: string): Request.Request =>
  Either.getOrThrowWith(Request.parse(line), (error) => new Error(error.message))

describe("the line that allows", () => {
  const { sources } = Personality.policy(read(text))
  it.each([
    ["read /w/x", 4, "fs_reach.read: ${CWD}"],
    ["read /home/u/notes/x", 5, "fs_reach.read: ~/notes"],
    ["write /home/u/notes/x", 6, "fs_reach.write: ~/notes"],
    ["delete /home/u/notes/x", 6, "fs_reach.write: ~/notes"],
    ["GET https://a.example.com/", 10, "safety.network.allow: *.example.com"],
    ["POST https://api.github.com/", 11, "safety.network.allow: api.github.com"],
    ["GET http://127.0.0.1:8080/", 13, "safety.network.private: 127.0.0.1:8080"],
    ["connect 127.0.0.1:8080", 13, "safety.network.private: 127.0.0.1:8080"],
    ["exec git log -5 in /w", 16, "process.allow: git log *"],
    ["exec rg x in /home/u/notes/a", 17, "process.allow: rg"],
    ["secret providers/exa/key", 18, "secrets.allow: providers/exa/*"],
    ["storage session", 19, "storage.scopes: session"],
    ["attachment image", 20, "attachments.kinds: image"]
  ])("of %s is %i, %s", (line, at, written) => {
    expect(Source.permitting(sources, request(line))).toMatchObject({
      file: "config.yaml",
      line: at,
      written
    })
  })

  it.each([
    "GET https://private.example.com/",
    "GET https://example.com/",
    "write /w/x",
    "exec git push in /w"
  ])("there is none of %s", (line) => {
    expect(Source.permitting(sources, request(line))).toBeUndefined()
  })

  it("is known for grants too", () => {
    const given = sources.filter(({ written }) => written.startsWith("grants: "))
    expect(given.map(({ line, written }) => [line, written])).toEqual([
      [22, "grants: records.read"],
      [23, "grants: records.update{classes=[inbox]}"],
      [24, "grants: agent.update{ids=[agents/a]}"]
    ])
    expect(given.map(({ authority }) => Object.keys(authority.toJSON()))).toEqual([
      ["records"],
      ["records"],
      ["agents"]
    ])
  })
})

describe("all lines", () => {
  const same = (a: Authority.Authority, b: Authority.Authority): boolean =>
    Authority.within(a, b) && Authority.within(b, a)

  const some = (...all: ReadonlyArray<string>) => fc.uniqueArray(fc.constantFrom(...all), { maxLength: 3 })

  const hosts = ["*", "*.a.example", "x.a.example", "b.example", "*.x.a.example"]
  const files = some("/", "/a", "/a/b", "~/n", "${CWD}")
  const config = fc.record({
    fs_reach: fc.record({ read: files, write: files }),
    safety: fc.record({
      network: fc.record({
        allow: some(...hosts),
        deny: some(...hosts),
        private: some("127.0.0.1:80", "b.example:81")
      })
    }),
    process: fc.record({ allow: some("*", "git", "git log *", "sh") }),
    secrets: fc.record({ allow: some("A", "a/b/*") }),
    storage: fc.record({ scopes: some("session", "personality") }),
    attachments: fc.record({ kinds: some("image", "file") }),
    grants: some(
      "records.read",
      "records.update{classes=[a]}",
      "agent.grant",
      "agent.update{paths=[agents/**]}"
    )
  })

  it("together are what the personality holds, and each is within it", () => {
    fc.assert(
      fc.property(config, (given) => {
        const { authority, sources } = Either.getOrThrow(parse(JSON.stringify({ id: "p", ...given })))
        expect(same(Authority.joinAll(sources.map((source) => source.authority)), authority)).toBe(true)
        expect(sources.every((source) => Authority.within(source.authority, authority))).toBe(true)
      }),
      { numRuns: times(100) }
    )
  })

  it("are worked out once, and only when they are asked for", () => {
    const personality = read(text)
    expect(personality.sources).toBe(personality.sources)
    expect(Object.getOwnPropertyDescriptor(personality, "sources")?.get).toBeTypeOf("function")
    expect(Object.getOwnPropertyDescriptor(Personality.policy(personality), "sources")?.get).toBeTypeOf(
      "function"
    )
  })
})
