/**
 * The MCP servers of a workspace in a registry: their tools as the lock has them, and nothing started for it. A server is
 * started by the first call of one of its tools, and ends with the command.
 */
import { Effect, Either, Exit, Layer, Scope } from "effect"
import type { Category } from "../../capabilities/Capabilities.js"
import { McpGateway } from "../../mcp/gateway/McpGateway.js"
import type { Server } from "../../policy/server/Server.js"
import type * as ServerNotation from "../../policy/server/ServerNotation.js"
import * as Manifest from "../../registry/manifest/Manifest.js"
import type * as Registry from "../../registry/Registry.js"
import type * as Tool from "../../tools/Tool.js"
import { CliError } from "../CliError.js"
import { type Lock, unreadableLock } from "./Lock.js"

export interface Served {
  /** Ends what was started. */
  readonly close: () => Promise<void>
  /** What the server of a tool stands on; nothing for a tool of no server. */
  readonly categoriesOf: (tool: string) => ReadonlyArray<Category>
}

const categoriesOf = ({ transport }: Server): ReadonlyArray<Category> => [
  transport._tag === "Local" ? "process" : "network",
  "secrets"
]

/** A lock that nobody can read pins nothing. */
const pinnedIn = (lock: Lock, complain: (sentence: string) => void): Manifest.Manifest =>
  Either.getOrElse(lock.read, (error) => {
    complain(`the tools of MCP servers are not offered: ${unreadableLock(lock, error).message}`)
    return Manifest.empty
  })

/** Throws a `CliError` when a tool cannot be registered. */
export const serve = async (
  registry: Registry.Registry<Tool.Any, unknown>,
  entries: ReadonlyArray<ServerNotation.Entry>,
  lock: Lock,
  complain: (sentence: string) => void
): Promise<Served> => {
  const servers = entries.flatMap(({ server }) => server ?? [])
  const scope = Effect.runSync(Scope.make())
  const pinned = Manifest.pinned(pinnedIn(lock, complain))
  const registering = Effect.gen(function* () {
    const context = yield* Layer.build(McpGateway.layer({ servers, pinned }))
    // What cannot be read is configured all the same, and has no tool.
    yield* Effect.forEach(entries, ({ name }) => registry.serving(name), { discard: true })
    yield* Effect.provide(McpGateway.register(registry), context)
  })
  const registered = await Effect.runPromise(Effect.either(Scope.extend(registering, scope)))
  if (Either.isLeft(registered)) throw new CliError(registered.left.message)
  const byName = new Map(servers.map((server) => [server.name, server]))
  return {
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
    categoriesOf: (tool) => {
      const server = byName.get(registry.origins.get(tool)?.server ?? "")
      return server === undefined ? [] : categoriesOf(server)
    }
  }
}
