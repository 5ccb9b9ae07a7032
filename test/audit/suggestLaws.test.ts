/**
 * Threat: a suggestion that gives an agent something, or takes from it what it used. Records and logs drawn at random,
 * over everything that can be granted and asked.
 */
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { evidenceOf } from "../../src/audit/suggest/Evidence.js"
import { suggestFor } from "../../src/audit/suggest/ForAgent.js"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { passedIn } from "../../src/policy/lattice/Passed.js"
import { seed, times } from "../deep.js"
import { HOME, right } from "../policy/agents.js"
import { agent, root } from "../policy/grants.js"
import { answerOf, behind, generous, links, logOf, passedTo, request } from "./logs.js"

const sourceOf = (text: string): AgentRecord.Text => ({ file: "a.md", id: "agents/a", text })

it("what an agent passed on, it holds afterwards too, and not much beside", () => {
  let isNarrower = 0
  fc.assert(
    fc.property(generous, generous, fc.array(request, { maxLength: 5 }), (own, others, requests) => {
      const places = { home: HOME, sandbox: "/" }
      const before = AgentRecord.policy(AgentRecord.parse(sourceOf(own), places))
      const { held } = AgentRecord.parse(sourceOf(others), places)
      const passed = Authority.joinAll(
        held.map(AgentRecord.authorityOf).filter((one) => Authority.within(one, before.authority))
      )
      const told = passedIn(passed).map((one) => passedTo(before, "agents/b", one))
      const evidence = evidenceOf([...logOf(before, requests), ...told], { agent: "agents/a" })
      const made = right(suggestFor(sourceOf(own), places, before, evidence, { siblings: 0 }))
      const after = AgentRecord.policy(made.edit.record).authority
      expect(Authority.gaps(passed, after)).toEqual([])
      expect(Authority.within(after, before.authority)).toBe(true)
      if (!Authority.within(before.authority, after)) isNarrower++
    }),
    { numRuns: times(100), seed }
  )
  expect(isNarrower).toBeGreaterThan(50)
})

describe("what is suggested for any record and any log", () => {
  const drawn = fc.record({
    text: fc.oneof(
      generous,
      generous,
      agent.map(({ text }) => text)
    ),
    requests: fc.array(request, { maxLength: 40, size: "max" }),
    sandbox: root,
    siblings: fc.integer({ min: 0, max: 4 }),
    real: links,
    // On this machine, or from another's log, of which nobody knows what is a file and what a folder.
    isFile: fc.constantFrom(
      undefined,
      () => true,
      (path: string) => path.length % 2 === 0
    )
  })

  // In parts, so that the runner gets its turn.
  it.each([1, 2, 3, 4, 5])(
    "is within what is held, answers all of the log alike, and is the last word (%i)",
    () => {
      let changed = 0
      let allowed = 0
      fc.assert(
        fc.property(drawn, ({ isFile, real, requests, sandbox, siblings, text }) => {
          const places = { home: HOME, sandbox }
          const before = AgentRecord.policy(AgentRecord.parse(sourceOf(text), places))
          const log = logOf(before, requests)
          const evidence = evidenceOf(log, { agent: "agents/a" }, { isFile, real })
          const made = right(suggestFor(sourceOf(text), places, before, evidence, { siblings }))
          const after = AgentRecord.policy(made.edit.record)
          expect(Authority.within(after.authority, before.authority)).toBe(true)
          for (const one of requests.flatMap((each) => [each, ...behind(each, real)])) {
            const [was, is] = [answerOf(before, one), answerOf(after, one)]
            expect(Either.isRight(is), JSON.stringify(one)).toBe(Either.isRight(was))
            if (Either.isRight(was)) allowed++
          }
          const again = right(suggestFor(sourceOf(made.after), places, after, evidence, { siblings }))
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
