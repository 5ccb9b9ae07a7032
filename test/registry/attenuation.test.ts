/**
 * The threat: authority that grows on its way through several agents. Whatever agents do to each other's records, in
 * whatever order, none ever holds what no operator wrote down.
 */

import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import * as ScopedAgents from "../../src/capabilities/agents/ScopedAgents.js"
import * as MemoryRecords from "../../src/capabilities/records/MemoryRecords.js"
import * as ScopedRecords from "../../src/capabilities/records/ScopedRecords.js"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import { holder } from "../../src/policy/gate/Asking.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { times } from "../deep.js"
import { permitFor } from "./agentWorld.js"

const ids = ["agents/a", "agents/b", "agents/c", "team/d"]

const places: AgentRecord.Places = { home: "/home/u", sandbox: "/home/u" }

const hosts = fc.subarray(["*", "*.x.example", "x.example", "a.x.example", "*.a.x.example", "y.example"], {
  minLength: 1,
  maxLength: 2
})
const root = fc.constantFrom("~", "~/p", "~/p/q", "/home/u/p", "/", "/etc", "~/pq")
const paths = fc.subarray(["src/**", "src/a", "*.md", "**", "q/x"], { minLength: 1, maxLength: 2 })
const list = (all: ReadonlyArray<string>) => `[${all.join(",")}]`

const spec = fc.oneof(
  fc.constantFrom(
    "records.read",
    "records.update",
    "agent.grant",
    "agent.create",
    "net.get",
    "fs.read",
    "fs.delete"
  ),
  hosts.map((all) => `net.get{hosts=${list(all)}}`),
  hosts.map((all) => `net.post{hosts=${list(all)}}`),
  root.map((at) => `fs.read{in=${at}}`),
  fc.tuple(root, paths).map(([at, all]) => `fs.write{in=${at},paths=${list(all)}}`),
  fc
    .tuple(root, fc.subarray(["git:*", "git log *", "npm test", "*"], { minLength: 1 }))
    .map(([at, all]) => `proc.exec{in=${at},patterns=${list(all)}}`),
  fc.subarray(["inbox", "note", "*"], { minLength: 1 }).map((all) => `records.update{classes=${list(all)}}`),
  fc.constantFrom(...ids).map((id) => `agent.grant{id=${id}}`),
  fc.constantFrom("agents/*", "**", "team/*").map((glob) => `agent.update{paths=[${glob}]}`),
  fc.constant("provider.code_execution")
)

/** Enough of these make chains long. */
const wide = fc.constantFrom(
  "records.read",
  "records.update",
  "net.get{hosts=[*]}",
  "fs.read{in=~}",
  "fs.write{in=~/p}",
  "proc.exec{in=~}"
)

const specs = fc.array(spec, { maxLength: 3 })

const frontMatter = fc.record(
  {
    capabilities: fc.oneof(specs, fc.constant(null)),
    access: fc.constantFrom("r", "w", "rw", "", null),
    sandbox: fc.oneof(root, fc.constantFrom("", null)),
    title: fc.constant("t"),
    class: fc.constantFrom("agent", "note")
  },
  { requiredKeys: [] }
)

const step = fc.record({
  actor: fc.constantFrom(...ids),
  target: fc.constantFrom(...ids, "agents/new", "notes/n"),
  act: fc.oneof(
    spec.map((grant) => ({ _tag: "grant", grants: [grant] }) as const),
    specs.map((grants) => ({ _tag: "grant", grants }) as const),
    frontMatter.map((given) => ({ _tag: "update", frontMatter: given }) as const),
    frontMatter.map((given) => ({ _tag: "create", frontMatter: given }) as const),
    fc.constant({ _tag: "delete" } as const)
  )
})

const recordOf = fc
  .record({
    grants: fc.array(fc.oneof(spec, wide), { minLength: 1, maxLength: 6 }),
    sandbox: fc.option(root, { nil: undefined, freq: 2 }),
    grantor: fc.constantFrom(true, true, true, false)
  })
  .map(({ grantor, grants, sandbox }) =>
    [
      "---",
      "class: agent",
      `capabilities: ${JSON.stringify([...grants, ...(grantor ? ["agent.grant", "agent.create", "agent.update"] : [])])}`,
      ...(sandbox === undefined ? [] : [`sandbox: ${JSON.stringify(sandbox)}`]),
      "---",
      ""
    ].join("\n")
  )

type Backend = ReturnType<typeof MemoryRecords.make>

const everyone = [...ids, "agents/new", "notes/n"]

/** What an agent holds by now; what is no agent holds nothing. */
const authorityOf = (backend: Backend, id: string): Effect.Effect<Authority.Authority> =>
  Effect.flatMap(Effect.option(backend.head(id)), (head) =>
    head._tag === "None"
      ? Effect.succeed(Authority.nothing)
      : Effect.map(
          Effect.orDie(backend.read(permitFor(backend, id, head.value.class))),
          ({ text }) => AgentRecord.parse({ file: id, id, text }, places).authority
        )
  )

const perform = (
  backend: Backend,
  { act, actor, target }: typeof step extends fc.Arbitrary<infer A> ? A : never
) =>
  Effect.gen(function* () {
    const authority = yield* authorityOf(backend, actor)
    const who = holder({ authority, granter: { agent: actor, authority } })
    const [agents, records] = [ScopedAgents.scoped(who, backend), ScopedRecords.scoped(who, backend)]
    const done: Effect.Effect<unknown, unknown> =
      act._tag === "grant"
        ? agents.grant({ agent: target, grants: act.grants })
        : act._tag === "update"
          ? records.update({ id: target, frontMatter: act.frontMatter })
          : act._tag === "create"
            ? records.create({ id: target, frontMatter: act.frontMatter })
            : records.delete({ id: target })
    return yield* Effect.isSuccess(done)
  })

let accepted = 0

describe("attenuation through chains", () => {
  it("no agent ever holds more than operators wrote down, and each step adds no more than its granter holds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(recordOf, { minLength: ids.length, maxLength: ids.length }),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        (texts, steps) =>
          Effect.runPromise(
            Effect.gen(function* () {
              const backend = MemoryRecords.make(
                [
                  ...ids.map((id, at) => ({ id, text: texts[at] ?? "" })),
                  { id: "notes/n", text: "---\nclass: note\ncapabilities: [proc.eval]\nsandbox: ~\n---\n" }
                ],
                places
              )
              const written = Authority.joinAll(yield* Effect.all(ids.map((id) => authorityOf(backend, id))))
              for (const one of steps) {
                const [before, granter] = [
                  yield* authorityOf(backend, one.target),
                  yield* authorityOf(backend, one.actor)
                ]
                if (yield* perform(backend, one)) accepted++
                const after = yield* authorityOf(backend, one.target)
                expect(Authority.within(after, Authority.join(before, granter))).toBe(true)
                if (one.target === one.actor) expect(Authority.within(after, before)).toBe(true)
              }
              for (const id of everyone) {
                expect(Authority.within(yield* authorityOf(backend, id), written)).toBe(true)
              }
            })
          )
      ),
      { numRuns: times(30) }
    )
    // The property would hold of a system that refuses everything.
    expect(accepted).toBeGreaterThan(times(2))
  })
})
