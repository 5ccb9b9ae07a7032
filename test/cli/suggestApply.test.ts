/** What is suggested, written: after a question, whole or not at all, and never over what somebody else wrote. */
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { decision, LOG, lines } from "./auditLog.js"
import { FakeTty, keys } from "./fakeTty.js"
import { held, record, SCOUT, text } from "./scout.js"
import { Folder, type Options } from "./workspace.js"

const folder = (): Folder =>
  new Folder({
    "bailiwick.yaml": "",
    [SCOUT]: record(
      "capabilities:",
      '  - net.get: { hosts: ["*.github.com"] } # releases',
      "  - records.delete"
    ),
    [LOG]: lines([decision()])
  })

const AFTER = record("capabilities:", "  - net.get: { hosts: [api.github.com] } # releases")

const apply = (of: Folder, args: ReadonlyArray<string> = [], options: Options = {}) =>
  of.bailiwick(["suggest", "--agent", "scout", "--apply", ...args], options)

describe("suggest --apply", () => {
  it("asks, writes the record and keeps the rest of it", async () => {
    const of = folder()
    const tty = new FakeTty(["y", keys.enter])
    const { code, stderr, stdout } = await apply(of, [], { tty })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(tty.shown).toContain(`Write this to ${of.path(SCOUT)}? [y/N]`)
    expect(tty.taken).toBe(0)
    expect(stdout).toContain(`✓ Wrote ${of.path(SCOUT)}: 1 gone, 1 narrower\n`)
    expect(text(of)).toBe(AFTER)
    expect(await held(of)).toEqual(["net.get{hosts=[api.github.com]}"])
  })

  it.each([
    ["n", 1],
    ["", 1],
    ["maybe", 1]
  ])("does nothing when the answer is %j", async (answer, code) => {
    const of = folder()
    const before = text(of)
    const tty = new FakeTty([...answer, keys.enter])
    const outcome = await apply(of, [], { tty })
    expect(outcome.code).toBe(code)
    expect(outcome.stderr).toBe(`bailiwick: ${of.path(SCOUT)} was not changed\n`)
    expect(text(of)).toBe(before)
  })

  it("does nothing when it is stopped at the question", async () => {
    const of = folder()
    const before = text(of)
    expect((await apply(of, [], { tty: new FakeTty([keys.interrupt]) })).code).toBe(130)
    expect(text(of)).toBe(before)
  })

  it("needs --yes where nobody can be asked, and never reads the input", async () => {
    const of = folder()
    const before = text(of)
    const { code, stderr } = await apply(of, [], { stdin: "y\n" })
    expect(code).toBe(1)
    expect(stderr).toContain("there is no terminal to ask on")
    expect(stderr).toContain("add --yes to do it")
    expect(text(of)).toBe(before)
    expect((await apply(of, ["--yes"])).code).toBe(0)
    expect(text(of)).toBe(AFTER)
  })

  it("asks nobody with --json, and says in the document what came of it", async () => {
    const of = folder()
    const before = text(of)
    const tty = new FakeTty(["y", keys.enter])
    const refused = await apply(of, ["--json"], { tty })
    expect(tty.opened).toBe(0)
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.stdout)).toMatchObject({ outcome: "refused", unused: ["records.delete"] })
    expect(text(of)).toBe(before)
    const applied = await apply(of, ["--json", "--yes"])
    expect(applied).toMatchObject({ code: 0, stderr: "" })
    expect(JSON.parse(applied.stdout)).toMatchObject({ outcome: "applied", reason: null })
    expect(text(of)).toBe(AFTER)
  })

  it("writes nothing the second time", async () => {
    const of = folder()
    await apply(of, ["--yes"])
    const { ino, mtimeMs } = statSync(of.path(SCOUT))
    const again = await apply(of, ["--yes", "--json"])
    expect(JSON.parse(again.stdout)).toMatchObject({ outcome: "unchanged", unused: [], narrower: [] })
    expect(statSync(of.path(SCOUT))).toMatchObject({ ino, mtimeMs })
  })

  it("writes nothing where the log has nothing of the agent", async () => {
    const of = folder()
    of.write(LOG, lines([decision({ agent: "agents/other" })]))
    const before = text(of)
    expect(JSON.parse((await apply(of, ["--yes", "--json"])).stdout)).toMatchObject({ outcome: "nothing" })
    expect(text(of)).toBe(before)
  })

  it("leaves a record alone that somebody else changed meanwhile", async () => {
    const of = folder()
    const mine = record("capabilities: [records.read] # mine")
    const tty = new FakeTty(["y", keys.enter])
    const answering = tty.open
    const outcome = await of.bailiwick(["suggest", "--agent", "scout", "--apply"], {
      tty: {
        ...tty,
        size: tty.size,
        write: tty.write,
        open: () => {
          writeFileSync(of.path(SCOUT), mine)
          return answering()
        }
      }
    })
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toMatch(/was not changed: .*(?:changed|meanwhile|another)/)
    expect(readFileSync(of.path(SCOUT), "utf8")).toBe(mine)
  })

  it("writes shorthands out, and says so", async () => {
    const of = folder()
    of.write(SCOUT, record("access: rw"))
    of.write(
      LOG,
      lines([
        decision({
          capability: "records.update",
          asked: "records.update notes/a of class note",
          scope: "* path **"
        })
      ])
    )
    const { stdout } = await apply(of, ["--yes"])
    expect(stdout).toContain("access: is written out as entries of capabilities:\n")
    expect(await held(of)).toEqual(["records.update{classes=[note],paths=[notes/a]}"])
  })

  it("says what it wrote so that its name moves nothing on a terminal", async () => {
    const of = folder()
    const odd = join("odd\u001b[31m", SCOUT)
    of.write(odd, text(of))
    of.write("odd\u001b[31m/bailiwick.yaml", "")
    of.write(join("odd\u001b[31m", LOG), lines([decision()]))
    const { stdout } = await apply(of, ["--yes", "--workdir", of.path("odd\u001b[31m")])
    expect(stdout).toContain(`✓ Wrote ${of.path("odd\\u001b[31m")}/`)
  })

  it("says that turns start elsewhere where it takes the root of an agent away", async () => {
    const of = folder()
    of.write(SCOUT, record("sandbox: /w"))
    of.write(LOG, lines([decision({ capability: "files.read", asked: "read /w/a/b", scope: "/w/" })]))
    const { stdout } = await of.bailiwick(["suggest", "--agent", "scout"])
    expect(stdout).toContain(
      "sandbox: is written out as entries of capabilities:; where no --workdir is given, turns no longer start in its root\n"
    )
  })
})
