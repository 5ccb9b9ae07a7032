/** What MCP servers offer now: each is started once, held to what it requires, and ended. */
import { join } from "node:path"
import { Effect, Either, Layer } from "effect"
import { follow } from "../../layers/node/disk/Links.js"
import { McpGateway } from "../../mcp/gateway/McpGateway.js"
import { namesOf } from "../../mcp/gateway/RegistryNames.js"
import * as Floor from "../../policy/gate/floor/Floor.js"
import type { Server } from "../../policy/server/Server.js"
import * as ServerNotation from "../../policy/server/ServerNotation.js"
import type * as Manifest from "../../registry/manifest/Manifest.js"
import { backendsFor } from "../backends.js"
import { performing } from "../performing.js"
import { realPath } from "../read.js"
import type { Surroundings } from "../Surroundings.js"
import { backendSettings } from "./Acting.js"
import type { Setting } from "./LoadPersonality.js"
import { NAME } from "./Workspace.js"

/** A server that could not be asked, and why. */
export interface Unasked {
  readonly server: string
  readonly reason: string
}

export interface Asked {
  readonly offered: ReadonlyArray<Manifest.Serving>
  readonly unasked: ReadonlyArray<Unasked>
}

/** No turn is taken: the floor is that of the workspace, as every agent has it. */
const floorOf = ({ code, home, state, workspace }: Setting): Floor.Floor =>
  Floor.around(join(workspace?.root ?? "/", NAME), {
    home,
    workspace: workspace?.root,
    real: realPath,
    follow,
    guarded: workspace === undefined ? [] : [workspace.recordsDir],
    closed: [state],
    code
  })

/** Servers that wait for one another would take the time of all of them. */
const AT_ONCE = 4

const BACKENDS = ["process", "network", "secrets"] as const

/** Runs what asks the gateway, over what servers are started with. */
export const throughGateway = async <A>(
  effect: Effect.Effect<A, never, McpGateway>,
  servers: ReadonlyArray<Server>,
  setting: Setting,
  around: Surroundings
): Promise<A> => {
  const backends = await backendsFor(BACKENDS, backendSettings(setting, around))
  const gateway = McpGateway.layer({
    servers,
    pinned: new Map(),
    sandbox: setting.workspace?.sandbox,
    floor: floorOf(setting)
  })
  return performing(Effect.provide(effect, gateway), { backends, services: Layer.empty }, around)
}

const servingOf = (server: Server, tools: ReadonlyArray<Manifest.Pinned>): Manifest.Serving => {
  const names = namesOf(
    server.name,
    tools.map(({ name }) => name)
  )
  return {
    name: server.name,
    requires: ServerNotation.specsOf(server),
    allows: server.allows,
    tools: new Map(
      tools.flatMap((tool) => {
        const name = names.get(tool.name)
        return name === undefined ? [] : [[name, tool] as const]
      })
    )
  }
}

export const askServers = async (
  entries: ReadonlyArray<ServerNotation.Entry>,
  setting: Setting,
  around: Surroundings
): Promise<Asked> => {
  const servers = entries.flatMap(({ server }) => server ?? [])
  const unreadable = entries
    .filter(({ server }) => server === undefined)
    .map((entry) => ({ server: entry.name, reason: ServerNotation.whyUnusable(entry, NAME) ?? "" }))
  if (servers.length === 0) return { offered: [], unasked: unreadable }
  const asking = Effect.forEach(
    servers,
    (server) =>
      Effect.map(Effect.either(McpGateway.list(server.name)), (answer) =>
        Either.mapBoth(answer, {
          onLeft: ({ message }): Unasked => ({ server: server.name, reason: message }),
          onRight: (tools) => servingOf(server, tools)
        })
      ),
    { concurrency: AT_ONCE }
  )
  const answers = await throughGateway(asking, servers, setting, around)
  return {
    offered: answers.flatMap((one) => (Either.isRight(one) ? [one.right] : [])),
    unasked: [...unreadable, ...answers.flatMap((one) => (Either.isLeft(one) ? [one.left] : []))]
  }
}
