/** A call through the gateway, against the same call made directly by the official SDK's client to the same server. */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Context, Effect, Layer, Runtime } from "effect"
import * as NodeProcess from "../src/layers/node/process/NodeProcess.js"
import { McpGateway } from "../src/mcp/gateway/McpGateway.js"
import * as Authority from "../src/policy/lattice/Authority.js"
import * as Policy from "../src/policy/Policy.js"
import type { Server } from "../src/policy/server/Server.js"
import * as Registry from "../src/registry/Registry.js"
import * as Turn from "../src/registry/Turn.js"
import { compare } from "./pairs.js"
import { print, type Row } from "./report.js"

const ENTRY = "node_modules/@modelcontextprotocol/server-everything/dist/index.js"

const root = process.cwd()

const server: Server = {
  name: "everything",
  requires: Authority.nothing,
  specs: [],
  transport: { _tag: "Local", command: "node", args: [ENTRY], env: [], code: ["node_modules"], root }
}

/** The SDK's client with its own child, which nothing holds. */
const direct = Effect.acquireRelease(
  Effect.promise(async () => {
    const client = new Client({ name: "bench", version: "1" })
    await client.connect(
      new StdioClientTransport({ command: "node", args: [join(root, ENTRY)], stderr: "ignore" })
    )
    return client
  }),
  (client) => Effect.promise(() => client.close())
)

const args = { message: "hello" }

const measured = Effect.gen(function* () {
  const backends = yield* Layer.build(NodeProcess.layer())
  const gatewayOf = (pinned: McpGateway.Options["pinned"]) =>
    Effect.map(
      Effect.provide(Layer.build(McpGateway.layer({ servers: [server], pinned })), backends),
      (context) => Context.get(context, McpGateway)
    )
  const tools = yield* Effect.flatMap(gatewayOf(new Map()), (gateway) => gateway.list("everything"))
  const gateway = yield* gatewayOf(new Map([["everything", tools]]))
  const registry: Registry.Registry = Registry.make()
  yield* gateway.register(registry)
  const policy = Policy.make({ authority: Authority.nothing })
  const turn = Turn.make({ session: "bench", policy, workdir: root })
  const client = yield* direct
  // As a program has it: its backends are there for all that it runs.
  const runtime = yield* Effect.provide(Effect.runtime<never>(), backends)
  const ours = async () => {
    const call = { id: "c", name: "mcp__everything__echo", args }
    const [one] = await Runtime.runPromise(runtime, registry.execute(turn, [call]))
    if (one?.result.ok !== true) throw new Error(JSON.stringify(one))
  }
  const theirs = () => client.callTool({ name: "echo", arguments: args })
  const ratio = (work: string, atOnce: number) =>
    Effect.promise(() => compare({ work, ours, theirs, atOnce, perRound: 64 }))
  const work = "a call through the gateway, the server held, one by one / 16 at once"
  return [
    { work, atMost: 2, ratios: [yield* ratio(work, 1), yield* ratio(work, 16)] }
  ] satisfies ReadonlyArray<Row>
})

export const rows = (): Promise<ReadonlyArray<Row>> => Effect.runPromise(Effect.scoped(measured))

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) print(await rows())
