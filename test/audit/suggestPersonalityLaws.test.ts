/** The same laws as for records, for personalities drawn at random. */
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { evidenceOf } from "../../src/audit/suggest/Evidence.js"
import { suggestFor } from "../../src/audit/suggest/ForPersonality.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Personality from "../../src/policy/personality/Personality.js"
import { times } from "../deep.js"
import { HOME, right } from "../policy/agents.js"
import { answerOf, behind, links, logOf, request } from "./logs.js"

const some = (...texts: ReadonlyArray<string>) => fc.subarray([...texts])

const CWD = `\${CWD}`

const style = fc.constantFrom("block", "flow", "lines")

const listed = (name: string, pad: string, items: ReadonlyArray<string>, how: string): string => {
  const texts = items.map((item) => JSON.stringify(item))
  if (items.length === 0) return `${pad}${name}: []\n`
  if (how === "flow") return `${pad}${name}: [${texts.join(", ")}] # of ${name}\n`
  if (how === "lines")
    return `${pad}${name}: [\n${texts.map((text) => `${pad}  ${text}`).join(",\n")}\n${pad}]\n`
  return `${pad}${name}: # of ${name}\n${texts.map((text, i) => `${pad}  # above ${i}\n${pad}  - ${text} # own ${i}\n`).join("")}`
}

const optional = <A>(of: fc.Arbitrary<A>) => fc.option(of, { nil: undefined, freq: 3 })

/** Refs may be listed or left to tools, and either way be only sealed. */
const secretsSection = (refs: ReadonlyArray<string> | undefined, sealed: string, how: string): string =>
  refs === undefined
    ? sealed === ""
      ? ""
      : `secrets:\n${sealed}`
    : `secrets:\n${listed("allow", "  ", refs, how)}${sealed}`

/** A personality with its lists in any style, some of its sections absent. */
const personality = fc
  .record({
    read: some("/", "/w", "/w/a", "~/p", CWD, `${CWD}/sub`),
    write: some("/w", "/w/lib", "/w/.github/workflows", "~"),
    allow: some("*", "*.a.example", "b.example", "a.example"),
    deny: some("c.a.example", "*.b.a.example"),
    private: some("127.0.0.1:8080", "b.example:80", "127.0.0.1:80"),
    process: optional(some("*", "git", "rg:*", "npm test *", "sh")),
    secrets: optional(some("KEY", "a/*", "b/c/d", "a/b/*")),
    sealed: fc.constantFrom("", "  sealed: true\n", "  sealed: false\n"),
    storage: optional(some("session", "*")),
    attachments: optional(fc.oneof(some("image", "file", "*"), fc.constant("*"))),
    grants: some(
      "records.read",
      "records.update{paths=[notes/**]}",
      "agent.update",
      "records.create",
      "agent.grant{id=agents/*}",
      "provider.code_execution"
    ),
    style
  })
  .map(
    ({
      allow,
      attachments,
      deny,
      grants,
      private: endpoints,
      process,
      read,
      sealed,
      secrets,
      storage,
      style: how,
      write
    }) =>
      [
        "id: tester # kept\n",
        `fs_reach:\n${listed("read", "  ", read, how)}${listed("write", "  ", write, how)}`,
        `safety:\n  network:\n${listed("allow", "    ", allow, how)}${listed("deny", "    ", deny, how)}${listed("private", "    ", endpoints, how)}`,
        process === undefined ? "" : `process:\n${listed("allow", "  ", process, how)}`,
        secretsSection(secrets, sealed, how),
        storage === undefined ? "" : `storage: { scopes: ${JSON.stringify(storage)} }\n`,
        attachments === undefined ? "" : `attachments: { kinds: ${JSON.stringify(attachments)} }\n`,
        listed("grants", "", grants, how),
        "description: kept # to the end\n"
      ].join("")
  )

describe("what is suggested for any personality and any log", () => {
  const drawn = fc.record({
    text: personality,
    requests: fc.array(request, { maxLength: 40, size: "max" }),
    siblings: fc.integer({ min: 0, max: 4 }),
    real: links,
    isFile: fc.constantFrom(
      undefined,
      () => true,
      (path: string) => path.length % 2 === 0
    )
  })

  it.each([1, 2, 3, 4, 5])(
    "is within what is held, answers all of the log alike, and is the last word (%i)",
    () => {
      let changed = 0
      let allowed = 0
      fc.assert(
        fc.property(drawn, ({ isFile, real, requests, siblings, text }) => {
          const places = { home: HOME, workdir: "/w/b", workspace: "/w" }
          const sourcesOf = (config: string) => ({ config: { file: "/p/config.yaml", text: config } })
          const read = (config: string) =>
            Personality.policy(right(Personality.parse(sourcesOf(config), places)))
          const before = read(text)
          // A tool that declares everything: it gets all that is left to declarations.
          const whole = (policy: typeof before) => ({
            ...policy,
            authority: Authority.join(policy.authority, Authority.pick(policy.ceiling, ...policy.asDeclared))
          })
          const evidence = evidenceOf(
            logOf(whole(before), requests),
            { personality: "tester" },
            { isFile, real }
          )
          const made = right(
            Either.mapLeft(
              suggestFor(sourcesOf(text), places, before, evidence, { siblings }),
              (message) => ({ message })
            )
          )
          const after = read(made.after)
          expect(Authority.within(after.authority, before.authority)).toBe(true)
          expect([...after.asDeclared]).toEqual([...before.asDeclared])
          for (const one of requests.flatMap((each) => [each, ...behind(each, real)])) {
            const [was, is] = [answerOf(whole(before), one), answerOf(whole(after), one)]
            expect(Either.isRight(is), JSON.stringify(one)).toBe(Either.isRight(was))
            if (Either.isRight(was)) allowed++
          }
          const kept = (config: string) => config.split("\n").filter((line) => line.includes("kept"))
          expect(kept(made.after)).toEqual(kept(text))
          const again = Either.getOrThrow(
            suggestFor(sourcesOf(made.after), places, after, evidence, { siblings })
          )
          expect(again).toMatchObject({ after: made.after, unused: [], narrower: [] })
          expect(made.leftOut).toBe(0)
          if (made.after !== text) changed++
        }),
        { numRuns: times(20) }
      )
      expect(changed).toBeGreaterThan(8)
      expect(allowed).toBeGreaterThan(25)
    }
  )
})
