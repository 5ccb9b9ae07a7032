/** Threat: a refusal that tells the wrong reason, or an empty answer in the place of one. */
import { describe, expect, it } from "vitest"
import { quoted, verdict, World } from "./world.js"

const world = () =>
  new World({ "records/notes/a.md": "---\nclass: durable\n---\nA note\n" })
    .agent("a")
    .agent("b")
    .agent("team/x")

const RETITLE = { frontMatter: { title: "T" } }

describe("records and agents, as an agent's call meets them", () => {
  it.each([
    ["search_records", { query: "note" }],
    ["list_records", {}],
    ["get_record", { id: "notes/a" }]
  ])(
    "D9: %s without records.read is refused, and does not answer that there is nothing",
    async (name, args) => {
      const there = world()
      const answer = await there.ask("capabilities: []", name, args)
      expect(answer.denial).toMatchObject({
        reason: "capability_absent",
        capability: "records.read",
        tool: name
      })
      const { answers } = await there.send("explain", "scout", [[name, args]])
      expect(answers[0]?.result.denial).toMatchObject({ reason: "capability_absent", tool: name })
      expect(verdict(await there.ask("access: r", name, args))).toBe("allowed")
    }
  )

  it("K15: agent.update of named agents leaves others outside of its scope", async () => {
    const grant = quoted("agent.update{ids=[agents/a]}")
    for (const [id, expected] of [
      ["agents/a", "allowed"],
      ["agents/b", "scope_violation"],
      // Whether there is one is not told.
      ["agents/nobody", "scope_violation"]
    ]) {
      expect([id, verdict(await world().ask(grant, "update_record", { id, ...RETITLE }))]).toEqual([
        id,
        expected
      ])
    }
  })

  it("K16: agent.update by paths", async () => {
    const grant = quoted("agent.update{paths=[agents/team/**]}")
    expect(verdict(await world().ask(grant, "update_record", { id: "agents/team/x", ...RETITLE }))).toBe(
      "allowed"
    )
    expect(verdict(await world().ask(grant, "update_record", { id: "agents/a", ...RETITLE }))).toBe(
      "scope_violation"
    )
  })

  it("K14: agent.grant of one agent leaves others outside, whichever way it is written", async () => {
    const grant = quoted("records.read", "agent.grant{id=agents/a}")
    for (const [name, args] of [
      ["grant_capability", { agent: "agents/b", grants: ["records.read"] }],
      ["update_record", { id: "agents/b", frontMatter: { access: "r" } }]
    ] as const) {
      const { denial } = await world().ask(grant, name, args)
      expect(denial).toMatchObject({ reason: "scope_violation", capability: "agents.grant" })
    }
  })

  it("K13: what is held of agents deletes no note, and what is held of records deletes no agent", async () => {
    expect(await world().ask(quoted("agent.delete"), "delete_record", { id: "notes/a" })).toMatchObject({
      denial: { reason: "capability_absent", capability: "records.delete" }
    })
    expect(await world().ask(quoted("records.delete"), "delete_record", { id: "agents/a" })).toMatchObject({
      denial: { reason: "capability_absent", capability: "agents.delete" }
    })
  })

  it.each([
    ["update_record", { id: "agents/b", frontMatter: { capabilities: ["net.get{hosts=[*]}"] } }, "L3"],
    ["create_record", { id: "agents/new", class: "agent", frontMatter: { sandbox: "/" } }, "K8/L32"],
    ["update_record", { id: "agents/b", frontMatter: { sandbox: "~/p" } }, "K11/L32"],
    ["update_record", { id: "agents/scout", frontMatter: { access: "r" } }, "L34"],
    ["update_record", { id: "agents/b", frontMatter: { capabilities: ["records.reed"] } }, "L38"],
    ["grant_capability", { agent: "agents/b", grants: ["net.get{hosts=[*]}"] }, "L3"],
    ["grant_capability", { agent: "agents/b", grants: ["records.reed"] }, "L38"],
    ["update_record", { id: "agents/b", frontMatter: { access: "r" } }, "K9"]
  ])("%s %j comes to the same in explain as in run (%s)", async (name, args, _row) => {
    const there = world().agent("scout", quoted("records.read", "agent.create", "agent.grant"))
    const said = await there.send("explain", "scout", [[name, args]])
    const done = await there.send("run", "scout", [[name, args]])
    const outcome = ({ answers }: typeof said) => answers.map(({ result: { error, ok } }) => ({ error, ok }))
    expect(outcome(said)).toEqual(outcome(done))
  })

  it("explain names the line of the grant that a search leans on", async () => {
    const { answers } = await world()
      .agent("scout", "capabilities:", "  - agent.create", "  - records.read")
      .send("explain", "scout", [["search_records", { query: "note" }]])
    expect(answers[0]?.result.value).toMatchObject({
      decisions: [{ capability: "records.read", allowed: true, by: [{ line: 5, written: "records.read" }] }]
    })
  })

  it("an edited record is seen at the next turn, under another revision", async () => {
    const there = world().agent("scout", "capabilities: []")
    const search = [["search_records", { query: "note" }]] as const
    const before = await there.send("run", "scout", search)
    expect((await there.bailiwick(["agents", "grant", "scout", "records.read", "--yes"])).code).toBe(0)
    const after = await there.send("run", "scout", search)
    expect([before, after].map(({ answers }) => answers.map(({ result }) => verdict(result)))).toEqual([
      ["capability_absent"],
      ["allowed"]
    ])
    expect(after.answers[0]?.revision).not.toBe(before.answers[0]?.revision)
  })
})
