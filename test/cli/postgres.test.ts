/** A workspace that keeps its state in PostgreSQL: every command finds it there, and says in words when it does not. */
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { describe, expect, it, vi } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { has } from "../../scripts/lib/system.js"
import { run } from "../../src/cli/run.js"
import { installed } from "../installed.js"
import { database, ownServer, place, type Server } from "../postgres/server.js"
import { overStdio, Printed } from "./mcpProcess.js"
import { Folder, type Options } from "./workspace.js"

const KEY = "a long and random value"

interface Kept {
  readonly folder: Folder
  readonly schema: string
  readonly server: Server
  readonly options: Options
}

const call = (name: string, args: object = {}, id = name) => ({ id, name, args })

const workspace = async (also = "", rest = ""): Promise<Kept> => {
  const { schema, server, url } = await Effect.runPromise(place)
  const folder = new Folder({
    "bailiwick.yaml": `storage: { postgres: { url: DATABASE_URL, schema: ${schema}${also} } }\n${rest}`
  }).personality("storage: { scopes: [session] }")
  return { folder, schema, server, options: { env: { DATABASE_URL: Redacted.value(url), AUDIT_KEY: KEY } } }
}

/** The command as it is installed where nobody needs PostgreSQL: with what is no scoped package. */
const withoutPeers = async (folder: Folder): Promise<string> => {
  const modules = folder.path("elsewhere/node_modules")
  mkdirSync(modules, { recursive: true })
  cpSync(await installed(), join(modules, "bailiwick"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (/^[a-z]/.test(name)) symlinkSync(join(root, "node_modules", name), join(modules, name))
  }
  return join(modules, "bailiwick/dist/cli/main.js")
}

/** A port of this machine that nobody listens on. */
const closedPort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 1))
    })
  })

const audited = () => workspace(", audit: true", "audit: { chain: AUDIT_KEY }\n")

describe.runIf(has("postgres"))("a workspace with state in PostgreSQL", () => {
  it("keeps entries there, for the next command and for other machines, and none beside it", async () => {
    const { folder, options, schema, server } = await workspace()
    const set = await folder.calls([call("kv_set", { key: "k", value: "v" })], {
      ...options,
      args: ["--session", "s"]
    })
    expect(set.results).toMatchObject([{ ok: true }])
    const get = await folder.calls([call("kv_get", { key: "k" })], { ...options, args: ["--session", "s"] })
    expect(get.results).toMatchObject([{ ok: true, value: { value: "v" } }])
    expect(
      server.psql("postgres", `SELECT namespace, key, convert_from(value, 'UTF8') FROM ${schema}.entries`)
    ).toBe("session:s|k|v")
    expect(existsSync(folder.path(".bailiwick/storage"))).toBe(false)
    // The log stays where it was, unless that is said.
    expect(existsSync(folder.path(".bailiwick/audit"))).toBe(true)
    expect([set.stderr, get.stderr]).toEqual(["", ""])
  })

  it("answers not_available while PostgreSQL is away, says so in one sentence, and shows nothing of its URL", async () => {
    const { folder } = await workspace()
    const port = await closedPort()
    const env = { DATABASE_URL: `postgresql://someone:hunter2@127.0.0.1:${port}/agents` }
    const { results, stderr } = await folder.calls(
      [call("kv_set", { key: "k", value: "v" }), call("kv_get", { key: "k" })],
      { env }
    )
    for (const result of results) {
      expect(result).toMatchObject({ ok: false, code: "not_available" })
      expect(result.error).toContain("PostgreSQL cannot be reached (ECONNREFUSED)")
    }
    expect(stderr).toBe(
      "bailiwick: PostgreSQL cannot be reached (ECONNREFUSED); start it, or correct the secret that holds its URL; what needs it answers not_available until it is back\n"
    )
    expect(JSON.stringify([results, stderr])).not.toMatch(/hunter2|someone|agents/)
  })

  it("says which secret is missing, or holds no URL, and never what it holds", async () => {
    const { folder } = await workspace()
    const none = await folder.calls([call("kv_get", { key: "k" })], {})
    expect(none.results[0]).toMatchObject({ ok: false, code: "not_available" })
    expect(none.results[0].error).toContain("the URL of PostgreSQL cannot be read")
    // The name of a secret is for who runs the program, and not for a model.
    expect(none.results[0].error).not.toContain("DATABASE_URL")
    expect(none.stderr).toContain("the secret 'DATABASE_URL' with the URL of PostgreSQL cannot be read")
    const wrong = await folder.calls([call("kv_get", { key: "k" })], {
      env: { DATABASE_URL: "mysql://root:hunter2@localhost/x" }
    })
    expect(wrong.results[0]).toMatchObject({ ok: false, code: "not_available" })
    expect(JSON.stringify(wrong)).not.toContain("hunter2")
  })

  it("keeps the audit log there where that is said; audit reads it, and verify finds what was changed", async () => {
    const { folder, options, schema, server } = await audited()
    await folder.calls(
      [call("kv_set", { key: "k", value: "v" }), call("read_file", { path: "/etc/hostname" })],
      options
    )
    expect(existsSync(folder.path(".bailiwick/audit"))).toBe(false)
    const shown = JSON.parse((await folder.bailiwick(["audit", "--json"], options)).stdout)
    expect(shown.calls.map(({ tool }: { tool: string }) => tool).sort()).toEqual(["kv_set", "read_file"])
    expect((await folder.bailiwick(["audit"], options)).stdout).toContain("kv_set")
    expect(
      (await folder.bailiwick(["audit", "--since", "1h", "--tool", "read_file"], options)).stdout
    ).not.toContain("kv_set")

    const first = JSON.parse((await folder.bailiwick(["audit", "verify", "--json"], options)).stdout)
    expect(first).toMatchObject({ ok: true, writers: 1 })
    await folder.calls([call("kv_get", { key: "k" })], options)
    const again = await folder.bailiwick(["audit", "verify", "--head", first.head, "--json"], options)
    expect(JSON.parse(again.stdout)).toMatchObject({ ok: true, writers: 2 })

    // Whoever owns the tables can do this; nobody else.
    server.psql(
      "postgres",
      `ALTER TABLE ${schema}.audit DISABLE TRIGGER audit_kept;
       UPDATE ${schema}.audit SET line = regexp_replace(line, 'kv_set|read_file', 'kv_list') WHERE id = 1;`
    )
    const altered = await folder.bailiwick(["audit", "verify"], options)
    expect(altered.code).toBe(1)
    expect(altered.stdout).toContain("AUDIT_ALTERED: postgres:1")
  })

  it("prints one document with --json, whatever a backend has to say", async () => {
    const { folder, options } = await audited()
    await folder.calls([call("kv_get", { key: "k" })], options)
    // Others may read it, which is said where it is read.
    chmodSync(folder.write(".env", "OTHER=1\n"), 0o644)
    const logged = vi.spyOn(console, "log")
    try {
      for (const command of [["audit"], ["audit", "verify"], ["suggest", "--agent", "reader"], ["doctor"]]) {
        const { stdout } = await folder.bailiwick([...command, "--json"], options)
        if (command[0] !== "suggest") JSON.parse(stdout)
      }
      expect(logged).not.toHaveBeenCalled()
    } finally {
      logged.mockRestore()
    }
  })

  it("suggests from there, and takes no path for a file that may be a directory on another machine", async () => {
    const { folder, options } = await audited()
    folder.write("docs/a.md", "a")
    folder.write(
      "records/agents/reader.md",
      `---\nclass: agent\ncapabilities:\n  - fs.read: { in: ${folder.root} }\n  - net.get: { hosts: [a.example] }\n---\n`
    )
    const calls = JSON.stringify([call("read_file", { path: folder.path("docs/a.md") })])
    await folder.bailiwick(["run", "-", "--agent", "reader"], { ...options, stdin: calls })
    const { stdout } = await folder.bailiwick(["suggest", "--agent", "reader", "--json"], options)
    const { decisions, narrower, unused } = JSON.parse(stdout)
    expect({ decisions, unused, narrower: narrower.map(({ to }: { to: string }) => to) }).toEqual({
      decisions: 1,
      unused: ["net.get{hosts=[a.example]}"],
      narrower: [`fs.read{in=${folder.path("docs/a.md")}}`]
    })
    const page = await folder.bailiwick(["audit", "--html", "page.html"], options)
    expect(page.stdout).toMatch(/^wrote page\.html \(\d+ KiB\): 1 decision and 1 call;/)
    expect(readFileSync(folder.path("page.html"), "utf8")).toContain("docs/a.md")
  })

  it("answers nothing while the log cannot be kept, and reads it in words when PostgreSQL is away", async () => {
    const { folder, options } = await audited()
    const env = { ...options.env, DATABASE_URL: `postgresql://a:hunter2@127.0.0.1:${await closedPort()}/x` }
    const writing = call("write_file", { path: "out.txt", content: "done" })
    const { results, stderr } = await folder.calls([call("kv_get", { key: "k" }), writing], { env })
    for (const result of results) expect(result).toMatchObject({ ok: false, code: "not_available" })
    // Nothing was done that the log would not hear of.
    expect(existsSync(folder.path("out.txt"))).toBe(false)
    expect(stderr).toMatch(
      /answers not_available until it is back\n.*AUDIT_UNWRITABLE: the audit log cannot be written/
    )
    const shown = await folder.bailiwick(["audit"], { env })
    expect(shown.code).toBe(2)
    expect(shown.stderr).toContain(
      "AUDIT_UNREADABLE: the audit log cannot be read: PostgreSQL cannot be reached"
    )
    expect(JSON.stringify([results, shown])).not.toContain("hunter2")
  })

  it("the doctor looks at it, and makes nothing in it", async () => {
    const { folder, options, schema, server } = await workspace()
    const findings = async (env: Options["env"]) => {
      const { stdout } = await folder.bailiwick(["doctor", "--json"], { ...(env && { env }) })
      const { findings, passed } = JSON.parse(stdout)
      return { of: findings.filter(({ check }: { check: string }) => check === "storage"), passed }
    }
    const fresh = await findings(options.env)
    expect(fresh.of).toMatchObject([{ severity: "warning", code: "STORAGE_NOT_READY" }])
    expect(server.psql("postgres", `SELECT to_regnamespace('${schema}') IS NULL`)).toBe("t")
    await folder.calls([call("kv_set", { key: "k", value: "v" })], options)
    const ready = await findings(options.env)
    expect(ready.of).toEqual([])
    expect(ready.passed).toContainEqual({ check: "storage", detail: "PostgreSQL is there, with its tables" })
    const reading = new URL(options.env?.DATABASE_URL ?? "")
    reading.searchParams.set("options", "-c default_transaction_read_only=on")
    const standby = await findings({ ...options.env, DATABASE_URL: reading.href })
    expect(standby.of).toMatchObject([
      { code: "STORAGE_UNREACHABLE", detail: expect.stringContaining("only reads") }
    ])
    server.psql("postgres", `INSERT INTO ${schema}.migrations VALUES (99, 'of a later version')`)
    const newer = await findings(options.env)
    expect(newer.of).toMatchObject([{ severity: "failure", code: "STORAGE_UNREACHABLE" }])
    expect(newer.of[0].detail).toContain("are of version 99, and this bailiwick knows them up to 1")
    const refused = await folder.calls([call("kv_get", { key: "k" })], options)
    expect(refused.results[0]).toMatchObject({ ok: false, code: "not_available" })
    const away = await findings({ DATABASE_URL: `postgresql://a:hunter2@127.0.0.1:${await closedPort()}/x` })
    expect(away.of).toMatchObject([{ severity: "failure", code: "STORAGE_UNREACHABLE" }])
    expect(JSON.stringify(away)).not.toContain("hunter2")
  })

  it("a database that is not in UTF-8 is refused in words", async () => {
    const { name, server } = await Effect.runPromise(database)
    server.psql("postgres", `CREATE DATABASE ${name}_latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
    const { folder } = await workspace()
    const { results } = await folder.calls([call("kv_get", { key: "k" })], {
      env: { DATABASE_URL: server.url(`${name}_latin`) }
    })
    expect(results[0].error).toContain("is not in UTF-8")
  })
})

describe.runIf(has("postgres"))("commands that go on", () => {
  it("audit --follow shows what is there, and then what comes", async () => {
    const { folder, options } = await audited()
    await folder.calls([call("kv_set", { key: "k", value: "v" })], options)
    const ending = new AbortController()
    const printed = new Printed()
    const following = folder.bailiwick(["audit", "--follow", "--json"], {
      ...options,
      signal: ending.signal,
      perform: (args, around) => run(args, { ...around, print: async (text) => printed.add(text) })
    })
    await printed.match(/kv_set/)
    await folder.calls([call("kv_get", { key: "k" })], options)
    await printed.match(/kv_get/)
    ending.abort()
    await following.catch(() => {})
    const entries = printed.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const calls = entries.filter(({ type }) => type === "call").map(({ tool }) => tool)
    expect(calls).toEqual(["kv_set", "kv_get"])
  })

  it.each([["--follow"], ["--serve"]])(
    "audit %s says when PostgreSQL goes, and goes on when it is back",
    async (way) => {
      const server = await Effect.runPromise(ownServer)
      const folder = new Folder({
        "bailiwick.yaml": "storage: { postgres: { url: DATABASE_URL, audit: true } }\n",
        ".env": `DATABASE_URL=${server.url("postgres")}\n`
      }).personality("storage: { scopes: [session] }")
      await folder.calls([call("kv_set", { key: "k", value: "v" })])
      const ending = new AbortController()
      const [printed, said] = [new Printed(), new Printed()]
      const following = folder.bailiwick(["audit", way], {
        signal: ending.signal,
        perform: (args, around) =>
          run(args, {
            ...around,
            print: async (text) => printed.add(text),
            complain: (sentence) => said.add(`${sentence}\n`)
          })
      })
      const isServed = way === "--serve"
      await printed.match(isServed ? /http:.*\n/ : /kv_set/)
      const shown = async (): Promise<string> =>
        isServed ? (await fetch(printed.text.trim())).text() : printed.text
      expect(await shown()).toContain("kv_set")
      server.stop()
      await said.match(/AUDIT_UNREADABLE: .*PostgreSQL.*; it is asked again until it answers/)
      server.start()
      await folder.calls([call("kv_get", { key: "k" })])
      while (!(await shown()).includes("kv_get")) await new Promise((done) => setImmediate(done))
      expect(said.text.match(/asked again/g)).toHaveLength(1)
      ending.abort()
      await following.catch(() => {})
    }
  )

  it("mcp serve starts without PostgreSQL, says so, answers, and finds it when it comes", async () => {
    const server = await Effect.runPromise(ownServer)
    server.stop()
    const folder = new Folder({
      "bailiwick.yaml":
        "storage: { postgres: { url: DATABASE_URL, audit: true } }\naudit: { on_failure: open }\n",
      ".env": `DATABASE_URL=${server.url("postgres")}\n`
    }).personality("storage: { scopes: [session] }")
    const { client, stderr } = await overStdio(folder, ["--personality", "personality"])
    await stderr.match(/bailiwick: PostgreSQL cannot be reached .* until it is back/)
    const set = async () => {
      const answer = await client.callTool({ name: "kv_set", arguments: { key: "k", value: "v" } })
      return { isError: answer.isError === true, text: JSON.stringify(answer.content) }
    }
    expect(await set()).toMatchObject({
      isError: true,
      text: expect.stringContaining("PostgreSQL cannot be reached")
    })
    server.start()
    let answer = await set()
    while (answer.isError) {
      expect(answer.text).toContain("PostgreSQL")
      answer = await set()
    }
    await stderr.match(/bailiwick: PostgreSQL is back/)
    expect(server.psql("postgres", "SELECT key FROM bailiwick.entries")).toBe("k")
    expect(stderr.text).not.toContain("admin")
    // One line for both that stand on it.
    const connections = server.psql(
      "postgres",
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bailiwick'"
    )
    expect(Number(connections)).toBeLessThanOrEqual(10)
  })
})

describe("what is written under storage", () => {
  const said = async (text: string): Promise<string> => {
    const folder = new Folder({ "bailiwick.yaml": text }).personality("")
    const { code, stderr } = await folder.bailiwick(["doctor"])
    expect(code).toBe(2)
    return stderr
  }

  it("is a place and the name of a secret, and nothing else", async () => {
    expect(await said("storage: { postgresql: { url: X } }")).toContain("'postgres'")
    expect(await said("storage: { postgres: { uri: X } }")).toContain("'url'")
    expect(await said("storage: { postgres: {} }")).toContain("has no 'url'")
    expect(await said("storage: { postgres: { url: X, schema: Public } }")).toContain("no name of a schema")
    expect(await said('storage: { postgres: { url: X, schema: "a; DROP" } }')).toContain(
      "no name of a schema"
    )
    expect(await said("storage: { postgres: { url: X, audit: maybe } }")).toContain("neither true nor false")
    expect(await said("storage: { postgres: { url: X, records: true } }")).toContain("records stay files")
    expect(await said("storage: { postgres: { url: X, audit: true } }\naudit: { keep_days: 3 }")).toContain(
      "'audit.keep_days' is about files"
    )
  })

  it("does not repeat a URL that somebody wrote in place of the name", async () => {
    const stderr = await said('storage: { postgres: { url: "postgresql://me:hunter2@db/x" } }')
    expect(stderr).toContain("is no name of a secret; keep the URL as a secret")
    expect(stderr).not.toContain("hunter2")
  })
})

describe("the packages that PostgreSQL is reached by", () => {
  it("are named with how to install them where they are missing, and are loaded for nobody else", async () => {
    const folder = new Folder({
      "bailiwick.yaml": "storage: { postgres: { url: DATABASE_URL } }\n"
    }).personality("storage: { scopes: [session] }")
    const at = await withoutPeers(folder)
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: folder.path("home"),
      DATABASE_URL: "postgresql://a:hunter2@localhost:1/x"
    }
    const call = () =>
      spawnSync(process.execPath, [at, "call", "kv_get", "key=a", "--personality", "personality"], {
        cwd: folder.root,
        env,
        encoding: "utf8"
      })
    const missing = call()
    expect({ code: missing.status, stdout: missing.stdout, stderr: missing.stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "bailiwick: 'storage: { postgres: … }' in bailiwick.yaml needs the packages @effect/sql and @effect/sql-pg, which are not installed beside bailiwick; run: npm install @effect/sql @effect/sql-pg\n"
    })
    folder.write("bailiwick.yaml", "")
    expect(call()).toMatchObject({ status: 0, stderr: "" })
  })
})
