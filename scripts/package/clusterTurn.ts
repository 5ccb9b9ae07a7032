/** A turn of a cluster, from what is installed alone: its runner is the command, its client a program, and PostgreSQL the machine's. */
import { spawn } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { ownServer } from "../../test/postgres/server.js"
import { node } from "../lib/command.js"
import { has } from "../lib/system.js"

const files: ReadonlyArray<readonly [path: string, text: string]> = [
  [
    "bailiwick.yaml",
    "storage: { postgres: { url: DATABASE_URL, audit: true } }\ncluster: { key: CLUSTER_KEY, shards: 24 }\n"
  ],
  [
    "records/agents/keeper.md",
    "---\nclass: agent\ncapabilities:\n  - storage.use: { scopes: [session] }\n---\nKeeps things.\n"
  ],
  ["calls.json", '[{ "id": "1", "name": "kv_list", "args": {} }]'],
  [
    "client.mjs",
    `import { Turn } from "bailiwick"
import { ClusterRegistry } from "bailiwick/cluster"
import { NodeSecrets } from "bailiwick/node"
import { PostgresClient } from "bailiwick/postgres"
import { Effect, Layer } from "effect"
const policy = ClusterRegistry.policyNamed({ agent: "agents/keeper", revision: process.argv[2] })
const turn = Turn.make({ session: "s", policy, workdir: process.cwd() })
const secrets = NodeSecrets.layerEnvironment()
const client = ClusterRegistry.layerClient({ key: "CLUSTER_KEY", shards: 24 }).pipe(
  Layer.provide(PostgresClient.layerSecret("DATABASE_URL")),
  Layer.provide(secrets)
)
const calls = [
  { id: "1", name: "kv_set", args: { key: "a", value: "kept" } },
  { id: "2", name: "kv_get", args: { key: "a" } }
]
const made = Effect.gen(function* () {
  const { execute } = yield* ClusterRegistry.client()
  const all = []
  for (const call of calls) all.push(...(yield* execute(turn, [call])))
  return all.map(({ result }) => result)
})
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(made, client))))
`
  ]
]

const READY = /runner ready at/

/** Answers with what it has said by then. */
const started = (command: string, cwd: string, env: NodeJS.ProcessEnv) => {
  const child = spawn(process.execPath, [command, "runner"], {
    cwd,
    env,
    stdio: ["ignore", "ignore", "pipe"]
  })
  let said = ""
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const ready = new Promise<string>((resolve) => {
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk
      if (READY.test(said)) resolve(said)
    })
    void ended.then(() => resolve(said))
  })
  return { child, ended, ready }
}

/** In a folder where the package and its peers are installed. Without PostgreSQL it is left out. */
export const checkClusterTurn = async (folder: string): Promise<ReadonlyArray<string>> => {
  if (!has("postgres")) return []
  const cwd = join(folder, "cluster")
  for (const [path, text] of files) {
    await mkdir(dirname(join(cwd, path)), { recursive: true })
    await writeFile(join(cwd, path), text)
  }
  const server = await Effect.runPromise(ownServer)
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: server.url("postgres"),
    CLUSTER_KEY: "a key that is long enough, and for tests alone"
  }
  const command = join(folder, "node_modules", ".bin", "bailiwick")
  const runner = started(command, cwd, env)
  try {
    const said = await runner.ready
    if (!READY.test(said)) return [`a runner from the package does not start:\n${said}`]
    const asked = await node([command, "run", "calls.json", "--agent", "agents/keeper", "--json"], {
      cwd,
      env
    })
    const [revision = ""] = /[0-9a-f]{32}/.exec(asked.stdout) ?? []
    const { ok, output, stdout } = await node(["client.mjs", revision], { cwd, env })
    const wanted =
      '[{"ok":true,"value":{"key":"a","stored":true}},{"ok":true,"value":{"key":"a","value":"kept"'
    return ok && stdout.startsWith(wanted)
      ? []
      : [`a turn of a cluster from the package:\n${asked.output}${output}`]
  } finally {
    runner.child.kill("SIGTERM")
    await runner.ended
    server.stop()
  }
}
