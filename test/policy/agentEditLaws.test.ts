/** What every edit of every record keeps: what it gives, what it does not speak of, and comments. */

import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as AgentEdit from "../../src/policy/agent/edit/AgentEdit.js"
import { open } from "../../src/policy/agent/edit/open.js"
import { revocation } from "../../src/policy/agent/edit/revocation.js"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { times } from "../deep.js"
import { equal, HOME } from "./agents.js"
import { agent, grant, linesKept, root } from "./grants.js"

const RUNS = { numRuns: times(60) }

const placesOf = (sandbox: string | undefined): AgentRecord.Places => ({ home: HOME, sandbox })

const sourceOf = (text: string): AgentRecord.Text => ({ file: "a.md", id: "agents/a", text })

const given = (
  one: Grant.Grant,
  { bound }: AgentRecord.AgentRecord,
  places: AgentRecord.Places
): Authority.Authority =>
  Either.match(Grant.compile(one, { ...places, bound }), {
    onLeft: () => Authority.nothing,
    onRight: (compiled) => Grant.authority([compiled])
  })

const commentsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/# (?:own \d|above \d|head|key|inner)/g)].map(([comment]) => comment).sort()

const unspoken = (
  before: { readonly text: string; readonly kept: ReadonlyArray<string> },
  after: AgentEdit.Edited
) => {
  expect(linesKept(after.text)).toEqual(before.kept)
  expect(after.record.body).toBe(AgentRecord.parse(sourceOf(before.text), {}).body)
  expect(after.text.startsWith("\uFEFF")).toBe(before.text.startsWith("\uFEFF"))
  const breaks = after.text.slice(0, after.text.indexOf("\n---")).match(/\r?\n/g) ?? []
  expect(new Set(breaks)).toEqual(new Set([before.text.includes("---\r\n") ? "\r\n" : "\n"]))
}

describe("grant", () => {
  it("gives what was given and what is granted, no more and no less, and touches nothing else", () => {
    let changed = 0
    fc.assert(
      fc.property(agent, fc.array(grant, { minLength: 1, maxLength: 3 }), root, (drawn, grants, sandbox) => {
        const places = placesOf(sandbox)
        const before = AgentRecord.parse(sourceOf(drawn.text), places)
        const edit = AgentEdit.grant(sourceOf(drawn.text), grants, places)
        if (Either.isLeft(edit)) {
          expect(edit.left.code).toBe("GRANT_INVALID")
          return
        }
        const after = edit.right
        const all = Authority.join(before.authority, ...grants.map((one) => given(one, before, places)))
        expect(equal(after.record.authority, all)).toBe(true)
        unspoken(drawn, after)
        if (!after.changed) {
          expect(after.text).toBe(drawn.text)
          return
        }
        changed++
        expect(after.record.written).toEqual({ capabilities: true, access: false, sandbox: false })
        // An entry that the sandbox kept out goes with its comments.
        const keptOut = before.held.some(({ inert }) => inert?.reason === "outside the root")
        if (!keptOut) expect(commentsIn(after.text)).toEqual(commentsIn(drawn.text))
        // A grant without a root took it from the sandbox that is written out now.
        if (before.written.sandbox) return
        const again = Either.getOrThrow(AgentEdit.grant(sourceOf(after.text), grants, places))
        expect(again).toMatchObject({ changed: false, text: after.text })
      }),
      RUNS
    )
    expect(changed).toBeGreaterThan(RUNS.numRuns / 4)
  })

  it("what is revoked again is held no more than before", () => {
    let undone = 0
    fc.assert(
      fc.property(agent, grant, root, (drawn, one, sandbox) => {
        const places = placesOf(sandbox)
        const before = AgentRecord.parse(sourceOf(drawn.text), places)
        const granted = AgentEdit.grant(sourceOf(drawn.text), [one], places)
        if (Either.isLeft(granted)) return
        const revoked = AgentEdit.revoke(sourceOf(granted.right.text), one, places)
        if (Either.isLeft(revoked)) return
        undone++
        expect(Authority.within(revoked.right.record.authority, before.authority)).toBe(true)
        unspoken(drawn, revoked.right)
      }),
      RUNS
    )
    expect(undone).toBeGreaterThan(RUNS.numRuns / 4)
  })
})

describe("revoke", () => {
  it("leaves nothing of what was revoked, all of what has nothing to do with it, and nothing new", () => {
    let changed = 0
    fc.assert(
      fc.property(agent, grant, root, (drawn, drawnGrant, sandbox) => {
        const places = placesOf(sandbox)
        const source = sourceOf(drawn.text)
        const before = AgentRecord.parse(source, places)
        const one = drawn.grants.length > 0 && drawn.text.length % 2 === 0 ? drawn.grants[0]! : drawnGrant
        const edit = AgentEdit.revoke(source, one, places)
        if (Either.isLeft(edit)) {
          expect(["STILL_ALLOWED", "GRANT_INVALID"]).toContain(edit.left.code)
          return
        }
        const after = edit.right
        const taken = Either.getOrThrow(
          Either.flatMap(open(source, places), (opened) => revocation(opened, one))
        )
        expect(Authority.isNothing(Authority.meet(after.record.authority, taken))).toBe(true)
        expect(Authority.within(after.record.authority, before.authority)).toBe(true)
        for (const held of before.held) {
          const own = AgentRecord.authorityOf(held)
          if (Authority.isNothing(Authority.meet(own, taken))) {
            expect(Authority.within(own, after.record.authority)).toBe(true)
          }
        }
        unspoken(drawn, after)
        if (after.changed) changed++
        else expect(after.text).toBe(drawn.text)
      }),
      RUNS
    )
    expect(changed).toBeGreaterThan(RUNS.numRuns / 10)
  })
})

describe("replace and dissolve", () => {
  it("replace gives exactly the grants, whatever was there", () => {
    fc.assert(
      fc.property(agent, fc.array(grant, { maxLength: 3 }), root, (drawn, grants, sandbox) => {
        const places = placesOf(sandbox)
        const edit = AgentEdit.replace(sourceOf(drawn.text), grants, places)
        if (Either.isLeft(edit)) {
          expect(edit.left.code).toBe("GRANT_INVALID")
          return
        }
        const after = edit.right
        const bound = AgentRecord.parse(sourceOf("---\nclass: agent\n---\n"), places)
        const all = Authority.joinAll(grants.map((one) => given(one, bound, places)))
        expect(equal(after.record.authority, all)).toBe(true)
        expect(after.record.held.every(({ from }) => from === "capabilities")).toBe(true)
        unspoken(drawn, after)
      }),
      RUNS
    )
  })

  it("dissolve gives exactly what was given", () => {
    fc.assert(
      fc.property(agent, root, (drawn, sandbox) => {
        const places = placesOf(sandbox)
        const after = Either.getOrThrow(AgentEdit.dissolve(sourceOf(drawn.text), places))
        const before = AgentRecord.parse(sourceOf(drawn.text), places)
        expect(equal(after.record.authority, before.authority)).toBe(true)
        expect(after.record.written.access || after.record.written.sandbox).toBe(false)
        unspoken(drawn, after)
      }),
      RUNS
    )
  })
})
