/** `bailiwick runner`, as whoever operates it starts and ends it. */
import { execFile, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { PgClient } from "@effect/sql-pg"
import { Turn } from "bailiwick"
import { ClusterRegistry } from "bailiwick/cluster"
import { NodeSecrets } from "bailiwick/node"
import { PostgresClient } from "bailiwick/postgres"
import { Effect, Layer, Logger, LogLevel, Redacted, Schedule } from "effect"
import { expect, it } from "vitest"
import { parse } from "yaml"
import { root, scratch } from "../../scripts/lib/project.js"
import { authorityOf } from "../../src/cli/workspace/Acting.js"
import { settingOf } from "../../src/cli/workspace/Setting.js"
import { afterTest } from "../cleanup.js"
import { database, ownServer } from "../postgres/server.js"
import { programOf } from "../program.js"
import { hasty, KEY, settings } from "./cluster.js"

const yaml = (
  where: "files" | "postgres",
  silence = 300
) => `storage: { postgres: { url: DATABASE_URL, audit: ${where === "postgres"} } }
cluster: { key: CLUSTER_KEY, shards: 24, silence_seconds: ${silence} }
audit: { chain: AUDIT_KEY }
`

const AGENT = `---
class: agent
capabilities:
  - storage.use: { scopes: [session] }
---
Keeps things.
`

const workspace = (yaml: string): string => {
  mkdirSync(scratch, { recursive: true })
  const folder = mkdtempSync(join(scratch, "runner-"))
  afterTest(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, "records", "agents"), { recursive: true })
  writeFileSync(join(folder, "bailiwick.yaml"), yaml)
  writeFileSync(join(folder, "records", "agents", "keeper.md"), AGENT)
  return folder
}

/** What `bailiwick` prints of the log of a workspace, as JSON. */
const printed = async (folder: string, env: Record<string, string>, args: ReadonlyArray<string>) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [await programOf("src/cli/main.ts"), "audit", ...args, "--json"],
    { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...env } }
  )
  return stdout
}

const started = async (folder: string, env: Record<string, string>, args: ReadonlyArray<string> = []) => {
  const child = spawn(process.execPath, [await programOf("src/cli/main.ts"), "runner", ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  afterTest(() => void (child.exitCode === null && child.kill("SIGKILL")))
  const output = text(child.stdout)
  let said = ""
  const ended = new Promise<number | string>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal ?? ""))
  )
  const line = new Promise<string>((resolve) => {
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk
      if (said.includes("\n")) resolve(said)
    })
    void ended.then(() => resolve(said))
  })
  /** What it has said once it has said that; whoever waits for what is never said hangs, and is seen. */
  const heard = (what: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => what.test(said) && resolve(said)
      child.stderr.on("data", look)
      void ended.then((how) => reject(new Error(`the runner ended: ${how} ${said}`)))
      look()
    })
  return { child, output, ended, line, heard, said: () => said }
}

it("without PostgreSQL a runner and a client start, say so once, and go on when it is there, and when it is back", async () => {
  const server = await Effect.runPromise(ownServer)
  server.stop()
  const folder = workspace(yaml("files", 4))
  const environment = {
    DATABASE_URL: server.url("postgres"),
    CLUSTER_KEY: KEY,
    AUDIT_KEY: "a key of the log"
  }
  const runner = await started(folder, environment)
  expect(await runner.line).toMatch(
    /^bailiwick: PostgreSQL cannot be reached \(ECONNREFUSED\); start it, [^\n]*; the runner waits until it is there\n$/
  )
  const logged: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (LogLevel.greaterThanEqual(logLevel, LogLevel.Warning)) logged.push(String(message))
  })
  const client = ClusterRegistry.layerClient(hasty).pipe(
    Layer.provide(PostgresClient.layerSecret("DATABASE_URL", { maxConnections: 3 })),
    Layer.provide(NodeSecrets.layerEnvironment({ environment })),
    Layer.provide(Logger.replace(Logger.defaultLogger, logger))
  )
  const around = { env: {}, cwd: folder, home: folder }
  const setting = settingOf({ workdir: undefined }, around as Parameters<typeof settingOf>[1])
  const { policy } = authorityOf({ agent: "agents/keeper", personality: undefined }, setting)
  await Effect.runPromise(
    Effect.gen(function* () {
      const { execute } = yield* ClusterRegistry.client({ patience: "8 seconds" })
      const turn = Turn.make({ session: "s", policy, workdir: folder })
      const set = (value: string) => [{ id: "1", name: "kv_set", args: { key: "a", value } }] as const
      const unsent = {
        ok: false,
        code: "not_available",
        error: expect.stringMatching(/^STORE_UNREACHABLE: PostgreSQL .*\. The call was not sent$/)
      }
      const made = (value: string) =>
        Effect.retry(
          Effect.filterOrFail(
            execute(turn, set(value)),
            ([{ result }]) => result.ok,
            ([{ result }]) => result
          ),
          { while: ({ ok }) => !ok, schedule: Schedule.spaced("50 millis") }
        )
      expect((yield* execute(turn, set("1")))[0].result).toEqual(unsent)
      expect((yield* execute(turn, set("2")))[0].result).toEqual(unsent)
      expect(logged).toEqual([
        expect.stringMatching(
          /^PostgreSQL cannot be reached .*; calls of the cluster are not_available until/
        )
      ])
      server.start()
      yield* Effect.promise(() => runner.heard(/^bailiwick: runner ready at 127/m))
      yield* made("3")
      expect(runner.said().trimEnd().split("\n")).toHaveLength(2)
      server.stop()
      // One that is sent into a connection that has just broken may have come through, and is not known.
      const [{ result }] = yield* Effect.repeat(execute(turn, set("4")), {
        until: ([{ result }]) => !result.ok && result.code === "not_available"
      })
      expect(result).toEqual(unsent)
      server.start()
      yield* made("5")
      expect(server.psql("postgres", "SELECT key FROM bailiwick.entries")).toBe("a")
    }).pipe(Effect.provide(client))
  )
  runner.child.kill("SIGTERM")
  expect(await runner.ended).toBe(143)
})

it("a runner that waits for PostgreSQL ends when it is told to, and at once for what will not mend", async () => {
  const away = { DATABASE_URL: "postgresql://nobody:x@127.0.0.1:1/none", AUDIT_KEY: "a key of the log" }
  const folder = workspace(yaml("files"))
  const waiting = await started(folder, { ...away, CLUSTER_KEY: KEY })
  await waiting.line
  waiting.child.kill("SIGTERM")
  expect(await waiting.ended).toBe(143)
  expect(waiting.said().trimEnd().split("\n")).toHaveLength(1)
  const cases = [
    [away, [], /KEY_MISSING/],
    [{ ...away, CLUSTER_KEY: KEY, DATABASE_URL: "a word" }, [], /the URL of PostgreSQL is none; write it as/],
    [{ ...away, CLUSTER_KEY: KEY }, ["--listen", "0.0.0.0:1"], /ADDRESS_TAKEN: a runner that listens every/]
  ] as const
  for (const [environment, args, sentence] of cases) {
    const wrong = await started(folder, environment, args)
    expect(await wrong.ended).toBe(2)
    expect(wrong.said()).toMatch(sentence)
    expect(wrong.said().trimEnd().split("\n")).toHaveLength(1)
  }
})

it.each(["files", "postgres"] as const)(
  "says when it is ready, runs turns under the policy of its own files, logs them in %s, and ends when it is told to",
  async (where) => {
    const { url } = await Effect.runPromise(database)
    const folder = workspace(yaml(where))
    const environment = { DATABASE_URL: Redacted.value(url), CLUSTER_KEY: KEY, AUDIT_KEY: "a key of the log" }
    const runner = await started(folder, environment, ["--json"])
    expect(await runner.line).toMatch(/^bailiwick: runner ready at 127\.0\.0\.1:\d+\n$/)

    const around = { env: {}, cwd: folder, home: folder }
    const setting = settingOf({ workdir: undefined }, around as Parameters<typeof settingOf>[1])
    const policyNow = () => authorityOf({ agent: "agents/keeper", personality: undefined }, setting).policy
    const client = ClusterRegistry.layerClient(settings).pipe(
      Layer.provide(PgClient.layer({ url })),
      Layer.provide(NodeSecrets.layerEnvironment({ environment }))
    )
    const before = policyNow()
    await Effect.runPromise(
      Effect.gen(function* () {
        const { execute } = yield* ClusterRegistry.client()
        const turn = (policy: typeof before) => Turn.make({ session: "s", policy, workdir: folder })
        const [set, got] = [
          { id: "1", name: "kv_set", args: { key: "a", value: "kept" } },
          { id: "2", name: "kv_get", args: { key: "a" } }
        ]
        const [first] = yield* execute(turn(before), [set])
        expect(first.result).toMatchObject({ ok: true })
        // Who has none of the files names the policy by its revision.
        const named = ClusterRegistry.policyNamed({ agent: "agents/keeper", revision: before.revision })
        const [second] = yield* execute(turn(named), [got])
        expect(second.result).toMatchObject({ ok: true, value: { value: "kept" } })

        // What is edited counts at once: the old policy is refused, the new one is taken.
        writeFileSync(
          join(folder, "records", "agents", "keeper.md"),
          AGENT.replace("session]", "session, personality]")
        )
        const [stale] = yield* execute(turn(before), [got])
        expect(stale.result).toMatchObject({
          ok: false,
          code: "not_available",
          error: expect.stringMatching(/^POLICY_DIFFERS/)
        })
        const [fresh] = yield* execute(turn(policyNow()), [got])
        expect(fresh.result).toMatchObject({ ok: true })
      }).pipe(Effect.provide(client))
    )
    // What the call wrote is in the store of all runners.
    const { server } = await Effect.runPromise(database)
    expect(
      server.psql(new URL(Redacted.value(url)).pathname.slice(1), "SELECT key FROM bailiwick.entries")
    ).toBe("a")
    runner.child.kill("SIGTERM")
    expect(await runner.ended).toBe(143)
    expect(runner.said().trimEnd().split("\n")).toHaveLength(1)
    const { host, port } = JSON.parse(await runner.output)
    expect(runner.said()).toContain(`${host}:${port}`)
    // The log has what was decided and called on this runner, in a chain; what was refused for its policy is no call.
    const { calls, entries } = JSON.parse(await printed(folder, environment, []))
    const tools = ["kv_set", "kv_get", "kv_get"]
    expect(entries).toMatchObject(tools.map((tool) => ({ tool, allowed: true, agent: "agents/keeper" })))
    expect(calls).toMatchObject(tools.map((tool) => ({ tool, code: "ok", session: "s" })))
    expect(JSON.parse(await printed(folder, environment, ["verify"]))).toMatchObject({
      ok: true,
      lines: 6,
      writers: 1
    })
  }
)

it("says in one sentence what it lacks", async () => {
  const env = { DATABASE_URL: "postgresql://nobody:x@127.0.0.1:1/none", CLUSTER_KEY: KEY }
  const { url } = await Effect.runPromise(database)
  const reached = { DATABASE_URL: Redacted.value(url), AUDIT_KEY: "a key of the log" }
  const cases = [
    [workspace(yaml("files")), { CLUSTER_KEY: KEY }, /the secret "?'?DATABASE_URL/],
    [workspace(yaml("files")), reached, /KEY_MISSING: the key "?'?CLUSTER_KEY/],
    [workspace("{}\n"), env, /^bailiwick: bailiwick\.yaml names no cluster; write cluster: /],
    [
      workspace("cluster: { key: CLUSTER_KEY }\n"),
      env,
      /^bailiwick: a cluster keeps its messages in PostgreSQL; /
    ],
    [workspace("cluster: {}\n"), env, /has no 'key'/],
    [
      workspace("cluster: { key: CLUSTER_KEY, silence_seconds: 1 }\n"),
      env,
      /cluster\.silence_seconds. is 1; write 3 or more/
    ]
  ] as const
  for (const [folder, environment, sentence] of cases) {
    const runner = await started(folder, environment)
    expect(await runner.ended).toBe(2)
    expect(runner.said()).toMatch(sentence)
    expect(runner.said().trimEnd().split("\n")).toHaveLength(1)
  }
})

it("three runners and PostgreSQL are described for compose", () => {
  const { services, secrets } = parse(
    readFileSync(join(root, "examples", "cluster", "docker-compose.yml"), "utf8"),
    { merge: true }
  )
  const runners = Object.entries<Record<string, unknown>>(services).filter(([name]) =>
    name.startsWith("runner")
  )
  expect(runners.map(([name]) => name)).toEqual(["runner-1", "runner-2", "runner-3"])
  const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  for (const [
    name,
    { command, depends_on, entrypoint, environment, restart, stop_grace_period }
  ] of runners) {
    // What is between the container and the program would not hand on that it is to end.
    expect(entrypoint).toEqual(Object.keys(bin))
    expect(command).toEqual(["runner", "--listen", "0.0.0.0:34431", "--address", `${name}:34431`])
    expect(restart).toBe("on-failure")
    expect(stop_grace_period).toBe("40s")
    expect(depends_on).toEqual({ postgres: { condition: "service_healthy" } })
    expect(JSON.stringify(environment)).not.toMatch(/postgresql:\/\/[^$]*:[^$]*@/)
  }
  expect(services.postgres.ports).toBeUndefined()
  expect(Object.keys(secrets)).toEqual(["postgres_password"])
})
