/** The log as it goes on: a process that is told of by what is written, and ended as people end it. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { programOf } from "../program.js"
import { at, call, decision, gap, LOG, lines, logged, refusal, someWork } from "./auditLog.js"
import { Folder } from "./workspace.js"

const children: Array<ChildProcessWithoutNullStreams> = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
})

/** Follows, and waits for words in what it prints. */
class Follower {
  private text = ""
  private heard: () => void = () => {}
  readonly ended: Promise<Array<unknown>>
  complaints = ""

  constructor(readonly child: ChildProcessWithoutNullStreams) {
    children.push(child)
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      this.text += piece
      this.heard()
    })
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      this.complaints += piece
    })
    this.ended = once(child, "close")
  }

  static async start(folder: Folder, ...args: ReadonlyArray<string>): Promise<Follower> {
    const program = await programOf(join(root, "src/cli/main.ts"))
    const env = { PATH: process.env.PATH, HOME: folder.path("home"), NO_COLOR: "1" }
    return new Follower(
      spawn(process.execPath, [program, "audit", "--follow", ...args], { cwd: folder.root, env })
    )
  }

  async sees(words: string): Promise<string> {
    while (!this.text.includes(words)) {
      await new Promise<void>((heard) => {
        this.heard = heard
      })
    }
    return this.text
  }

  async end(): Promise<unknown> {
    this.child.kill("SIGINT")
    return (await this.ended)[0]
  }
}

const NEXT = ".bailiwick/audit/2026-01-31.jsonl"

describe("audit --follow", () => {
  it("shows what is there, then what is new, across days, until Ctrl-C", async () => {
    const folder = logged(someWork)
    const follower = await Follower.start(folder)
    expect(await follower.sees("run_command  timeout")).toContain("4 calls (2 ok")
    appendFileSync(
      folder.path(LOG),
      lines([refusal({ call: "n", time: at(8000) }), call({ call: "n", code: "interrupted" })])
    )
    const text = await follower.sees("interrupted")
    expect(text).toContain(
      "scout  web_fetch  interrupted  12 ms  ✗ network.get  GET https://example.com/  HOST_NOT_ALLOWED"
    )
    appendFileSync(
      folder.path(NEXT),
      lines([decision({ asked: "GET https://next.example/" }), call({ tool: "next_day" })])
    )
    expect(await follower.sees("next.example")).toContain("next_day")
    appendFileSync(folder.path(LOG), lines([call({ tool: "late_one" })]))
    const all = await follower.sees("late_one")
    expect(all.match(/next_day/g)).toHaveLength(1)
    expect(all.match(/run_command/g)).toHaveLength(1)
    expect(await follower.end()).toBe(130)
  })

  it("waits for a log that is not there yet, and for the end of a line", async () => {
    const folder = new Folder({ "bailiwick.yaml": "" })
    const follower = await Follower.start(folder)
    await follower.sees("0 calls, 0 decisions, 0 refused")
    const [line = ""] = lines([call({ tool: "first_of_all" })]).split("\n")
    folder.write(LOG, line.slice(0, 40))
    folder.write(NEXT, lines([call({ tool: "another" })]))
    expect(await follower.sees("another")).not.toContain("first_of_all")
    appendFileSync(folder.path(LOG), `${line.slice(40)}\n`)
    await follower.sees("first_of_all")
    expect(await follower.end()).toBe(130)
  })

  it("goes on when the whole log is taken away, and begun anew", async () => {
    const folder = logged(someWork)
    const following = await Follower.start(folder)
    await following.sees("web_fetch")
    rmSync(folder.path(".bailiwick"), { recursive: true })
    folder.write(LOG, lines([call({ tool: "after_all", call: "new" })]))
    await following.sees("after_all")
    renameSync(folder.path(".bailiwick/audit"), folder.path(".bailiwick/kept"))
    folder.write(NEXT, lines([call({ tool: "once_more", call: "newer" })]))
    await following.sees("once_more")
    expect(await following.end()).toBe(130)
    expect(following.complaints).toBe("")
  })

  it("filters what is new, and shows a refusal before its call has ended", async () => {
    const folder = logged([])
    const follower = await Follower.start(folder, "--denied", "--agent", "scout")
    await follower.sees("0 calls")
    appendFileSync(
      folder.path(LOG),
      lines([
        decision({ asked: "GET https://allowed.example/" }),
        refusal({ agent: "agents/keeper", asked: "GET https://keeper.example/" }),
        refusal({ asked: "GET https://refused.example/" })
      ])
    )
    const text = await follower.sees("refused.example")
    expect(text).toContain("no end yet")
    expect(text).not.toContain("allowed.example")
    expect(text).not.toContain("keeper.example")
    expect(await follower.end()).toBe(130)
  })

  it("with --json has an entry a line, as the log has it, from a time on", async () => {
    const folder = logged([call({ call: "old", time: at(0) }), decision({ call: "1", time: at(10) })])
    const follower = await Follower.start(folder, "--json", "--since", at(5))
    await follower.sees('"call":"1"')
    appendFileSync(
      folder.path(LOG),
      lines([call({ call: "2", time: at(20) }), gap({ lost: 77, time: at(21) })])
    )
    const text = await follower.sees('"lost":77')
    const entries = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(entries.map(({ call, type }) => [type, call])).toEqual([
      ["decision", "1"],
      ["call", "2"],
      ["gap", undefined]
    ])
    expect(entries[0]).toEqual(decision({ call: "1", time: at(10) }))
    expect(await follower.end()).toBe(130)
  })

  it("begins with as many as are asked for", async () => {
    const folder = logged(Array.from({ length: 20 }, (_, n) => call({ call: `c${n}`, time: at(n) })))
    const follower = await Follower.start(folder, "--json", "--limit", "2")
    const text = await follower.sees('"call":"c19"')
    expect(text.trim().split("\n")).toHaveLength(2)
    await follower.end()
  })

  it("follows files that are named, also when one is replaced or grows over a line that is none", async () => {
    const folder = new Folder({ "far.jsonl": lines([call({ tool: "before" })]) })
    const follower = await Follower.start(folder, "far.jsonl")
    await follower.sees("before")
    appendFileSync(
      folder.path("far.jsonl"),
      `${"x".repeat(5 * 1024 * 1024)}\n${lines([call({ tool: "after_it" })])}`
    )
    await follower.sees("after_it")
    writeFileSync(folder.path("other"), lines([call({ tool: "in_its_place" })]))
    renameSync(folder.path("other"), folder.path("far.jsonl"))
    await follower.sees("in_its_place")
    rmSync(folder.path("far.jsonl"))
    folder.write("far.jsonl", lines([call({ tool: "made_anew" })]))
    await follower.sees("made_anew")
    expect(await follower.end()).toBe(130)
    expect(follower.complaints).toBe(
      "bailiwick: lines of the log that are no entries of this version are left out\n"
    )
  })

  it.runIf(process.platform !== "win32")(
    "waits for no pipe in the place of a file, passes over what is no log, and says so once",
    async () => {
      const folder = logged(someWork)
      execFileSync("mkfifo", [folder.path(".bailiwick/audit/2026-01-29.jsonl")])
      symlinkSync(folder.path(LOG), folder.path(".bailiwick/audit/2026-01-28.jsonl"))
      folder.write(".bailiwick/audit/copied.jsonl", lines([call({ tool: "of_another_machine" })]))
      const follower = await Follower.start(folder, "--since", "2026-01-01")
      await follower.sees("run_command")
      appendFileSync(folder.path(LOG), lines([call({ tool: "first_new" })]))
      await follower.sees("first_new")
      appendFileSync(folder.path(LOG), lines([call({ tool: "second_new" })]))
      const text = await follower.sees("second_new")
      expect(text).not.toContain("of_another_machine")
      expect(await follower.end()).toBe(130)
      expect(follower.complaints.trim().split("\n")).toEqual([
        expect.stringMatching(
          /^bailiwick: AUDIT_UNREADABLE: \S+2026-01-28\.jsonl cannot be read: it is a symbolic link; .*; it is left out$/
        ),
        expect.stringMatching(
          /^bailiwick: AUDIT_UNREADABLE: \S+2026-01-29\.jsonl cannot be read: it is no regular file; .*; it is left out$/
        )
      ])
    }
  )

  it.each([["--follow"], ["--serve"], ["--json"], ["--html", "page.html"]])(
    "what is no directory is said at once, with %s too",
    async (...args) => {
      const folder = new Folder({ "bailiwick.yaml": "", ".bailiwick/audit": "no directory" })
      const { code, stderr } = await folder.bailiwick(["audit", ...args])
      expect(code).toBe(2)
      expect(stderr).toMatch(/^bailiwick: AUDIT_UNREADABLE: \S+ cannot be read: it is no directory/)
    }
  )

  it.each(["--follow", "--serve"])(
    "a file that is named and not there is refused, with %s too",
    async (option) => {
      const folder = logged(someWork)
      const { code, stderr, stdout } = await folder.bailiwick(["audit", "nowhere.jsonl", option])
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toMatch(
        /^bailiwick: AUDIT_UNREADABLE: \S+nowhere\.jsonl cannot be read: there is no such file/
      )
      // What stands behind '--serve' and is no port is a file.
      expect(await folder.bailiwick(["audit", option, "80O0"])).toMatchObject({ code: 2, stdout: "" })
    }
  )

  it("of files that are named, says which is not there, and follows the rest", async () => {
    const folder = new Folder({ "far.jsonl": lines([call({ tool: "before" })]) })
    const follower = await Follower.start(folder, "far.jsonl", "nowhere.jsonl")
    await follower.sees("before")
    folder.write("nowhere.jsonl", lines([call({ tool: "came_later" })]))
    await follower.sees("came_later")
    expect(await follower.end()).toBe(130)
    expect(follower.complaints).toMatch(
      /^bailiwick: AUDIT_UNREADABLE: \S+nowhere\.jsonl cannot be read.*; it is left out\n$/
    )
  })

  it("has the entry behind a line that was cut off, and nothing that is missing before what is asked for", async () => {
    const [first = "", second = ""] = lines([call({ tool: "torn" }), call({ tool: "behind_it" })]).split("\n")
    const folder = logged([gap({ time: at(-600), why: "long ago" }), gap({ time: at(0), why: "just now" })])
    const follower = await Follower.start(folder, "--since", at(-1))
    await follower.sees("just now")
    appendFileSync(folder.path(LOG), `${first.slice(0, 60)}${second}\n`)
    const text = await follower.sees("behind_it")
    expect(text).not.toContain("long ago")
    await follower.end()
  })

  it("ends by itself when nobody reads any more", async () => {
    const folder = logged(someWork)
    const follower = await Follower.start(folder)
    await follower.sees("run_command")
    follower.child.stdout.destroy()
    appendFileSync(folder.path(LOG), lines([call()]))
    expect((await follower.ended)[0]).toBe(0)
  })
})
