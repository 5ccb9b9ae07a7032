/** What an operator is told to do, from what was refused: by the notation of whoever has to write it. */
import { Either, Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { Denial } from "../../src/policy/lattice/Denial.js"
import { capabilities } from "../../src/policy/lattice/Facets.js"
import { holding } from "../../src/policy/lattice/Remedy.js"
import * as Request from "../../src/policy/lattice/Request.js"
import * as Policy from "../../src/policy/Policy.js"
import * as Remedy from "../../src/policy/Remedy.js"

const { nothing } = Authority
const personality = Policy.make({ authority: nothing, personality: "p" })
const agent = Policy.make({ authority: nothing, agent: "agents/scout" })
const open = Policy.make({ authority: Authority.everything, personality: "p" })

const denialOf = (line: string): Denial => {
  const decision = Authority.permits(nothing, Either.getOrThrow(Request.parse(line)))
  if (decision.allowed) throw new Error("nothing permits nothing")
  return decision.denial
}

const said = (policy: Policy.Policy, denial: Denial) => Remedy.sentence(Remedy.stepFor(policy, denial))

const rows: ReadonlyArray<readonly [line: string, inPersonality: string, grant: string]> = [
  ["GET https://a.example/x", 'add "a.example" to safety.network.allow', "net.get{hosts=[a.example]}"],
  ['read "/x y"', 'add "/x y", or a directory above it, to fs_reach.read', "fs.read{in=/x y}"],
  ["delete /x", 'add "/x", or a directory above it, to fs_reach.write', "fs.delete{in=/x}"],
  ["exec git log in /w", 'add "git" to process.allow', "proc.exec{in=/w,cmds=[git]}"],
  [
    "eval in /w",
    'add "sh" to process.allow, and "/w", or a directory above it, to fs_reach.read',
    "proc.eval{in=/w}"
  ],
  [
    "records.create notes/a of class note",
    "add 'records.create{classes=[note]}' to grants",
    "records.create{classes=[note]}"
  ]
]

describe("what to do about a refusal", () => {
  it.each(rows)("of %s", (line, inPersonality, grant) => {
    const denial = denialOf(line)
    expect(said(personality, denial)).toBe(inPersonality)
    expect(said(agent, denial)).toBe(`bailiwick agents grant agents/scout '${grant}'`)
  })

  it("of a private endpoint is for the workspace to name, where an agent's record refuses", () => {
    const denial = denialOf("connect 127.0.0.1:8080")
    expect(said(personality, denial)).toBe('add "127.0.0.1:8080" to safety.network.private')
    expect(said(agent, denial)).toBe('add "127.0.0.1:8080" to private_hosts of bailiwick.yaml')
  })

  it("of a secret names those that the tool declares and the policy keeps back, and no other", () => {
    const denial = denialOf("secret hunter2")
    const naming = (policy: Policy.Policy, ...declared: ReadonlyArray<string>) =>
      said(policy, Remedy.namingSecrets(policy, denial, declared))
    expect(naming(agent, "KEY")).toBe("bailiwick agents grant agents/scout 'secrets.read{refs=[KEY]}'")
    expect(naming(agent, "A", "B")).toBe("bailiwick agents grant agents/scout 'secrets.read{refs=[A,B]}'")
    expect(naming(personality, "A", "B")).toBe('add "A" to secrets.allow, and "B" to secrets.allow')
    expect(naming(Policy.meet(open, agent), "KEY")).toContain("agents grant")
    expect(naming(open, "KEY")).toBe(denial.remedy)
    expect(naming(agent)).toBe(denial.remedy)
    expect(JSON.stringify(Remedy.namingSecrets(agent, denial, ["KEY"]))).not.toContain("hunter2")
    const other = denialOf("GET https://a.example/x")
    expect(Remedy.namingSecrets(agent, other, ["KEY"])).toBe(other)
  })

  it("is to declare it, where every policy allows it and only the tool does not", () => {
    expect(said(open, { ...denialOf("GET https://a.example/x"), tool: "weather" })).toBe(
      'the policy allows it, and weather does not declare it: add "a.example" to network.allowedHosts of its capabilities'
    )
  })

  it("is to change the personality first, where it refuses as well as the agent's record", () => {
    const denial = denialOf("GET https://a.example/x")
    expect(said(Policy.meet(personality, agent), denial)).toBe('add "a.example" to safety.network.allow')
    expect(said(Policy.meet(open, agent), denial)).toContain("agents grant")
  })

  it("is what the refusal says, where nothing that could be written would help", () => {
    const remedy = "no policy lifts this; use another path or host"
    const { remedies: _, ...denial } = { ...denialOf("read /x"), remedy }
    expect(said(personality, denial)).toBe(remedy)
    expect(said(agent, denial)).toBe(remedy)
  })

  it("of a command that is allowed with other arguments is to name these, and not to allow all of it", () => {
    const some = Schema.decodeSync(Authority.FromJson)({
      process: { exec: [{ argv: "git log *", in: "/w" }] }
    })
    for (const line of ["exec git status in /w", "exec git push --force in /w"]) {
      const decision = Authority.permits(some, Either.getOrThrow(Request.parse(line)))
      if (decision.allowed) throw new Error("only git log is allowed")
      for (const part of [personality, agent]) {
        const advice = said(part, decision.denial)
        expect(advice).toContain("proc.exec{in=/w,patterns=[git ARGUMENTS]}")
        expect(advice).not.toMatch(/cmds|"git"|push|status/)
      }
    }
  })

  it("a private address has no grant: it is named in a personality", () => {
    const { remedies } = holding("private.connect", { endpoint: "127.0.0.1:1" })
    expect(remedies).toEqual({ personality: [{ key: "safety.network.private", entry: "127.0.0.1:1" }] })
  })
})

describe("a remedy as data", () => {
  it("survives the wire with its refusal", () => {
    const denial = denialOf("GET https://a.example/x")
    expect(Schema.decodeUnknownSync(Denial)(JSON.parse(JSON.stringify(denial)))).toEqual(denial)
  })

  const patterns = {
    argv: "git:*",
    class: "note",
    endpoint: "127.0.0.1:1",
    host: "a.example",
    id: "agents/a",
    in: "/w/",
    kind: "image",
    path: "/w/",
    ref: "KEY",
    scope: "session",
    tool: "web_search"
  }

  it.each(capabilities.map(({ name }) => name))(
    "of %s: its grant is one, and gives that capability",
    (name) => {
      const { remedies } = holding(name, name.startsWith("records.") ? { ...patterns, path: "a" } : patterns)
      expect(Object.keys(remedies).length).toBeGreaterThan(0)
      if (remedies.grant === undefined) return
      const compiled = Either.getOrThrow(
        Either.flatMap(Grant.parse(remedies.grant), (grant) => Grant.compile(grant, {}))
      )
      expect(Authority.shown(Grant.authority([compiled]), name)).not.toEqual([])
    }
  )
})
