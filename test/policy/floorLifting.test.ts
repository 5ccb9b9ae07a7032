/**
 * Threats: a policy that names a directory lifts more of the floor than the operator wrote, or lifts what no policy
 * lifts; two policies that hold together lift what only one of them names.
 */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import { ask, holder } from "../../src/policy/gate/Asking.js"
import * as Floor from "../../src/policy/gate/floor/Floor.js"
import { groups } from "../../src/policy/gate/floor/Places.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import type { Denial } from "../../src/policy/lattice/Denial.js"
import * as Request from "../../src/policy/lattice/Request.js"
import * as Policy from "../../src/policy/Policy.js"
import * as Personality from "../../src/policy/personality/Personality.js"
import { times } from "../deep.js"

type Action = "read" | "write" | "delete"

const home = "/home/ada"
const floor = Floor.around("/ws/records/agents/a.md", { home, workspace: "/ws" })

const asked = ({ authority, floor }: Policy.Policy, action: Action, path: string) =>
  ask(holder({ authority, floor, tool: "t" }), Request.file(action, path))

const opens = (policy: Policy.Policy, path: string, action: Action = "write"): boolean =>
  Either.isRight(asked(policy, action, path))

const denial = (policy: Policy.Policy, path: string, action: Action = "write"): Denial =>
  Either.match(asked(policy, action, path), {
    onLeft: (refusal) => refusal.denial,
    onRight: () => {
      throw new Error(`${path} is open`)
    }
  })

const personality = (...write: ReadonlyArray<string>): Policy.Policy =>
  Personality.policy(
    Either.getOrThrowWith(
      Personality.parse(
        {
          config: {
            file: "/ws/personalities/p/config.yaml",
            text: `id: p\nfs_reach:\n  write: ${JSON.stringify(write)}\n`
          }
        },
        { home, workdir: "/work/app", workspace: "/ws" }
      ),
      ({ message }) => new Error(message)
    )
  )

const agent = (...grants: ReadonlyArray<string>): Policy.Policy =>
  AgentRecord.policy(
    AgentRecord.parse(
      {
        file: "/ws/records/agents/a.md",
        id: "agents/a",
        text: `---\nclass: agent\ncapabilities:\n${grants.map((grant) => `  - ${grant}\n`).join("")}---\n`
      },
      { home }
    ),
    { floor }
  )

const WORKFLOW = "/work/app/.github/workflows/ci.yml"

describe("what runs later by itself", () => {
  it("is not lifted by a policy that reaches it", () => {
    for (const policy of [
      personality("/"),
      personality("/work/app"),
      personality("/work/app/.github"),
      agent("fs.write: { in: / }"),
      agent("fs.write: { in: /work/app }"),
      agent('fs.write: { in: /work/app, paths: ["**"] }'),
      agent('fs.write: { in: /work/app, paths: [".github/**"] }'),
      agent('fs.write: { in: /work/app, paths: [".github/workflows/*.yml"] }')
    ]) {
      expect(opens(policy, WORKFLOW)).toBe(false)
    }
  })

  it("is lifted by a policy that names the exact path, of the file or of the guarded place", () => {
    for (const policy of [
      personality("/work/app", WORKFLOW),
      personality("/work/app/.github/workflows"),
      agent(`fs.write: { in: ${WORKFLOW} }`),
      agent('fs.write: { in: /work/app, paths: [".github/workflows/ci.yml"] }'),
      agent("fs.write: { in: /work/app }", "fs.write: { in: /work/app/.github/workflows }")
    ]) {
      expect(opens(policy, WORKFLOW)).toBe(true)
    }
  })

  it("each verb is named for itself in grants, and both in a personality", () => {
    const written = agent("fs.delete: { in: /work/app }", `fs.write: { in: ${WORKFLOW} }`)
    expect(opens(written, WORKFLOW)).toBe(true)
    expect(opens(written, WORKFLOW, "delete")).toBe(false)
    expect(opens(personality(WORKFLOW), WORKFLOW, "delete")).toBe(true)
  })

  it("what is named lifts that and nothing beside it, nor what is guarded deeper", () => {
    const policy = personality("/work/app", WORKFLOW, "/etc", "/opt/app", "/home/bob/shared")
    for (const path of ["/work/app/.github/workflows/other.yml", "/etc/cron.d/x", "/opt/b", "/home/bob/x"]) {
      expect([path, opens(policy, path)]).toEqual([path, false])
    }
    for (const path of ["/etc/motd", "/opt/app/x", "/home/bob/shared/x"]) {
      expect([path, opens(policy, path)]).toEqual([path, true])
    }
    expect(opens(policy, "/opt/app/.git/hooks/pre-commit")).toBe(false)
  })

  it("two policies lift what both name", () => {
    const one = personality("/", WORKFLOW, "/work/app/.envrc")
    const other = agent("fs.write: { in: / }", "fs.write: { in: /work/app/.github/workflows }")
    const both = Policy.meet(one, other)
    expect(opens(both, WORKFLOW)).toBe(true)
    expect(opens(both, "/work/app/.github/workflows/other.yml")).toBe(false)
    expect(opens(both, "/work/app/.envrc")).toBe(false)
  })

  it("a policy made of an authority lifts what that names, and not what its patterns match", () => {
    const made = (...write: ReadonlyArray<string>) =>
      Policy.make({ authority: Schema.decodeSync(Authority.FromJson)({ files: { write } }), floor })
    expect(opens(made(WORKFLOW), WORKFLOW)).toBe(true)
    expect(opens(made("/work/app/"), WORKFLOW)).toBe(false)
    expect(opens(made("/work/app/.github/workflows/*.yml"), WORKFLOW)).toBe(false)
  })

  it("the refusal says what runs, and which path to name", () => {
    const refused = denial(agent("fs.write: { in: /work/app }"), WORKFLOW)
    expect(refused).toMatchObject({
      code: "PATH_NOT_REACHABLE",
      detail: `write not permitted for ${WORKFLOW} (GitHub Actions): only a policy that names exactly this path opens it`,
      remedy: `have the policy name exactly this path: fs.write{in=${WORKFLOW}} in an agent's record, or ${WORKFLOW} under fs_reach.write`
    })
    // The remedy works.
    const [, spec] = /(fs\.write\{.*?\})/.exec(refused.remedy) ?? []
    expect(opens(agent(`"${spec}"`), WORKFLOW)).toBe(true)
  })
})

describe("what no policy lifts", () => {
  const paths = [
    "/home/ada/.ssh/id_rsa",
    "/home/ada/.claude/.credentials.json",
    "/home/ada/.bash_history",
    "/etc/shadow",
    "/etc/passwd",
    "/proc/self/environ",
    "/work/app/.bailiwick/storage/store.db",
    "/work/app/bailiwick.yaml",
    "/ws/package.json",
    "/ws/.env",
    "/ws/records/agents/a.md"
  ]

  it("naming it exactly does not open it, and the refusal says why", () => {
    for (const path of paths) {
      for (const policy of [personality(path), agent(`fs.write: { in: ${path} }`)]) {
        const refused = denial(policy, path)
        expect(refused.detail).toMatch(/: it is always refused \(.{4,}\)$/)
        expect(refused.remedy).toBe("no policy lifts this; use another path or host")
        expect(refused.remedies).toBeUndefined()
      }
    }
  })

  it("whatever paths a policy names, all of the first part stays closed", () => {
    const closed = groups.filter(({ lifts }) => !lifts)
    const bases = { root: "", home, anywhere: "/work/app", workspace: "/ws" }
    const place = fc.constantFrom(
      ...closed.flatMap(({ entries, where }) =>
        entries.map(
          ([path]) =>
            `${where === "home" && path.startsWith("library/") ? "/Users/ada" : bases[where]}/${path.replaceAll("**/", "").replaceAll("*", "x")}`
        )
      )
    )
    const below = fc.array(fc.constantFrom("a", ".git", "b.yml"), { maxLength: 2 })
    fc.assert(
      fc.property(place, below, (path, rest) => {
        const full = [path, ...rest].join("/")
        const policy = Policy.make({
          authority: Authority.everything,
          floor,
          named: { write: [path, full, "/"], delete: [path, full, "/"] }
        })
        expect([full, opens(policy, full), opens(policy, full, "delete")]).toEqual([full, false, false])
      }),
      { numRuns: times(400) }
    )
  })
})
