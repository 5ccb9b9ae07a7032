/** The picker and the question as somebody at a terminal meets them: keys in, cells out, and the terminal left as it was. */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { has } from "../../scripts/lib/system.js"
import { Tmux } from "./tmux.js"
import { Folder } from "./workspace.js"

const SCOUT = "records/agents/scout.md"

const RECORD = "---\nclass: agent\ncapabilities: []\n---\nBody\n"

const walk = async (
  size: { columns: number; rows: number },
  use: (tmux: Tmux, text: () => string, folder: Folder) => Promise<void>
): Promise<void> => {
  const folder = new Folder({ "bailiwick.yaml": "", [SCOUT]: RECORD })
  const tmux = await Tmux.start(folder, size)
  try {
    await use(tmux, () => readFileSync(folder.path(SCOUT), "utf8"), folder)
  } finally {
    await tmux.end()
  }
}

const usual = { columns: 80, rows: 24 }

/** What is typed is shown and comes by lines again, what is pasted is not marked any more, and the cursor is seen. */
const expectRestored = async (tmux: Tmux): Promise<void> => {
  expect(await tmux.seesCursor()).toBe(true)
  await tmux.paste("clear; : pasted")
  expect(await tmux.sees("clear; : pasted")).not.toContain("200~")
  await tmux.press("C-u")
  await tmux.command("stty -a")
  const screen = await tmux.exits(0)
  for (const flag of ["icanon", "echo", "isig", "icrnl", "opost"]) {
    expect(screen).toMatch(new RegExp(`(?:^|\\s)${flag}(?:\\s|;|$)`, "m"))
  }
}

describe.runIf(has("tmux"))("in a terminal", () => {
  it("R24/R25: the picker is walked with arrows, the scope is typed, no is no, and yes is written", () =>
    walk(usual, async (tmux, text) => {
      const pickAndScope = async () => {
        await tmux.command("bw agents grant scout")
        const first = await tmux.sees("› records.read")
        expect(first).toContain("What to grant to agents/scout (1/20)")
        await tmux.press(...Array.from({ length: 9 }, () => "Down"), "Up")
        await tmux.sees("› net.get")
        await tmux.press("Enter")
        await tmux.sees("hosts, as in api.example.com (* is any):")
        await tmux.type("http://exämple/")
        await tmux.press("Enter")
        // What is typed before a question is shown is no answer to it.
        await tmux.sees(/SCOPE_VALUE_INVALID[\s\S]*hosts, as in api\.example\.com \(\* is any\):/)
        await tmux.type("api.examplé")
        await tmux.press("BSpace")
        await tmux.type("e.com")
        await tmux.press("Enter")
        const asked = await tmux.sees("Grant this? [y/N]")
        expect(asked).toContain("medium  net.get{hosts=[api.example.com]}")
        expect(asked).toContain("fetch from api.example.com")
      }
      await pickAndScope()
      await tmux.type("n")
      await tmux.press("Enter")
      expect(await tmux.exits(1)).toContain("nothing was granted")
      expect(text()).toBe(RECORD)
      await pickAndScope()
      await tmux.type("y")
      await tmux.press("Enter")
      const done = await tmux.exits(0)
      expect(done).toContain("✓ Granted net.get{hosts=[api.example.com]} to agents/scout")
      // The list is gone from the screen.
      expect(done).not.toContain("What to grant")
      expect(text()).toContain("net.get")
      expect(text().endsWith("---\nBody\n")).toBe(true)
      await expectRestored(tmux)
    }))

  it("a list that is longer than the screen is scrolled, filtered and drawn anew in another size", () =>
    walk({ columns: 60, rows: 12 }, async (tmux) => {
      await tmux.command("bw agents grant scout")
      expect(await tmux.sees("› records.read")).not.toContain("secrets.read")
      await tmux.press("End")
      expect(await tmux.sees("› secrets.read")).not.toContain("records.read ")
      await tmux.resize(44, 16)
      await tmux.press("Home")
      const smaller = await tmux.sees("› records.read")
      expect(smaller.match(/What to grant/g)).toHaveLength(1)
      await tmux.type("send")
      expect(await tmux.sees("› net.post")).toContain("filter: send")
      await tmux.press("Escape")
      expect(await tmux.exits(1)).toContain("Cancelled.")
      await expectRestored(tmux)
    }))

  it("R30: Ctrl-C leaves the picker and the question, grants nothing, and the terminal is as it was", () =>
    walk(usual, async (tmux, text) => {
      await tmux.command("bw agents grant scout")
      await tmux.sees("› records.read")
      await tmux.press("C-c")
      await tmux.exits(130)
      await expectRestored(tmux)
      await tmux.command("bw agents grant scout records.delete")
      await tmux.sees("Grant this? [y/N]")
      await tmux.type("y")
      await tmux.press("C-c")
      await tmux.exits(130)
      await expectRestored(tmux)
      expect(text()).toBe(RECORD)
    }))

  it("what is pasted into the question does not answer it, and a signal ends it with the terminal as it was", () =>
    walk(usual, async (tmux, text) => {
      await tmux.command("bw agents grant scout records.delete")
      await tmux.sees("Grant this? [y/N]")
      await tmux.paste("y\n")
      await tmux.sees("Grant this? [y/N] y")
      await tmux.press("C-u")
      await tmux.sees(/Grant this\? \[y\/N\]\s*$/)
      process.kill(tmux.pid(), "SIGTERM")
      await tmux.exits(143)
      await expectRestored(tmux)
      expect(text()).toBe(RECORD)
    }))

  it("keys that were typed before a question is shown do not answer it", () =>
    walk(usual, async (tmux, text, folder) => {
      execFileSync("mkfifo", [folder.path("go")])
      // The shell waits, and the terminal keeps what is typed meanwhile for whoever reads next.
      await tmux.command("echo waits; cat go; bw agents grant scout records.delete")
      await tmux.sees(/^waits$/m)
      await tmux.type("y")
      await tmux.press("Enter")
      await tmux.type("yes")
      await tmux.press("Enter")
      await tmux.sees(/^yes$/m)
      writeFileSync(folder.path("go"), "gone\n")
      expect(await tmux.sees(/Grant this\? \[y\/N\]\s*$/)).toContain("gone")
      expect(text()).toBe(RECORD)
      await tmux.type("n")
      await tmux.press("Enter")
      expect(await tmux.exits(1)).toContain("Grant this? [y/N] n")
      expect(text()).toBe(RECORD)
      await expectRestored(tmux)
    }))

  it("keys that come with those for one question do not answer the next", () =>
    walk(usual, async (tmux, text) => {
      await tmux.command("bw agents grant scout")
      await tmux.sees("› records.read")
      await tmux.type("net.get")
      await tmux.sees("› net.get")
      // One write to the terminal: the list is answered by its beginning, and the questions see nothing of the rest.
      await tmux.press("Enter", "x", "Enter", "y", "Enter")
      await tmux.sees(/\(\* is any\):\s*$/)
      await tmux.press("Escape")
      expect(await tmux.exits(1)).not.toContain("Grant this?")
      expect(text()).toBe(RECORD)
    }))

  it("declining and Esc have one exit code, in the list and at the question", () =>
    walk(usual, async (tmux, text) => {
      await tmux.command("bw agents grant scout")
      await tmux.sees("› records.read")
      await tmux.press("Escape")
      await tmux.exits(1)
      for (const key of ["Escape", "Enter"]) {
        await tmux.command("bw agents grant scout records.delete")
        await tmux.sees("Grant this? [y/N]")
        await tmux.press(key)
        await tmux.exits(1)
      }
      expect(text()).toBe(RECORD)
      await expectRestored(tmux)
    }))

  it("Enter at hosts grants nothing, and * is typed", () =>
    walk(usual, async (tmux, text) => {
      await tmux.command("bw agents grant scout")
      await tmux.sees("› records.read")
      await tmux.type("net.get")
      await tmux.sees("› net.get")
      await tmux.press("Enter")
      await tmux.sees("hosts, as in api.example.com (* is any):")
      await tmux.press("Enter")
      expect(await tmux.exits(1)).toContain("nothing was typed for 'hosts'")
      expect(text()).toBe(RECORD)
    }))

  it("a question is seen where the answer goes to a file, and the file has no question in it", () =>
    walk(usual, async (tmux, text) => {
      await tmux.command("bw agents grant scout records.read > answer; cat answer")
      await tmux.sees("Grant this? [y/N]")
      await tmux.type("yes")
      await tmux.press("Enter")
      expect(await tmux.exits(0)).toContain("Granted records.read to agents/scout")
      expect(text()).toContain("records.read")
    }))
})
