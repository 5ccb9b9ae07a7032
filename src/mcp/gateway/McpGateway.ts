/**
 * The servers of others, held: their tools in a registry, each offered where all is held that its server requires, and each
 * server in a process that may touch exactly that.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { Server } from "../../policy/server/Server.js"
import type { Registry } from "../../registry/Registry.js"
import type { RegistryError } from "../../registry/RegistryError.js"
import type * as Tool from "../../tools/Tool.js"
import { GatewayError } from "./GatewayError.js"
import type { PinnedTool } from "./PinnedTool.js"

/**
 * @since 0.1.0
 */
export declare namespace McpGateway {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Options {
    readonly servers: ReadonlyArray<Server>
    /** What is accepted of the tools of each server, by its name: menus are made of it, and of nothing else. */
    readonly pinned: ReadonlyMap<string, ReadonlyArray<PinnedTool>>
  }

  /**
   * A host that a server wanted to reach, and was refused.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Refused {
    readonly host: string
    /** As a grant would have it, such as `net.get{hosts=[api.github.com]}`. */
    readonly remedy: string
  }

  /**
   * What came of starting a server once with nothing held.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Probed {
    readonly refused: ReadonlyArray<Refused>
    /** What it offers, if it came so far. */
    readonly tools: ReadonlyArray<PinnedTool> | undefined
    /** Why it did not, in words. */
    readonly failed: string | undefined
  }

  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly servers: ReadonlyArray<Server>
    /** Adds the pinned tools of all servers to a registry, until the scope closes. */
    readonly register: (
      registry: Registry<Tool.Any, unknown>
    ) => Effect.Effect<void, RegistryError, Scope.Scope>
    /** Starts a server once, held to what it requires, and says which tools it offers now. */
    readonly list: (server: string) => Effect.Effect<ReadonlyArray<PinnedTool>, GatewayError>
    /** Starts a server once with nothing held, and says which hosts it was refused. */
    readonly probe: (server: Server) => Effect.Effect<Probed>
    /** Ends what was started for a session. `registry.endSession` does the same. */
    readonly endSession: (session: string) => Effect.Effect<void>
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class McpGateway extends Context.Tag("bailiwick/McpGateway")<McpGateway, McpGateway.Service>() {
  /** The gateway to these servers. What it starts ends with the layer. Backends are taken from the program as they are there. */
  static layer(options: McpGateway.Options): Layer.Layer<McpGateway> {
    return Layer.succeed(McpGateway, {
      servers: options.servers,
      register: () => Effect.void,
      list: (server) =>
        Effect.fail(
          new GatewayError({ code: "SERVER_NOT_CONFIGURED", detail: `no server is named ${server}` })
        ),
      probe: () => Effect.succeed({ refused: [], tools: undefined, failed: undefined }),
      endSession: () => Effect.void
    })
  }

  /** Adds the pinned tools of all servers to a registry, until the scope closes. */
  static register(
    registry: Registry<Tool.Any, unknown>
  ): Effect.Effect<void, RegistryError, McpGateway | Scope.Scope> {
    return Effect.flatMap(McpGateway, (gateway) => gateway.register(registry))
  }

  /** Starts a server once, held to what it requires, and says which tools it offers now. */
  static list(server: string): Effect.Effect<ReadonlyArray<PinnedTool>, GatewayError, McpGateway> {
    return Effect.flatMap(McpGateway, (gateway) => gateway.list(server))
  }

  /** Starts a server once with nothing held, and says which hosts it was refused. */
  static probe(server: Server): Effect.Effect<McpGateway.Probed, never, McpGateway> {
    return Effect.flatMap(McpGateway, (gateway) => gateway.probe(server))
  }
}
