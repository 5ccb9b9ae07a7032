/** The threat: an operator who is shown that a call would be refused, or allowed, and sees the other happen. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { agent, note, reasonOf, World } from "../registry/agentWorld.js"

const world = () =>
  new World({
    "agents/me": agent("capabilities: [agent.grant, {fs.read: {in: /home/u/p}}, records.read]"),
    "agents/bare": agent("capabilities: []"),
    "agents/rooted": agent("capabilities: []\nsandbox: ~/q")
  })

describe("explain of a grant", () => {
  it.effect.each([
    ["agents/bare", "fs.read"],
    ["agents/bare", "fs.delete"],
    ["agents/bare", "fs.read{in=~/p}"],
    ["agents/rooted", "fs.read"],
    ["agents/rooted", "proc.eval"],
    ["agents/bare", "records.read"]
  ] as const)("says of %s and %s what a run then does", ([target, spec]) =>
    Effect.gen(function* () {
      const args = { agent: target, grants: [spec] }
      const explained = yield* world().explain("agents/me", "grant_capability", args)
      const ran = yield* world().call("agents/me", "grant_capability", args)
      expect(explained.result.ok).toBe(ran.ok)
    })
  )
})

describe("explain of a change to a record", () => {
  const kept = (capabilities: string) =>
    new World({
      "agents/me": agent(`capabilities: ${capabilities}`),
      "agents/a": agent("capabilities: []"),
      "agents/b": agent("sandbox: ~/q"),
      "notes/n": note("class: inbox")
    })

  it.effect.each([
    ["its own capabilities, by a name that a file system may take for its own", "[records.update]"],
    [
      "its own capabilities, by a name of nobody, with a mistake in them",
      "[records.update]",
      ["records.reed"]
    ]
  ] as const)("foresees that nobody changes %s", ([, capabilities, written = ["net.get"]]) =>
    Effect.gen(function* () {
      const args = { id: "agents/ME", frontMatter: { capabilities: written } }
      const { result } = yield* kept(capabilities).explain("agents/me", "update_record", args)
      const ran = yield* kept(capabilities).call("agents/me", "update_record", args)
      expect([reasonOf(result), reasonOf(ran)]).toEqual(["self_modification", "self_modification"])
    })
  )

  it.effect.each([
    ["[agent.update]", "agents/a", { class: null }],
    ["[{records.update: {classes: [inbox]}}]", "notes/n", { class: null }],
    ["[agent.create, agent.grant]", "agents/a", { capabilities: null }],
    [
      "[agent.grant, {fs.read: {in: /x}}, {fs.write: {in: /x}}, {proc.exec: {in: /x}}]",
      "agents/a",
      { sandbox: "/x" }
    ],
    ["[agent.grant]", "agents/b", { sandbox: "/x" }],
    ["[]", "agents/nobody", { title: "x" }],
    ["[records.read]", "agents/nobody", { capabilities: [] }],
    ["[agent.update]", "notes/nobody", { title: "x" }]
  ] as const)("with %s says of %s and %o what a run then does", ([capabilities, id, frontMatter]) =>
    Effect.gen(function* () {
      const args = { id, frontMatter }
      const { result } = yield* kept(capabilities).explain("agents/me", "update_record", args)
      const ran = yield* kept(capabilities).call("agents/me", "update_record", args)
      expect(result.ok ? "allowed" : result.denial?.remedy).toBe(ran.ok ? "allowed" : ran.denial?.remedy)
    })
  )

  it.effect("says that nobody deletes itself, and advises no grant for it, as a run does", () =>
    Effect.gen(function* () {
      for (const capabilities of ["[]", "[agent.delete]"]) {
        const { result } = yield* kept(capabilities).explain("agents/me", "delete_record", {
          id: "agents/me"
        })
        const ran = yield* kept(capabilities).call("agents/me", "delete_record", { id: "agents/me" })
        expect([reasonOf(result), reasonOf(ran)]).toEqual(["self_modification", "self_modification"])
      }
    })
  )
})

describe("who may read no record", () => {
  it.effect.each([
    ["list_records", {}],
    ["search_records", { query: "x" }]
  ] as const)("%s tells which grant would let it, as data", ([name, args]) =>
    Effect.gen(function* () {
      const blind = new World({ "agents/me": agent("capabilities: []") })
      const ran = yield* blind.call("agents/me", name, args)
      expect(ran.ok ? undefined : ran.denial?.remedies?.grant).toBe("records.read")
    })
  )
})
