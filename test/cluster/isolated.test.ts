/** Tools of a stranger's package on a runner: in processes of their own there, and none on the machine of the client. */
import { spawn } from "node:child_process"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Turn } from "bailiwick"
import { ClusterRegistry } from "bailiwick/cluster"
import { NodeSecrets } from "bailiwick/node"
import { Effect, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { afterTest } from "../cleanup.js"
import { Strangers, toolText } from "../cli/strangers.js"
import { installed, installedCommand } from "../installed.js"
import { database } from "../postgres/server.js"
import { KEY, settings } from "./cluster.js"

const TOOLS = `import { readdirSync } from "node:fs"
let calls = 0
${toolText("counts", "() => Effect.sync(() => ++calls)")}
${toolText("looks", "() => Effect.sync(() => ({ variables: Object.keys(process.env), hasSystem: readdirSync('/').includes('etc') }))")}
${toolText("leaves", "() => Effect.sync(() => process.exit(0))")}
`

it("a runner holds each call, and loses only what one does to itself", async () => {
  const { url } = await Effect.runPromise(database)
  const folder = new Strangers("[stranger]").package("stranger", TOOLS)
  folder.write("records/agents/caller.md", "---\nclass: agent\ncapabilities: []\n---\nCalls.\n")
  folder.write(
    "bailiwick.yaml",
    `tools: [stranger]
storage: { postgres: { url: DATABASE_URL } }
cluster: { key: CLUSTER_KEY, shards: 24, silence_seconds: 300 }
`
  )
  symlinkSync(await installed(), folder.path("node_modules/bailiwick"))
  symlinkSync(join(root, "node_modules/effect"), folder.path("node_modules/effect"))
  mkdirSync(folder.path("home"))
  const environment = { DATABASE_URL: Redacted.value(url), CLUSTER_KEY: KEY }
  const accepted = await folder.bailiwick(["manifest"], { env: environment })
  expect(accepted).toMatchObject({ code: 0 })
  const child = spawn(process.execPath, [await installedCommand(), "runner"], {
    cwd: folder.root,
    env: { PATH: process.env.PATH, HOME: folder.path("home"), ...environment },
    stdio: ["ignore", "ignore", "pipe"]
  })
  afterTest(() => void child.kill("SIGKILL"))
  const said = await new Promise<string>((resolve) =>
    child.stderr.setEncoding("utf8").once("data", (text: string) => resolve(text))
  )
  expect(said).toMatch(/runner ready/)

  const asked = await folder.bailiwick(["run", "-", "--agent", "caller", "--json"], {
    stdin: JSON.stringify([{ id: "1", name: "counts", args: {} }]),
    env: environment
  })
  const { revision } = JSON.parse(asked.stdout).results[0]
  const policy = ClusterRegistry.policyNamed({ agent: "agents/caller", revision })
  const results = await Effect.runPromise(
    Effect.gen(function* () {
      const { execute } = yield* ClusterRegistry.client()
      const turn = Turn.make({ session: "s", policy, workdir: folder.root })
      const names = ["counts", "counts", "looks", "leaves", "counts"]
      return yield* execute(
        turn,
        names.map((name, at) => ({ id: String(at), name, args: {} }))
      )
    }).pipe(
      Effect.provide(
        ClusterRegistry.layerClient(settings).pipe(
          Layer.provide(PgClient.layer({ url })),
          Layer.provide(NodeSecrets.layerEnvironment({ environment }))
        )
      )
    )
  )
  expect(results.map(({ result }) => result)).toMatchObject([
    { ok: true, value: 1 },
    { ok: true, value: 1 },
    { ok: true, value: { variables: ["PWD"], hasSystem: false } },
    { ok: false, code: "execution_failed", error: expect.stringContaining("WORKER_ENDED") },
    { ok: true, value: 1 }
  ])
})
