/** Threat: an operator who writes the grants that were asked for, and is told that they are missing still; or the other way. */

import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import type * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Skill from "../../src/policy/skill/Skill.js"
import { times } from "../deep.js"
import { agent, HOME, skill } from "./skills.js"

const runs = { numRuns: times(80) }

const options: Skill.Options = { home: HOME, root: "/work/here" }

const word = fc.constantFrom("git", "rg", "npm", "jq", "./run.sh")
const path = fc.constantFrom(
  "src/**",
  "src/a/*",
  "a.txt",
  "docs/",
  "**/*.md",
  "/etc/hosts",
  "/w/src/**",
  "~/n/*",
  "~"
)

const token = fc.oneof(
  fc.constantFrom(
    "Bash",
    "Read",
    "Grep",
    "Write",
    "Edit",
    "WebFetch",
    "WebSearch",
    "Bash(ls | head)",
    "Unknown(x)"
  ),
  fc.constantFrom(
    "search_records",
    "create_record",
    "delete_record",
    "grant_capability",
    "run_shell",
    "kv_get"
  ),
  fc
    .tuple(word, fc.constantFrom("", ":*", " *", " log", " log *", " add:*"))
    .map(([a, b]) => `Bash(${a}${b})`),
  fc.tuple(fc.constantFrom("Read", "Glob", "Write", "delete_file"), path).map(([a, b]) => `${a}(${b})`),
  fc
    .constantFrom("github.com", "domain:github.com", "domain:*.github.com", "api.github.com")
    .map((host) => `WebFetch(${host})`)
)

const tools = fc.array(token, { minLength: 1, maxLength: 6 }).map((all) => all.join(" "))

const root = fc.constantFrom("", "in=/w", "in=/w/src", "in=~", "in=/etc", "in=/")

const scoped = (name: string, extra: fc.Arbitrary<string>) =>
  fc.tuple(root, extra).map((parts) => `${name}{${parts.filter((part) => part !== "").join(",")}}`)

const spec = fc.oneof(
  fc.constantFrom(
    "records.read",
    "records.create{classes=[note]}",
    "records.delete",
    "agent.grant",
    "net.get"
  ),
  fc
    .constantFrom("github.com", "*.github.com", "*", "api.github.com")
    .map((host) => `net.get{hosts=[${host}]}`),
  scoped("fs.read", fc.constantFrom("", "paths=[src/**]", "paths=[a.txt,docs/]")),
  scoped("fs.write", fc.constantFrom("", "paths=[src/**]")),
  scoped("fs.delete", fc.constantFrom("", "paths=[*]")),
  scoped("proc.exec", fc.constantFrom("", "cmds=[git,rg]", "patterns=[git log *]", "patterns=[*]")),
  scoped("proc.eval", fc.constant(""))
)

const shorthand = fc.constantFrom([], ["access: r"], ["access: rw"], ["sandbox: /w"], ["sandbox: ~/p"])

const specs = fc.array(spec, { maxLength: 4 })

const right = <A, E>(either: Either.Either<A, E>): A => Either.getOrThrowWith(either, (error) => error)

const written = (grants: ReadonlyArray<Grant.Grant>, lines: ReadonlyArray<string>) =>
  agent(...lines, "capabilities:", ...grants.map((grant) => `  - ${Grant.toYaml(grant)}`))

const parsed = (all: ReadonlyArray<string>) => all.map((one) => right(Grant.parse(one)))

const missingOf = (given: string, to: AgentRecord.AgentRecord) =>
  Skill.check(skill(given), to, options).missing

describe("of every skill and every agent", () => {
  it("[N21] what is missing, printed and granted, is missing no more", () => {
    let granted = 0
    fc.assert(
      fc.property(tools, specs, shorthand, (given, held, lines) => {
        const before = parsed(held)
        const missing = missingOf(given, written(before, lines))
        granted += missing.length
        const more = missing.map(({ grant }) => right(Grant.parse(Grant.print(grant))))
        const bounded = lines.some((line) => line.startsWith("sandbox:"))
        // A sandbox keeps out what is elsewhere; granting writes it out, as here.
        const shorthands = bounded ? written(before, lines).held.map(({ effective }) => effective) : before
        const after = written([...shorthands, ...more], bounded ? [] : lines)
        expect(missingOf(given, after)).toEqual([])
        expect(Skill.available([skill(given)], after, options)).toHaveLength(1)
      }),
      runs
    )
    expect(granted).toBeGreaterThan(times(50))
  })

  it("what is missing compiles to an authority that is not held yet", () => {
    fc.assert(
      fc.property(tools, specs, (given, held) => {
        const to = written(parsed(held), [])
        for (const { grant } of missingOf(given, to)) {
          const compiled = right(Grant.compile(grant, { home: HOME }))
          expect(compiled.inert).toBe(undefined)
          expect(Authority.within(Grant.authority([compiled]), to.authority)).toBe(false)
        }
      }),
      runs
    )
  })

  it("a wider agent is never missing what a narrower one is not", () => {
    let satisfied = 0
    fc.assert(
      fc.property(tools, specs, specs, shorthand, (given, held, more, lines) => {
        const narrow = written(parsed(held), lines)
        const wide = written(parsed([...held, ...more]), lines)
        const tokens = (to: AgentRecord.AgentRecord) =>
          Skill.check(skill(given), to, options).satisfied.map(({ token: text }) => text)
        const before = tokens(narrow)
        satisfied += before.length
        expect(tokens(wide)).toEqual(expect.arrayContaining(before))
      }),
      runs
    )
    expect(satisfied).toBeGreaterThan(times(25))
  })

  it("each listed tool is satisfied, missing or unknown, and only one of them", () => {
    fc.assert(
      fc.property(tools, specs, (given, held) => {
        const checked = Skill.check(skill(given), written(parsed(held), []), options)
        const each = [checked.satisfied, checked.missing, checked.unknown].flatMap((all) => [
          ...new Set(all.map(({ token: text }) => text))
        ])
        expect([...each].sort()).toEqual(
          skill(given)
            .tokens.map(({ text }) => text)
            .sort()
        )
      }),
      runs
    )
  })

  it("no text whatever makes the parser fail", () => {
    const piece = fc.constantFrom(
      "---\n",
      "name: a\n",
      "allowed-tools: ",
      "(",
      ")",
      "Bash(",
      ":*",
      "\n",
      "[",
      ",",
      " ",
      "x"
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 20 }).map((all) => all.join(""))
        ),
        (text) => {
          const read = Skill.parse({ file: "f", text, id: "a" })
          expect(read.name).toBe("a")
          expect(Skill.available([read], agent())).toEqual(
            read.problems.length > 0 || Skill.check(read, agent()).missing.length > 0 ? [] : [read]
          )
        }
      ),
      runs
    )
  })
})
