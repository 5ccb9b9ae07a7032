/** The catalog as a list in a terminal, and the scope of what is picked, question by question. */
import { Grant } from "bailiwick"
import { describe, expect, it } from "vitest"
import { FakeTty, keys, plain } from "./fakeTty.js"
import { agents, folderOf, held, text } from "./scout.js"
import type { Options } from "./workspace.js"

describe("the picker", () => {
  const picked = async (
    typed: ReadonlyArray<string>,
    front: ReadonlyArray<string> = [],
    options: Options = {}
  ) => {
    const folder = folderOf(...front)
    const before = text(folder)
    const tty = new FakeTty(typed, { rows: 40 })
    const outcome = await agents(folder, ["grant", "scout"], { tty, env: { NO_COLOR: "1" }, ...options })
    return { ...outcome, tty, folder, shown: plain(tty.shown), changed: text(folder) !== before }
  }

  const enter = keys.enter
  const yes = ["y", enter]

  it("R24: offers the catalog from low risk to high, with what each does", async () => {
    const { shown } = await picked([keys.escape, "late"])
    const offered = [...shown.matchAll(/^[› ] (\S+) +(low|medium|high) {2}/gm)].map(([, name, risk]) => ({
      name,
      risk
    }))
    expect(offered).toHaveLength(20)
    const ranks = offered.map(({ risk }) => ["low", "medium", "high"].indexOf(risk ?? ""))
    expect(ranks).toEqual([...ranks].sort())
    expect(offered[0]).toEqual({ name: "records.read", risk: "low" })
  })

  it("R25: hosts are asked for, and any host is typed", async () => {
    const { code, folder, shown } = await picked(["net.get", enter, "*", enter, ...yes], ["capabilities: []"])
    expect(code).toBe(0)
    expect(shown).toContain("hosts, as in api.example.com (* is any): ")
    expect(shown).toContain("fetch from any host")
    expect(await held(folder)).toEqual(["net.get{hosts=[*]}"])
  })

  it.each(Grant.catalog.flatMap(({ keys: of, name }) => (of.length === 0 ? [] : [[name]])))(
    "%s: Enter alone stands for nothing, whatever is asked, and nothing is granted",
    async (name) => {
      const enters = Array.from({ length: 5 }, () => enter)
      for (const front of [["capabilities: []"], ["sandbox: /w", "capabilities: []"]]) {
        const { changed, code, shown, stdout } = await picked([name, enter, ...enters, ...yes], front)
        expect({ changed, code, stdout }).toEqual({ changed: false, code: 1, stdout: "Cancelled.\n" })
        expect(shown).toContain("nothing was typed for ")
        expect(shown).not.toContain("Grant this?")
      }
    }
  )

  it.each([
    ["records.delete", ["*"], "records.delete"],
    ["records.update", ["note", "*"], "records.update{classes=[note]}"],
    ["records.update", ["*", "*"], "records.update"],
    ["agent.grant", ["*"], "agent.grant"],
    ["agent.update", ["*"], "agent.update"],
    ["agent.update", ["", "agents/**"], "agent.update{paths=[agents/**]}"],
    ["fs.delete", ["*", "*"], "fs.delete{in=/w}"],
    ["fs.delete", ["*", "tmp/**"], "fs.delete{in=/w,paths=[tmp/**]}"],
    ["proc.exec", ["/w/a", "*"], "proc.exec{in=/w/a}", "access: r"],
    ["proc.exec", ["/w", "", "git log *"], "proc.exec{in=/w,patterns=[git log *]}", "access: r"],
    ["secrets.read", ["github/token"], "secrets.read{refs=[github/token]}"],
    ["storage.use", ["session"], "storage.use{scopes=[session]}"],
    ["attachments.read", ["*"], "attachments.read{kinds=[*]}"]
  ])("%s with %j typed is %s", async (name, answers, expected, front = "sandbox: /w") => {
    const typed = answers.flatMap((one) => (one === "" ? [enter] : [one, enter]))
    const { code, folder } = await picked([name, enter, ...typed, ...yes], [front, "capabilities: []"])
    expect(code).toBe(0)
    expect(await held(folder)).toContain(expected)
  })

  it("R26: the root is asked for first, then the paths below it", async () => {
    const { folder, shown } = await picked(
      ["fs.read", enter, "/w", enter, "lib/**, a b.txt", enter, ...yes],
      ["capabilities: []"]
    )
    expect(shown.indexOf("in, a directory: ")).toBeLessThan(shown.indexOf("paths below it"))
    expect(await held(folder)).toEqual(["fs.read{in=/w,paths=[lib/**,a b.txt]}"])
  })

  it("R26: without a root there would be nothing to hold, so none is granted", async () => {
    const { changed, code, shown, stdout } = await picked(["fs.read", enter, enter], ["capabilities: []"])
    expect({ changed, code, stdout }).toEqual({ changed: false, code: 1, stdout: "Cancelled.\n" })
    expect(shown).toContain("would be inert")
  })

  it("R27: commands, then patterns; with neither it is cancelled", async () => {
    const both = await picked(
      ["proc.exec", enter, "/w", enter, "rg jq", enter, "git log *, npm test", enter, ...yes],
      ["capabilities: []"]
    )
    expect(await held(both.folder)).toEqual(["proc.exec{in=/w,cmds=[rg,jq],patterns=[git log *,npm test]}"])
    const neither = await picked(["proc.exec", enter, "/w", enter, enter, enter], ["capabilities: []"])
    expect(neither).toMatchObject({ changed: false, code: 1, stdout: "Cancelled.\n" })
  })

  it("R28: classes are asked for, and all of them are typed", async () => {
    const all = await picked(["records.delete", enter, "*", enter, ...yes], ["capabilities: []"])
    expect(await held(all.folder)).toEqual(["records.delete"])
    const some = await picked(
      ["records.update", enter, "inbox, note", enter, "notes/**", enter, ...yes],
      ["capabilities: []"]
    )
    expect(await held(some.folder)).toEqual(["records.update{classes=[inbox,note],paths=[notes/**]}"])
  })

  it("R29: reading records has no scope, and agents are any without one", async () => {
    const read = await picked(["records.read", enter, ...yes], ["capabilities: []"])
    expect(await held(read.folder)).toEqual(["records.read"])
    const grant = await picked(["agent.grant", enter, "agents/a", enter, ...yes], ["capabilities: []"])
    expect(await held(grant.folder)).toEqual(["agent.grant{id=agents/a}"])
    const update = await picked(["agent.update", enter, "*", enter, ...yes], ["capabilities: []"])
    expect(await held(update.folder)).toEqual(["agent.update"])
  })

  it("an answer that is none is asked for again, with the sentence", async () => {
    const { folder, shown } = await picked(
      ["net.post", enter, "http://x/", enter, "x.example.com", enter, ...yes],
      ["capabilities: []"]
    )
    expect(shown).toContain("SCOPE_VALUE_INVALID")
    expect(await held(folder)).toEqual(["net.post{hosts=[x.example.com]}"])
  })

  it.each([
    ["Esc in the list", 1, [keys.escape, "late"]],
    ["Ctrl-C in the list", 130, [keys.interrupt]],
    ["Esc in a question", 1, ["net.get", enter, keys.escape, "late"]],
    ["Ctrl-C in a question", 130, ["net.get", enter, keys.interrupt]],
    ["Ctrl-D in a question", 1, ["net.get", enter, keys.endOfInput]],
    ["the end of the input", 1, []]
  ])("[R30] %s is cancelled with exit code %i, and nothing is written", async (_what, expected, typed) => {
    const { changed, code, stdout, tty } = await picked(typed)
    expect({ changed, code, stdout, taken: tty.taken }).toEqual({
      changed: false,
      code: expected,
      stdout: "Cancelled.\n",
      taken: 0
    })
  })

  it("what is picked is confirmed as what is written: no is no", async () => {
    const { changed, code } = await picked(["net.get", enter, "a.example.com", enter, "n", enter])
    expect({ changed, code }).toEqual({ changed: false, code: 1 })
  })
})
