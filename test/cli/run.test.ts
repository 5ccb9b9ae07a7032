// biome-ignore-all lint/suspicious/noTemplateCurlyInString: personalities write their variables like this
/**
 * Turns under a personality, against the real disk, real children, a real store and a server on loopback: what is
 * allowed happens, and what is refused does not, and says why.
 */
import { execFileSync } from "node:child_process"
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { has } from "../../scripts/lib/system.js"
import { Folder } from "./workspace.js"

const call = (name: string, args: object = {}, id = name) => ({ id, name, args })

describe("files", () => {
  it("[B9, I5] are read and written where the personality says, and nowhere else", async () => {
    const folder = new Folder({ "in/a.txt": "hello", "secret.txt": "no" })
    folder.personality('fs_reach: { read: ["${CWD}/in"], write: ["${CWD}/out"] }')
    const { results } = await folder.calls([
      call("read_file", { path: "in/a.txt" }, "1"),
      call("read_file", { path: "secret.txt" }, "2"),
      call("write_file", { path: "out/b.txt", content: "made" }, "3"),
      call("write_file", { path: "in/b.txt", content: "made" }, "4"),
      call("read_file", { path: "in/../secret.txt" }, "5")
    ])
    expect(results[0]).toMatchObject({ ok: true, value: { content: "hello" } })
    expect(results[1]).toMatchObject({
      ok: false,
      denial: { code: "PATH_NOT_REACHABLE", reason: "scope_violation" }
    })
    expect(results[2]).toMatchObject({ ok: true })
    expect(results[3]).toMatchObject({ ok: false, code: "execution_failed" })
    expect(results[4]).toMatchObject({ ok: false, code: "execution_failed" })
    expect(readFileSync(folder.path("out/b.txt"), "utf8")).toBe("made")
    expect(existsSync(folder.path("in/b.txt"))).toBe(false)
  })

  it("what authority is read from is never written, whatever the reach", async () => {
    const folder = new Folder({ "bailiwick.yaml": "" }).personality(
      'fs_reach: { read: ["${CWD}"], write: ["${CWD}"] }'
    )
    const paths = [
      "personality/config.yaml",
      "personality/toolset.yaml",
      "bailiwick.yaml",
      ".bailiwick/x",
      "personalities/x/config.yaml"
    ]
    const { results } = await folder.calls(
      paths.map((path) => call("write_file", { path, content: "id: x" }, path))
    )
    expect(results.map(({ error }: { error?: string }) => error?.split(":")[0])).toEqual(
      paths.map(() => "PATH_NOT_REACHABLE")
    )
    expect(readFileSync(folder.path("personality/config.yaml"), "utf8")).toContain("id: tester")
    expect(existsSync(folder.path("personality/toolset.yaml"))).toBe(false)
  })

  it("what another workspace reads, and a repository, is never written, whatever the reach", async () => {
    const folder = new Folder({ "sub/.git/HEAD": "ref: x" }).personality(
      'fs_reach: { read: ["${CWD}"], write: ["${CWD}"] }'
    )
    const paths = [
      "bailiwick.yaml",
      "sub/bailiwick.yaml",
      "sub/personalities/x/config.yaml",
      "sub/.bailiwick/x",
      "sub/.git/commondir"
    ]
    const { results } = await folder.calls([
      ...paths.map((path) => call("write_file", { path, content: "x" }, path)),
      call("read_file", { path: "sub/.git/HEAD" })
    ])
    expect(
      results.map(({ error, ok }: { error?: string; ok: boolean }) => error?.split(":")[0] ?? ok)
    ).toEqual([...paths.map(() => "PATH_NOT_REACHABLE"), true])
    expect(paths.filter((path) => existsSync(folder.path(path)))).toEqual([])
  })

  it("secrets and state of the workspace are never read, whatever the reach", async () => {
    const folder = new Folder({
      "a.txt": "a KEY",
      "bailiwick.yaml": "",
      ".env": "KEY=value",
      ".bailiwick/storage/store.db": "state"
    })
    folder.personality('fs_reach: { read: ["${CWD}"] }')
    const { results } = await folder.calls([
      call("read_file", { path: ".env" }, "1"),
      call("read_file", { path: ".bailiwick/storage/store.db" }, "2"),
      call("search_files", { path: ".", pattern: "KEY" }, "3")
    ])
    for (const result of results.slice(0, 2)) {
      expect(result).toMatchObject({ ok: false, denial: { code: "PATH_NOT_REACHABLE" } })
    }
    expect(results[2].value.matches.map(({ path }: { path: string }) => path)).toEqual([folder.path("a.txt")])
  })

  it("[I26, F14] a root that is a link opens what it led to when it was loaded, by either name", async () => {
    const folder = new Folder({ "real/a.txt": "real", "other/a.txt": "other" })
    symlinkSync(folder.path("real"), folder.path("link"))
    folder.personality('fs_reach: { read: ["${CWD}/link"] }')
    const { results } = await folder.calls([
      call("read_file", { path: "link/a.txt" }, "1"),
      call("read_file", { path: "real/a.txt" }, "2"),
      call("read_file", { path: "other/a.txt" }, "3")
    ])
    expect(results.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, true, false])
  })

  it("[H14] what is edited is seen by the next turn", async () => {
    const folder = new Folder({ "a.txt": "x" }).personality()
    const read = [call("read_file", { path: "a.txt" })]
    expect((await folder.calls(read)).results[0].ok).toBe(false)
    folder.personality('fs_reach: { read: ["${CWD}"] }')
    expect((await folder.calls(read)).results[0].ok).toBe(true)
  })

  it("--workdir is where relative paths start", async () => {
    const folder = new Folder({ "sub/a.txt": "x" }).personality('fs_reach: { read: ["${CWD}"] }')
    const { results } = await folder.calls([call("read_file", { path: "a.txt" })], {
      args: ["--workdir", "sub"]
    })
    expect(results[0]).toMatchObject({ ok: true, value: { content: "x" } })
  })
})

describe("commands", () => {
  /** Nothing on this path holds children; what runs is found by its full name. */
  const bare = { env: { PATH: "/nowhere" } }
  const echoing = [call("run_command", { command: "/bin/echo", args: ["hi"] })]
  const allowing = 'process: { allow: ["/bin/echo"] }'

  it.each([
    ["nobody says a word", "", ""],
    ["the personality requires it", "", "sandbox: required"],
    ["the workspace requires it, whatever the personality says", "sandbox: required", "sandbox: off"],
    ["the personality requires it, whatever the workspace says", "sandbox: off", "sandbox: required"],
    ["there are limits alone", "sandbox: { limits: { seconds: 5 } }", ""]
  ])("do not run where nothing holds them and %s", async (_who, workspace, own) => {
    const folder = new Folder({ "bailiwick.yaml": workspace }).personality(allowing, own)
    const { results } = await folder.calls(echoing, bare)
    expect(results[0]).toMatchObject({
      ok: false,
      code: "not_available",
      error: expect.stringMatching(/bwrap is not installed; install .*bubblewrap/)
    })
  })

  it("run where that is only preferred with a note in the result, and without where it is off", async () => {
    const folder = new Folder({ "bailiwick.yaml": "sandbox: preferred" }).personality(allowing)
    const preferred = await folder.calls(echoing, bare)
    expect(preferred).toMatchObject({
      results: [
        { ok: true, value: { stdout: "hi\n", note: expect.stringContaining("nothing held this command") } }
      ],
      stderr: ""
    })
    const off = await new Folder().personality(allowing, "sandbox: off").calls(echoing, bare)
    expect(off).toMatchObject({ results: [{ ok: true }], stderr: "" })
    expect(off.results[0].value).not.toHaveProperty("note")
  })

  it.runIf(has("bwrap"))("see what their tool may touch, and nothing else", async () => {
    const folder = new Folder({ "mine/a.txt": "mine", "other/b.txt": "other" })
    folder.personality('fs_reach: { read: ["${CWD}/mine"] }', "process: { allow: [cat, ls] }")
    const { results } = await folder.calls([
      call("run_command", { command: "cat", args: ["a.txt"], cwd: "mine" }, "1"),
      call("run_command", { command: "cat", args: ["../other/b.txt"], cwd: "mine" }, "2"),
      call("run_command", { command: "ls", args: [folder.root], cwd: "mine" }, "3")
    ])
    expect(results).toMatchObject([
      { ok: true, value: { exitCode: 0, stdout: "mine" } },
      { ok: true, value: { exitCode: 1, stdout: "", stderr: expect.stringContaining("No such file") } },
      { ok: true, value: { exitCode: 0, stdout: "mine\n" } }
    ])
  })

  it.runIf(has("bwrap"))("are explained with what they would see, and the plan with --sandbox", async () => {
    const folder = new Folder({ "mine/a.txt": "mine" })
    folder.personality(
      'fs_reach: { read: ["${CWD}/mine"], write: ["${CWD}/mine/out"] }',
      "process: { allow: [cat] }",
      "sandbox: { limits: { open_files: 70 } }"
    )
    mkdirSync(folder.path("mine/out"))
    const stdin = JSON.stringify([call("run_command", { command: "cat", cwd: "mine" })])
    const args = ["explain", "-", "--personality", "personality"]
    const plain = await folder.bailiwick(args, { stdin })
    expect(plain).toMatchObject({ code: 0, stderr: "" })
    expect(plain.stdout).toContain("is held by the kernel (sandbox: required)")
    expect(plain.stdout).toContain(`writes ${folder.path("mine/out")}/, beside a /tmp of its own`)
    expect(plain.stdout).toContain(" 70 open files, ")
    expect(plain.stdout).not.toContain("mount ")
    const plan = await folder.bailiwick([...args, "--sandbox"], { stdin })
    expect(plan.stdout).toContain(`  mount   write tree ${folder.path("mine/out")}\n`)
    const json = JSON.parse((await folder.bailiwick([...args, "--json"], { stdin })).stdout)
    expect(json.results[0]).not.toHaveProperty("sandbox")
    const whole = JSON.parse((await folder.bailiwick([...args, "--json", "--sandbox"], { stdin })).stdout)
    expect(whole.results[0].sandbox).toMatchObject({
      mode: "required",
      held: true,
      mounts: [
        { path: folder.path("mine"), kind: "tree", access: "read" },
        { path: folder.path("mine/out"), kind: "tree", access: "write" }
      ],
      covers: [],
      doors: [],
      reaches: false,
      limits: { openFiles: 70 },
      leftOut: [],
      cwd: folder.path("mine")
    })
  })

  it.runIf(has("bwrap"))("[K1, K2, K18] run when they are listed, and not otherwise", async () => {
    const folder = new Folder().personality('process: { allow: ["echo"] }')
    const { results } = await folder.calls([
      call("run_command", { command: "echo", args: ["$(id)"] }, "1"),
      call("run_command", { command: "ls" }, "2"),
      call("run_shell", { script: "touch made" }, "3")
    ])
    expect(results[0]).toMatchObject({ ok: true, value: { stdout: "$(id)\n", exitCode: 0 } })
    expect(results[1]).toMatchObject({ ok: false, denial: { code: "BINARY_NOT_ALLOWED" } })
    expect(results[2]).toMatchObject({ ok: false, denial: { code: "SHELL_NOT_ALLOWED" } })
    expect(existsSync(folder.path("made"))).toBe(false)
  })

  it.runIf(has("bwrap"))("a section that is absent leaves nothing to a tool that names none", async () => {
    const { results } = await new Folder().personality().calls([call("run_command", { command: "echo" })])
    expect(results[0]).toMatchObject({ ok: false, denial: { code: "BINARY_NOT_ALLOWED" } })
  })
})

describe("the network", () => {
  const serving = async <A>(use: (port: number, asked: Array<string>) => Promise<A>): Promise<A> => {
    const asked: Array<string> = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? "")
      response.end("hello from loopback")
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    try {
      return await use((server.address() as AddressInfo).port, asked)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  it("[E7, E26] a private endpoint answers where it is named, and is not asked where it is not", () =>
    serving(async (port, asked) => {
      const folder = new Folder().personality(`safety: { network: { private: ["127.0.0.1:${port}"] } }`)
      const fetch = [call("web_fetch", { url: `http://127.0.0.1:${port}/a` })]
      const { results } = await folder.calls(fetch)
      expect(results[0]).toMatchObject({ ok: true })
      expect(JSON.stringify(results[0])).toContain("hello from loopback")
      folder.personality('safety: { network: { allow: ["*"] } }')
      const refused = (await folder.calls(fetch)).results[0]
      expect(refused).toMatchObject({ ok: false, code: "execution_failed" })
      expect(asked).toEqual(["/a"])
    }))

  it("[E26] a private host of the workspace answers who may reach hosts, and is allowed to nobody else", () =>
    serving(async (port, asked) => {
      const folder = new Folder({ "bailiwick.yaml": `private_hosts: ["127.0.0.1:${port}"]` })
      const fetch = [call("web_fetch", { url: `http://127.0.0.1:${port}/a` })]
      const open = 'safety: { network: { allow: ["127.0.0.1"] } }'
      expect((await folder.personality(open).calls(fetch)).results[0]).toMatchObject({ ok: true })
      expect((await folder.personality().calls(fetch)).results[0]).toMatchObject({
        ok: false,
        denial: { code: "HOST_NOT_ALLOWED" }
      })
      folder.write("bailiwick.yaml", "")
      expect((await folder.personality(open).calls(fetch)).results[0]).toMatchObject({ ok: false })
      expect(asked).toEqual(["/a"])
    }))

  it("[N62] a host that is denied is refused in every spelling", async () => {
    const folder = new Folder().personality('safety: { network: { allow: ["*"], deny: ["evil.example"] } }')
    const urls = ["https://evil.example/", "https://EVIL.example./"]
    const { results } = await folder.calls(urls.map((url) => call("web_fetch", { url }, url)))
    for (const result of results)
      expect(result).toMatchObject({ ok: false, denial: { code: "HOST_NOT_ALLOWED" } })
  })
})

describe("storage", () => {
  const set = [call("kv_set", { key: "a", value: "b" })]
  const get = [call("kv_get", { key: "a" })]

  it("[G5, G6] lasts for a session that is named, and is apart from others", async () => {
    const folder = new Folder().personality()
    await folder.calls(set, { args: ["--session", "s1"] })
    const [one, two] = [
      await folder.calls(get, { args: ["--session", "s1"] }),
      await folder.calls(get, { args: ["--session", "s2"] })
    ]
    expect(JSON.stringify(one.results[0])).toContain('"b"')
    expect(JSON.stringify(two.results[0])).not.toContain('"b"')
  })

  it("[G22] of a session without a name ends with the run", async () => {
    const folder = new Folder().personality()
    expect((await folder.calls(set)).results[0].ok).toBe(true)
    const data = readFileSync(folder.path("state/bailiwick/storage/store.db"))
    expect(data.length).toBeGreaterThan(0)
    expect((await folder.calls([call("kv_list")])).results[0]).toMatchObject({
      ok: true,
      value: { keys: [] }
    })
  })

  it("a section that lists no scope leaves none", async () => {
    const { results } = await new Folder().personality("storage: { scopes: [] }").calls(set)
    expect(results[0]).toMatchObject({ ok: false })
  })
})

describe("attachments", () => {
  it("come with the message that brought them, which names the session and gives the text for the model", async () => {
    const folder = new Folder({ "a.txt": "attached" }).personality(
      "attachments: { kinds: [file] }",
      "storage: { scopes: [session] }"
    )
    const url = pathToFileURL(folder.path("a.txt")).href
    const attached = { type: "file", ref: "att-0", url, mimeType: "text/plain", sizeBytes: -1 }
    const away = { ...attached, ref: "att-1", url: "https://files.example/a.txt" }
    const message = { platform: "email", sessionKey: "email:ada", messageId: "1", text: "Read it." }
    folder.write("message.json", { ...message, attachments: [attached, away] })
    folder.write("calls.json", [
      { id: "1", name: "read_attachment", args: { ref: "att-0" } },
      { id: "2", name: "kv_set", args: { key: "k", value: "v" } }
    ])
    const options = ["--personality", "personality", "--attachments", "message.json", "--json"]
    const { code, stderr, stdout } = await folder.bailiwick(["run", "calls.json", ...options])
    expect(code).toBe(0)
    expect(stderr).toContain("attachment 2 is left out: its url is not that of a local file")
    const { events, results, text } = JSON.parse(stdout)
    expect(text).toBe(
      '<attachments>\n<attachment ref="att-0" type="file" mimeType="text/plain" />\n</attachments>\n\nRead it.'
    )
    expect(results[0].result).toMatchObject({ ok: true, value: { content: "attached" } })
    expect(events[0].session).toBe("email:ada")
    folder.write("calls.json", [{ id: "1", name: "kv_get", args: { key: "k" } }])
    const again = JSON.parse((await folder.bailiwick(["run", "calls.json", ...options])).stdout)
    expect(JSON.stringify(again.results[0].result)).toContain("v")
    folder.write("message.json", { ...message, sessionKey: 7, attachments: [] })
    const refused = await folder.bailiwick(["run", "calls.json", ...options])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("nor a message with them")])
  })

  it("[M1] are listed and read by ref, of the kinds that are allowed", async () => {
    const folder = new Folder({ "a.txt": "attached", "b.png": "png" }).personality(
      "attachments: { kinds: [file] }"
    )
    const of = (type: string, ref: string, name: string) => ({
      type,
      ref,
      url: pathToFileURL(folder.path(name)).href,
      mimeType: type === "file" ? "text/plain" : "image/png"
    })
    folder.write("att.json", [of("file", "att-0", "a.txt"), of("image", "att-1", "b.png")])
    const { results } = await folder.calls(
      [
        call("list_attachments"),
        call("read_attachment", { ref: "att-0" }),
        call("read_attachment", { ref: "att-1" }, "other")
      ],
      { args: ["--attachments", "att.json"] }
    )
    expect(results[0].value.attachments.map(({ ref }: { ref: string }) => ref)).toEqual(["att-0"])
    expect(JSON.stringify(results[1])).toContain("attached")
    expect(results[2]).toMatchObject({ ok: false })
  })

  it("[M16] files that are missing, linked or closed to every tool are left out, and the others work", async () => {
    const folder = new Folder({
      "a.txt": "attached",
      id_rsa: "key",
      "home/.npmrc": "token",
      "home/.ssh/config": "hosts",
      "state/bailiwick/x": "state",
      "directory/x": ""
    }).personality()
    symlinkSync(folder.path("a.txt"), folder.path("link.txt"))
    symlinkSync(folder.path("home"), folder.path("elsewhere"))
    const paths = [
      ...["missing.txt", "link.txt", "directory", "id_rsa", "home/.npmrc", "elsewhere/.npmrc"],
      ...["home/.ssh/config", "state/bailiwick/x"]
    ].map((name) => folder.path(name))
    const all = [...paths, "/proc/self/environ", "/etc/shadow", folder.path("a.txt")]
    folder.write(
      "att.json",
      all.map((path, index) => ({
        type: "file",
        ref: `r${index}`,
        url: pathToFileURL(path).href,
        mimeType: "text/plain",
        filename: "a\n\u202Eb.txt"
      }))
    )
    const last = `r${all.length - 1}`
    const { results, stderr } = await folder.calls(
      [
        call("list_attachments"),
        call("read_attachment", { ref: last }),
        call("read_attachment", { ref: "r3" }, "3")
      ],
      { args: ["--attachments", "att.json"] }
    )
    expect(results[0].value.attachments).toMatchObject([{ ref: last, filename: "ab.txt" }])
    expect(JSON.stringify(results[1])).toContain("attached")
    expect(results[2]).toMatchObject({ ok: false })
    const warnings = stderr.trim().split("\n")
    expect(warnings).toHaveLength(all.length - 1)
    expect(warnings.slice(0, 4).map((line) => line.split("left out: ")[1])).toEqual([
      "its file is not there",
      "it is a link; name the file itself",
      "it is not a regular file",
      "no tool may read its path; copy the file elsewhere"
    ])
  })

  it("[M16] a bad one is dropped with a warning on standard error", async () => {
    const folder = new Folder().personality()
    folder.write("att.json", [{ type: "file", ref: "x", url: "http://a/", mimeType: "text/plain" }])
    const { results, stderr } = await folder.calls([call("list_attachments")], {
      args: ["--attachments", "att.json"]
    })
    expect(results[0]).toMatchObject({ ok: true, value: { attachments: [] } })
    expect(stderr).toContain("attachment 1 is left out")
  })
})

describe("the document", () => {
  it("[P1] has the results in the order of the calls, and every decision as an event", async () => {
    const folder = new Folder({ "a.txt": "x" }).personality('fs_reach: { read: ["${CWD}"] }')
    const calls = [call("read_file", { path: "/etc/hosts" }, "b"), call("read_file", { path: "a.txt" }, "a")]
    const { code, stderr, stdout } = await folder.bailiwick(
      ["run", "-", "--personality", "personality", "--json", "--session", "s"],
      { stdin: JSON.stringify(calls) }
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const { events, results } = JSON.parse(stdout)
    expect(results.map(({ id, name }: { id: string; name: string }) => [id, name])).toEqual([
      ["b", "read_file"],
      ["a", "read_file"]
    ])
    const decided = events.map(({ allowed, callId, session, type }: Record<string, unknown>) => ({
      allowed,
      callId,
      session,
      type
    }))
    expect(decided).toContainEqual({ allowed: false, callId: "b", session: "s", type: "guardrail" })
    expect(decided).toContainEqual({ allowed: true, callId: "a", session: "s", type: "guardrail" })
  })

  it("[P3, P29] unknown and excluded tools are answers, and so are no calls at all", async () => {
    const folder = new Folder({ "personality/toolset.yaml": "[read_file, reed_file]" }).personality()
    const { results, stderr } = await folder.calls([
      call("nothing"),
      call("write_file", { path: "a", content: "" })
    ])
    for (const result of results) expect(result).toMatchObject({ ok: false, code: "not_available" })
    expect(stderr).toContain("names 'reed_file', which is no tool here; did you mean 'read_file'?")
    expect((await folder.calls([])).results).toEqual([])
  })
})

describe("explain", () => {
  it("[Q8] says what run would say, and executes nothing", async () => {
    const folder = new Folder().personality(
      'fs_reach: { write: ["${CWD}"] }',
      'process: { allow: ["touch"] }'
    )
    const calls = [
      call("write_file", { path: "made", content: "x" }, "1"),
      call("run_command", { command: "touch", args: ["made"] }, "2"),
      call("read_file", { path: "made" }, "3"),
      call("kv_set", { key: "a", value: "b" }, "4"),
      call("nothing", {}, "5")
    ]
    const explain = await folder.bailiwick(["explain", "-", "--personality", "personality", "--json"], {
      stdin: JSON.stringify(calls)
    })
    const explained = JSON.parse(explain.stdout).results.map(({ result }: { result: unknown }) => result)
    expect(existsSync(folder.path("made"))).toBe(false)
    expect(existsSync(folder.path("state"))).toBe(false)
    expect(explained[0]).toMatchObject({ ok: true, value: { allowed: true } })
    const { results } = await folder.calls(calls)
    expect(existsSync(folder.path("made"))).toBe(true)
    for (const [index, result] of results.entries()) {
      if (result.ok) expect(explained[index]).toMatchObject({ ok: true, value: { allowed: true } })
      else expect(explained[index]).toEqual(result)
    }
  })
})

describe("tools list", () => {
  it("lists all tools with what they touch, and under a personality those that are left something", async () => {
    const folder = new Folder({ "personality/toolset.yaml": "[read_file, web_fetch]" }).personality(
      'fs_reach: { read: ["${CWD}"] }'
    )
    const names = async (...args: ReadonlyArray<string>) => {
      const { stdout } = await folder.bailiwick(["tools", "list", "--json", ...args])
      return JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)
    }
    expect(await names()).toContain("run_shell")
    expect(await names("--personality", "personality")).toEqual(["read_file"])
    const { stdout } = await folder.bailiwick(["tools", "list"])
    expect(stdout).toContain("run_shell")
    expect(stdout).toMatch(/\d+ tools\n$/)
  })
})

describe("an interrupted turn", () => {
  it("exits with 130 and prints nothing", async () => {
    const controller = new AbortController()
    controller.abort()
    const folder = new Folder().personality('process: { allow: ["sleep"] }')
    writeFileSync(
      folder.path("calls.json"),
      JSON.stringify([call("run_command", { command: "sleep", args: ["60"] })])
    )
    const outcome = await folder.bailiwick(["run", "calls.json", "--personality", "personality"], {
      signal: controller.signal
    })
    expect(outcome).toEqual({ code: 130, stdout: "", stderr: "" })
  })
})

describe("refusals", () => {
  const agent = "---\nclass: agent\ncapabilities: []\n---\n"
  const workspace = () =>
    new Folder({
      "bailiwick.yaml": "",
      "records/agents/scout.md": agent,
      "calls.json": JSON.stringify([call("get_record", { id: "notes/a" }), call("nope\u001b[2J")])
    })

  it("are shown on standard error at a terminal, with the agent, and without controls", async () => {
    const { code, stderr } = await workspace().bailiwick(
      ["run", "calls.json", "--agent", "scout", "--json"],
      {
        stderrIsTTY: true,
        env: { NO_COLOR: "1" }
      }
    )
    expect(code).toBe(0)
    const lines = stderr
      .split("\n")
      .filter((line) => line.startsWith("refused"))
      .sort()
    expect(lines).toEqual([
      expect.stringMatching(/^refused agents\/scout, get_record: /),
      expect.stringMatching(/^refused agents\/scout, .*UNKNOWN_TOOL/)
    ])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there is none is the point
    expect(stderr).not.toMatch(/\u001b/)
  })

  it("are in the document alone where nobody watches, and explain refuses nobody", async () => {
    const folder = workspace()
    expect((await folder.bailiwick(["run", "calls.json", "--agent", "scout"])).stderr).toBe("")
    const explained = await folder.bailiwick(["explain", "calls.json", "--agent", "scout"], {
      stderrIsTTY: true
    })
    expect(explained.stderr).not.toContain("refused")
  })
})

describe("what a refusal advises", () => {
  it("is one word for a shell, whatever the model wrote", async () => {
    const folder = new Folder({
      "bailiwick.yaml": "",
      "records/agents/scout.md": "---\nclass: agent\ncapabilities: []\n---\n",
      "calls.json": JSON.stringify([call("read_file", { path: "/x'; touch pwned; '" })])
    })
    for (const command of ["run", "explain"]) {
      const { stdout } = await folder.bailiwick([command, "calls.json", "--agent", "scout"])
      const line = stdout.split("\n").find((one) => one.includes("bailiwick agents grant")) ?? ""
      const advised = line.slice(line.indexOf("bailiwick"))
      const seen = execFileSync("sh", ["-c", `bailiwick() { printf '<%s>' "$@"; }; ${advised}`], {
        cwd: folder.root,
        encoding: "utf8"
      })
      expect(seen).toBe("<agents><grant><agents/scout><fs.read{in=/x'; touch pwned; '}>")
      expect(existsSync(folder.path("pwned"))).toBe(false)
    }
  })

  it("is of the file that refuses, and not of one that leaves it to the tools", async () => {
    const folder = new Folder({
      "bailiwick.yaml": "",
      "personalities/p/config.yaml": "id: p\n",
      "records/agents/scout.md": "---\nclass: agent\ncapabilities: []\n---\n",
      "calls.json": JSON.stringify([call("kv_set", { key: "a", value: "b" })])
    })
    const args = ["run", "calls.json", "--agent", "scout", "--personality", "p"]
    expect((await folder.bailiwick(args)).stdout).toContain(
      "bailiwick agents grant agents/scout 'storage.use"
    )
  })

  it("names what to lift, and the grant is taken though a wider one reaches it", async () => {
    const folder = new Folder({
      "bailiwick.yaml": "",
      "records/agents/scout.md": "---\nclass: agent\ncapabilities: []\n---\n",
      "calls.json": JSON.stringify([
        call("write_file", { path: ".github/workflows/a.yml", content: "on: push" })
      ])
    })
    const granted = async (spec: string) =>
      (await folder.bailiwick(["agents", "grant", "scout", spec, "--yes"])).stdout
    await granted(`fs.write{in=${folder.root}}`)
    expect((await folder.bailiwick(["run", "calls.json", "--agent", "scout"])).stdout).toContain("1 refused")
    expect(await granted(`fs.write{in=${folder.path(".github/workflows")}}`)).toContain("Granted")
    expect((await folder.bailiwick(["run", "calls.json", "--agent", "scout"])).stdout).toContain("1 done")
    expect((await folder.bailiwick(["doctor"])).stdout).not.toContain("GRANT_MOOT")
  })

  it("hard links to what the workspace keeps are closed, though no call needs the layer that keeps it", async () => {
    const folder = new Folder({
      "bailiwick.yaml": "",
      ".env": "KEY=hunter2-value\n",
      "calls.json": JSON.stringify([call("read_file", { path: "hard" })])
    }).personality('fs_reach: { read: ["${CWD}"] }')
    linkSync(folder.path(".env"), folder.path("hard"))
    const { stdout } = await folder.bailiwick(["run", "calls.json", "--personality", "personality"])
    expect(stdout).toContain("1 refused")
    expect(stdout).not.toContain("hunter2")
  })
})
