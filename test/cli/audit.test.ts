/** What agents did, shown: whole, filtered, merged, as JSON, and where there is nothing. */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { programOf } from "../program.js"
import { at, call, decision, gap, LOG, lines, logged, refusal, someWork } from "./auditLog.js"
import { Folder } from "./workspace.js"

const shown = async (folder: Folder, ...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr, stdout } = await folder.bailiwick(["audit", ...args])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return stdout
}

interface Document {
  readonly entries: ReadonlyArray<{ readonly call: string }>
  readonly calls: ReadonlyArray<{ readonly call: string }>
  readonly gaps: ReadonlyArray<object>
  readonly summary: object
}

const document = async (folder: Folder, ...args: ReadonlyArray<string>): Promise<Document> =>
  JSON.parse(await shown(folder, ...args, "--json"))

const callsOf = ({ calls, entries }: Document) => ({
  entries: entries.map(({ call }) => call),
  calls: calls.map(({ call }) => call)
})

describe("audit", () => {
  it("has a summary on top, and a line for each decision with the result of its call", async () => {
    expect(await shown(logged(someWork))).toBe(
      [
        "4 calls (2 ok, 1 execution_failed, 1 timeout), 4 decisions, 1 refused",
        "from 2026-01-30 10:00:00 to 2026-01-30 12:00:01 UTC (2 hours)",
        "hosts     api.github.com 1, example.com 1 (1 refused)",
        "paths     /work/a b.md 1",
        "commands  git 1",
        "! 3 entries could not be kept, in 1 place of the log",
        "",
        "2026-01-30T10:00:00.000Z  scout  web_fetch  ok  12 ms  ✓ network.get  GET https://api.github.com/meta  records/agents/scout.md:7",
        "2026-01-30T10:00:02.000Z  scout  web_fetch  execution_failed  3 ms  ✗ network.get  GET https://example.com/  HOST_NOT_ALLOWED",
        '2026-01-30T10:01:01.000Z  keeper  write_file  ok  1500 ms  ✓ files.write  write "/work/a b.md"  records/agents/keeper.md:4',
        "! 2026-01-30T10:01:10.000Z: 3 entries are missing here: the disk was full",
        "2026-01-30T12:00:01.000Z  helper  run_command  timeout  60000 ms  ✓ process.exec  exec git with 2 arguments in /work  personalities/helper/config.yaml:4",
        ""
      ].join("\n")
    )
  })

  it("prints a document with the fields of each decision and each call", async () => {
    const { calls, entries, gaps, summary } = await document(logged([decision(), call(), gap()]))
    const who = {
      time: at(0),
      session: "s1",
      agent: "agents/scout",
      revision: "r1",
      call: "1",
      tool: "web_fetch",
      origin: "host"
    }
    expect(entries).toEqual([
      {
        ...who,
        capability: "network.get",
        asked: "GET https://api.github.com/meta",
        allowed: true,
        scope: "*.github.com",
        by: "records/agents/scout.md:7"
      }
    ])
    expect(calls).toEqual([{ ...who, code: "ok", ms: 12 }])
    expect(gaps).toEqual([{ time: at(0), lost: 3, why: "the disk was full" }])
    expect(summary).toEqual({
      calls: 1,
      results: { ok: 1 },
      decisions: 1,
      refused: 0,
      from: at(0),
      to: at(0),
      gaps: 1,
      lost: 3,
      hosts: [{ name: "api.github.com", asked: 1, refused: 0 }],
      paths: [],
      commands: [],
      leftOut: []
    })
  })

  it.each([
    [
      ["--agent", "scout"],
      ["1", "2"],
      ["1", "2"]
    ],
    [
      ["--agent", "agents/scout"],
      ["1", "2"],
      ["1", "2"]
    ],
    [["--personality", "helper"], ["4"], ["4"]],
    [["--tool", "write_file"], ["3"], ["3"]],
    [
      ["--capability", "network"],
      ["1", "2"],
      ["1", "2"]
    ],
    [
      ["--capability", "network.get"],
      ["1", "2"],
      ["1", "2"]
    ],
    [
      ["--capability", "net.get"],
      ["1", "2"],
      ["1", "2"]
    ],
    [["--capability", "fs"], ["3"], ["3"]],
    [["--capability", "network.post"], [], []],
    [["--session", "s2"], ["3"], ["3"]],
    [["--denied"], ["2"], ["2"]],
    [["--denied", "--agent", "scout", "--capability", "network"], ["2"], ["2"]],
    [["--denied", "--capability", "files"], [], []],
    [
      ["--since", "2026-01-30T10:00:30Z"],
      ["3", "4"],
      ["3", "4"]
    ],
    [["--since", "2026-01-30T12:30+02:00"], ["4"], ["4"]],
    [["--since", "2026-01-30 10:30"], ["4"], ["4"]],
    [
      ["--since", "2026-01-30"],
      ["1", "2", "3", "4"],
      ["1", "2", "3", "4"]
    ],
    [["--limit", "1"], ["4"], ["4"]],
    [["--limit", "0"], [], []],
    [["--all"], ["1", "2", "3", "4"], ["1", "2", "3", "4"]]
  ])("%j chooses %j", async (args, entries, calls) => {
    expect(callsOf(await document(logged(someWork), ...args))).toEqual({ entries, calls })
  })

  it("a call that is chosen by its decisions shows those alone, and its result", async () => {
    const folder = logged([
      decision(),
      refusal(),
      decision({ capability: "secrets.read", asked: "secret KEY" }),
      call({ code: "execution_failed" })
    ])
    const text = await shown(folder, "--denied")
    expect(text).toContain("1 call (1 execution_failed), 1 decision, 1 refused")
    expect(text).toContain("✗ network.get")
    expect(text).not.toContain("✓")
  })

  it("times are how long ago, too", async () => {
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
    const entries = [
      call({ call: "old", time: ago(3 * 3_600_000) }),
      call({ call: "new", time: ago(60_000) })
    ]
    const folder = new Folder({ "log.jsonl": lines(entries) })
    for (const since of ["2h", "90m", "3600s"]) {
      expect(callsOf(await document(folder, "log.jsonl", "--since", since)).calls).toEqual(["new"])
    }
    for (const since of ["1d", "1w", "999999999w"]) {
      expect(callsOf(await document(folder, "log.jsonl", "--since", since)).calls).toEqual(["old", "new"])
    }
  })

  it("decisions go to the call that ends first with their id, and each call has its own", async () => {
    const folder = logged([
      decision({ call: "a", asked: "GET https://one.example/" }),
      decision({ call: "b", asked: "GET https://two.example/" }),
      call({ call: "b", code: "timeout" }),
      call({ call: "a" }),
      decision({ call: "a", asked: "GET https://three.example/" }),
      call({ call: "a", code: "interrupted" })
    ])
    const rows = (await shown(folder)).split("\n").filter((line) => line.startsWith("2026"))
    expect(rows.map((row) => row.split("  ").filter((_, index) => index === 3 || index === 6))).toEqual([
      ["timeout", "GET https://two.example/"],
      ["ok", "GET https://one.example/"],
      ["interrupted", "GET https://three.example/"]
    ])
  })

  it("shows what has no end, and what belongs to no call", async () => {
    const text = await shown(logged([decision({ call: "" }), refusal({ call: "9" })]))
    expect(text).toContain("scout  web_fetch  -  -  ✓")
    expect(text).toContain("scout  web_fetch  no end yet  -  ✗")
  })

  it("shows the newest hundred, and as many as are asked for", async () => {
    const folder = logged(Array.from({ length: 250 }, (_, id) => call({ call: `${id}`, time: at(id) })))
    const rows = (text: string) => text.split("\n").filter((line) => line.startsWith("2026-01-30T"))
    const usual = await shown(folder)
    expect(rows(usual)).toHaveLength(100)
    expect(usual).toContain("250 calls")
    expect(usual).toContain("150 older calls are not shown; --all shows all, --limit N as many")
    expect(rows(usual).at(-1)).toContain(at(249))
    expect(rows(await shown(folder, "--limit", "7"))).toHaveLength(7)
    expect(rows(await shown(folder, "--limit", "0"))).toHaveLength(0)
    const all = await shown(folder, "--all")
    expect(rows(all)).toHaveLength(250)
    expect(all).not.toContain("not shown")
  })

  it("what never ended stands where it was, and hides nothing that is newer", async () => {
    const killed = Array.from({ length: 120 }, (_, id) => decision({ call: `killed ${id}`, time: at(id) }))
    const later = [decision({ call: "later", time: at(500) }), call({ call: "later", time: at(500) })]
    const text = await shown(logged([...killed, ...later]))
    const rows = text.split("\n").filter((line) => line.startsWith("2026-01-30T"))
    expect(rows).toHaveLength(100)
    expect(rows.at(-1)).toContain(`${at(500)}  scout  web_fetch  ok`)
    expect(rows[0]).toContain(at(21))
  })

  it("of a call with many decisions it shows some, and every refusal", async () => {
    const folder = logged([
      ...Array.from({ length: 30 }, (_, n) => decision({ asked: `GET https://a.example/${n}` })),
      refusal(),
      call()
    ])
    const text = await shown(folder)
    expect(text.match(/✓/g)).toHaveLength(9)
    expect(text).toContain("✗")
    expect(text).toContain("and 21 more decisions of this call")
    expect((await shown(folder, "--all")).match(/✓/g)).toHaveLength(30)
  })

  it("what is decided again and again stands once", async () => {
    const text = await shown(logged([...Array.from({ length: 5 }, () => decision()), call()]))
    expect(text.match(/✓/g)).toHaveLength(1)
    expect(text).toContain("GET https://api.github.com/meta ×5")
    expect(text).toContain("5 decisions")
  })

  it("counts what was asked for most, the most frequent first", async () => {
    const folder = logged([
      ...["a", "b", "c", "d", "e", "f"].map((name) => decision({ asked: `POST https://${name}.example/` })),
      refusal({ asked: "GET https://c.example:8443/x" }),
      refusal({ asked: "GET https://c.example/x" }),
      decision({ capability: "private.connect", asked: "connect 127.0.0.1:8080" }),
      decision({ capability: "process.eval", asked: "eval in /work" })
    ])
    const text = await shown(folder)
    expect(text).toContain("hosts     c.example 2 (1 refused), 127.0.0.1:8080 1, a.example 1, ")
    expect(text).toMatch(/hosts .*, 3 more\n/)
    expect(text).toContain("commands  (shell) 1\n")
  })
})

describe("logs of several machines", () => {
  it("are merged by time, and ask for no workspace", async () => {
    const folder = new Folder({
      "a.jsonl": lines([call({ call: "1", time: at(1) }), call({ call: "3", time: at(3) })]),
      "b.jsonl": lines([call({ call: "2", time: at(2) }), call({ call: "4", time: at(4) })]),
      "bailiwick.yaml": "what: is this"
    })
    expect(callsOf(await document(folder, "a.jsonl", folder.path("b.jsonl"))).calls).toEqual([
      "1",
      "2",
      "3",
      "4"
    ])
    expect(callsOf(await document(folder, "b.jsonl", "b.jsonl")).calls).toEqual(["2", "4"])
  })

  it("begin with their first entry, whatever mark of an editor stands before it", async () => {
    const folder = new Folder({ "a.jsonl": `\ufeff${lines([call()])}`, "b.jsonl": "" })
    expect(callsOf(await document(folder, "a.jsonl")).calls).toEqual(["1"])
    const { stdout } = await folder.bailiwick(["audit", "-", "--json"], { stdin: `\ufeff${lines([call()])}` })
    expect(callsOf(JSON.parse(stdout)).calls).toEqual(["1"])
  })

  const work = [
    [decision({ time: at(1) }), call({ time: at(3) })],
    [refusal({ time: at(2) }), call({ time: at(4), code: "execution_failed" })]
  ] as const
  const rowsOf = (text: string) => text.split("\n").filter((line) => line.startsWith("2026-"))

  it("have calls of their own, whatever their ids", async () => {
    const folder = new Folder({ "a.jsonl": lines(work[0]), "b.jsonl": lines(work[1]) })
    expect(rowsOf(await shown(folder, "a.jsonl", "b.jsonl"))).toEqual([
      expect.stringMatching(/ ok .*✓/),
      expect.stringMatching(/ execution_failed .*✗/)
    ])
  })

  it("are one where a directory has them as they were written", async () => {
    const [[first, second], [third, fourth]] = work
    const folder = new Folder({
      "a/2026-01-30.jsonl": lines([first]),
      "a/2026-01-30.1.jsonl": lines([second]),
      "b/2026-01-30.jsonl": lines([third, fourth])
    })
    const files = ["a/2026-01-30.1.jsonl", "a/2026-01-30.jsonl", "b"]
    const text = await shown(folder, ...files)
    expect(rowsOf(text)).toHaveLength(2)
    expect(text).not.toContain("no end yet")
    expect((await folder.bailiwick(["audit", ...files, "--html", "page.html"])).code).toBe(0)
  })

  it("come in directories, from standard input and from pipes", async () => {
    const folder = new Folder({ "far/2026-01-30.jsonl": lines(someWork), "far/notes.txt": "none" })
    expect(callsOf(await document(folder, "far")).calls).toEqual(["1", "2", "3", "4"])
    const { code, stdout } = await folder.bailiwick(["audit", "-", "--json"], { stdin: lines(someWork) })
    expect({ code, calls: callsOf(JSON.parse(stdout)).calls }).toEqual({
      code: 0,
      calls: ["1", "2", "3", "4"]
    })
    const torn = await folder.bailiwick(["audit", "-"], { stdin: `${lines(someWork)}{"v":1,"ty` })
    expect(torn.stdout).toContain("! standard input:10: a line was cut off while it was written")
    expect(torn.stdout).not.toContain("bailiwick-audit-")
  })

  it.runIf(process.platform === "linux")("a pipe is read once, and shown whole", async () => {
    const folder = new Folder({ "log.txt": lines(someWork) })
    execFileSync("mkfifo", [folder.path("pipe")])
    const writer = spawn("/bin/sh", ["-c", "exec cat log.txt > pipe"], { cwd: folder.root, stdio: "ignore" })
    const ended = once(writer, "close")
    expect(callsOf(await document(folder, "pipe")).calls).toEqual(["1", "2", "3", "4"])
    expect(await ended).toEqual([0, null])
  })

  it.each([
    ["notes.txt", "just words\nand more\n"],
    ["data.json", '[{"id":1}]'],
    ["rows.jsonl", '{"a":1}\n{"v":"x","time":1}\n']
  ])("%s is none, and is refused by its name", async (name, text) => {
    const folder = new Folder({ "good.jsonl": lines(someWork), [name]: text })
    const { code, stderr, stdout } = await folder.bailiwick(["audit", "good.jsonl", name])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(`AUDIT_UNREADABLE: ${name} is no audit log`)
    expect(stderr.trim().split("\n")).toHaveLength(1)
  })

  it("what is not there is refused by its name, and a command that was meant is named", async () => {
    const { code, stderr, stdout } = await new Folder().bailiwick(["audit", "nowhere.jsonl"])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/AUDIT_UNREADABLE: .*nowhere\.jsonl cannot be read/)
    const folder = new Folder({ "notes.txt": "words" })
    symlinkSync("loop", folder.path("loop"))
    for (const name of ["loop", "notes.txt/below", "a".repeat(300)]) {
      const { code: refused, stderr: why } = await folder.bailiwick(["audit", name])
      expect([refused, why]).toEqual([
        2,
        expect.stringMatching(/^bailiwick: AUDIT_UNREADABLE: \S+ cannot be read/)
      ])
    }
    expect((await new Folder().bailiwick(["audit", "veirfy"])).stderr).toContain(
      "did you mean 'audit verify'?"
    )
  })
})

describe("a log of another user", () => {
  const isRoot = process.getuid?.() === 0
  const NOBODY = 65_534

  /** Root reads everything; without its privileges it is a user like any other. */
  const unprivileged = isRoot ? ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] : []

  const closed = (path: string): void => {
    if (isRoot) chownSync(path, NOBODY, NOBODY)
    chmodSync(path, isRoot ? 0o600 : 0)
  }

  it.runIf(process.platform === "linux").each([
    [LOG, []],
    [LOG, [LOG]],
    [LOG, ["--follow"]],
    [LOG, ["--serve"]],
    [".bailiwick/audit", []],
    [".bailiwick/audit", [".bailiwick/audit"]]
  ])("is refused in one sentence: %s, audit %j", async (path, args) => {
    const folder = logged(someWork)
    closed(folder.path(path))
    const program = await programOf(join(root, "src/cli/main.ts"))
    const [command = "", ...rest] = [...unprivileged, process.execPath, program, "audit", ...args]
    const { status, stderr, stdout } = spawnSync(command, rest, {
      cwd: folder.root,
      env: { PATH: process.env.PATH, HOME: folder.path("home") },
      encoding: "utf8",
      timeout: 20_000
    })
    if (!isRoot) chmodSync(folder.path(path), 0o700)
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr).toMatch(
      /^bailiwick: AUDIT_UNREADABLE: \S+ cannot be read: this user may not read it; run as its owner\n$/
    )
  })
})

describe("where there is nothing", () => {
  it("says where the log would be, and who writes it", async () => {
    const folder = new Folder({ "bailiwick.yaml": "" })
    const text = await shown(folder)
    expect(text).toContain(folder.path(".bailiwick/audit"))
    expect(text).toContain("'bailiwick run'")
    expect(text.trim().split("\n")).toHaveLength(1)
    mkdirSync(folder.path(".bailiwick/audit"), { recursive: true })
    expect(await shown(folder)).toContain("has no entry yet")
    expect(await document(folder)).toMatchObject({ entries: [], calls: [], summary: { calls: 0 } })
  })

  it("without a workspace the log is in the state of the user", async () => {
    const folder = new Folder()
    expect(await shown(folder)).toContain(folder.path("state/bailiwick/audit"))
    folder.write("state/bailiwick/audit/2026-01-30.jsonl", lines(someWork))
    expect(callsOf(await document(folder)).calls).toEqual(["1", "2", "3", "4"])
  })

  it("a name that never occurs is told with the closest that does", async () => {
    const folder = logged(someWork.filter((entry) => !("lost" in entry)))
    expect(await shown(folder, "--agent", "scuot")).toBe(
      "there is nothing of the agent 'scuot' in what was read; did you mean 'agents/scout'?\n"
    )
    expect(await shown(folder, "--tool", "web_fecth")).toContain("did you mean 'web_fetch'?")
    expect(await shown(folder, "--personality", "nobody")).toBe(
      "there is nothing of the personality 'nobody' in what was read\n"
    )
    expect(await shown(logged(someWork), "--tool", "x")).toBe(
      "there is nothing of the tool 'x' in what was read\n3 entries could not be kept, in 1 place of the log\n"
    )
    const asJson = await folder.bailiwick(["audit", "--tool", "web_fecth", "--json"])
    expect(asJson.stderr).toContain("did you mean 'web_fetch'?")
    expect(JSON.parse(asJson.stdout)).toMatchObject({ entries: [], calls: [] })
  })

  it("what was not asked for is counted, and what was not kept since then is said", async () => {
    const folder = logged(someWork.slice(0, 4))
    expect(await shown(folder, "--agent", "scout", "--capability", "files")).toBe(
      "of 4 entries that were read, none is what was asked for\n"
    )
    expect(await shown(folder, "--since", "2026-02-01")).toBe(
      "nothing was kept since 2026-02-01 00:00:00 UTC\n"
    )
  })
})

describe("bad values", () => {
  it.each([
    [["--since", "yesterday"], "write 90s, 15m, 2h, 7d, 2026-01-31 or 2026-01-31T09:30Z"],
    [["--since", "2h30m"], "'2h30m' is neither"],
    [["--since", "2026-02-30"], "'2026-02-30' is neither"],
    [["--since", "2026-01-31T25:00"], "is neither"],
    [["--since", "-2h"], "is neither"],
    [["--capability", "netwrok"], "'netwrok' is none; did you mean 'network'?"],
    [["--capability", "x"], "takes one such as network, network.get or files.write"],
    [["--limit", "many"], "--limit takes a number such as 20, and 'many' is none"],
    [["--limit", "-1"], "'-1' is none"],
    [["--limit", "3", "--all"], "--limit goes without --all"],
    [["--html", "x.html", "--serve"], "--serve goes without --html"],
    [["--html", "x.html", "--follow"], "--html goes without --follow"],
    [["--serve", "--follow"], "--serve goes without --follow"],
    [["--serve", "70000"], "--serve takes a port from 0 to 65535"],
    [["--serve=x"], "--serve takes a port"],
    [["--serve", "--json"], "--serve goes without --json"],
    [["--serve", "--all"], "--serve goes without --all"],
    [
      ["--html", "x.html", "--limit", "3"],
      "--html goes without --limit; choose what a page has with --since"
    ],
    [["--follow", "-"], "--follow goes without -"],
    [["-", "-"], "'-' is given twice"],
    [["--head", "x"], "'audit' has no option --head"],
    [["verify", "--head", "abc"], "--head takes a digest of 64 digits"],
    [["verify", "--denied"], "'audit verify' has no option --denied"],
    [["verify", "x.jsonl"], "'x.jsonl' is one word too many for 'audit verify'"]
  ])("%j is refused: %s", async (args, words) => {
    const { code, stderr, stdout } = await logged(someWork).bailiwick(["audit", ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(words)
    expect(stderr.trim().split("\n")).toHaveLength(1)
  })
})

describe("the text", () => {
  it.each([140, 100, 80, 60, 40])(
    "fits a terminal of %i columns, and shows every refusal",
    async (columns) => {
      const folder = logged([
        ...someWork,
        refusal({
          call: "5",
          tool: "a_tool_with_quite_a_long_name_for_a_tool",
          asked: `GET https://${"x".repeat(4000)}.example/`
        }),
        refusal({
          call: "6",
          capability: "files.read",
          asked: "read /目录/文件/很长的路径/很长的路径/很长的路径/很长的路径",
          code: "PATH_NOT_REACHABLE"
        })
      ])
      const { stdout } = await folder.bailiwick(["audit"], { isTTY: true, columns, env: { NO_COLOR: "1" } })
      const { widthOf } = await import("../../src/cli/report/Terminal.js")
      expect(stdout.split("\n").filter((line) => widthOf(line) > columns)).toEqual([])
      expect(stdout.split("\n").length).toBeLessThan(60)
      expect(stdout.match(/✗/g)).toHaveLength(3)
      expect(stdout.match(/HOST_NOT_ALLOWED/g)).toHaveLength(2)
      expect(stdout).toContain("PATH_NOT_REACHABLE")
      for (const word of ["web_fetch", "write_file", "run_command", "timeout", "2026-01-30", "12:00:01"]) {
        expect(stdout).toContain(word)
      }
    }
  )

  it("has colours on a terminal, and none where NO_COLOR says so", async () => {
    const folder = logged(someWork)
    const plain = await folder.bailiwick(["audit"], { isTTY: true, columns: 120, env: { NO_COLOR: "1" } })
    const colourful = await folder.bailiwick(["audit"], { isTTY: true, columns: 120 })
    expect(plain.stdout).not.toContain("\u001b")
    expect(colourful.stdout).toContain("\u001b[31m")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
    expect(colourful.stdout.replace(/\u001b\[\d+m/g, "")).toBe(plain.stdout)
  })

  it("of more than one day has each day once", async () => {
    const folder = logged([call({ time: at(0) }), call({ time: at(1) }), call({ time: at(86_400) })])
    folder.write(LOG, lines([call({ time: at(0) }), call({ time: at(1) }), call({ time: at(86_400) })]))
    const { stdout } = await folder.bailiwick(["audit"], { isTTY: true, columns: 120 })
    const days = stdout.split("\n").filter((line) => /^\S*2026-01-3\d\S*$/.test(line))
    expect(days).toHaveLength(2)
  })
})
