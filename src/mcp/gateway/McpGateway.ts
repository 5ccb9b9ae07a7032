/**
 * The servers of others, held: their tools in a registry, each offered where all is held that its server requires, and each
 * server in a process that may touch exactly that.
 *
 * @since 0.1.0
 */
import { Context, Effect, Either, Layer, type Scope } from "effect"
import type { Floor } from "../../policy/gate/floor/Floor.js"
import type { Settings } from "../../policy/Sandbox.js"
import { required, type Server } from "../../policy/server/Server.js"
import * as Backends from "../../registry/Backends.js"
import type { Answering } from "../../registry/inquiry/Answering.js"
import type { Registry } from "../../registry/Registry.js"
import { RegistryError } from "../../registry/RegistryError.js"
import type * as Tool from "../../tools/Tool.js"
import type { Standing } from "./Connection.js"
import { temporary } from "./emptyDirectory.js"
import { Gateway, type Known, known, ownOf } from "./Gateway.js"
import { GatewayError } from "./GatewayError.js"
import { defaults, type Limits } from "./Limits.js"
import { offered, wanted } from "./looking.js"
import type { PinnedTool } from "./PinnedTool.js"
import { toolOf, withheld } from "./tool.js"
import { LONGEST_SERVER, namesOf } from "./toolNames.js"

type AnyRegistry = Registry<Tool.Any, unknown>

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
    /** How much servers may say, and how long they may take. */
    readonly limits?: Partial<Limits> | undefined
    /**
     * Who answers what servers ask, as far as their `allows` lets them. Where a call is made for a client of `McpServer`, that
     * client is asked instead.
     */
    readonly answering?: Answering.Service | undefined
    /** How a server is held that `list` starts; for a call, the policy of its turn says that. `probe` starts none unheld. */
    readonly sandbox?: Settings | undefined
    readonly floor?: Floor | undefined
  }

  /**
   * A host that a server wanted to reach, and was refused.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Refused {
    readonly host: string
    /** As grants would have it, such as `net.get{hosts=[api.github.com]}`. */
    readonly remedies: ReadonlyArray<string>
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
    /** Starts a server once with nothing held, and says which hosts it was refused. It need not be configured. */
    readonly probe: (server: Server) => Effect.Effect<Probed>
    /** Ends what was started for a session. `registry.endSession` does the same. */
    readonly endSession: (session: string) => Effect.Effect<void>
    /** Settles when no call of its tools runs. */
    readonly idle: Effect.Effect<void>
  }
}

/** Where a tool stands in the registries that it was added to. */
class Registered {
  readonly #names = new Map<AnyRegistry, ReadonlyMap<string, ReadonlyMap<string, string>>>()
  readonly #changed = new Set<string>()

  add(registry: AnyRegistry, names: ReadonlyMap<string, ReadonlyMap<string, string>>): void {
    this.#names.set(registry, names)
  }

  remove(registry: AnyRegistry): void {
    this.#names.delete(registry)
  }

  /** What has changed stays withheld, whatever is said later; what was gone may come back. */
  compared(server: string, standing: ReadonlyMap<string, Standing>): Effect.Effect<void> {
    return Effect.forEach(
      standing,
      ([tool, how]) => {
        const key = JSON.stringify([server, tool])
        if (how === "changed") this.#changed.add(key)
        const now = this.#changed.has(key) ? "changed" : how
        const why = now === "as pinned" ? undefined : withheld(server, tool, now)
        return Effect.forEach(
          this.#names,
          ([registry, names]) => {
            const name = names.get(server)?.get(tool)
            return name === undefined ? Effect.void : registry.withhold(name, why)
          },
          { discard: true }
        )
      },
      { discard: true }
    )
  }
}

const make = (options: McpGateway.Options): Effect.Effect<McpGateway.Service, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const backends = Backends.from(yield* Effect.context<never>(), [])
    const limits: Limits = { ...defaults, ...options.limits }
    const held = {
      ...(options.sandbox === undefined ? {} : { sandbox: options.sandbox }),
      ...(options.floor === undefined ? {} : { floor: options.floor })
    }
    const servers = new Map(
      options.servers.map((server) => [server.name, known(server, options.pinned.get(server.name) ?? [])])
    )
    const registered = new Registered()
    const gateway = new Gateway(
      limits,
      scope,
      (server, standing) => registered.compared(server, standing),
      options.answering
    )
    const namesFor = ({ server, tools }: Known) =>
      namesOf(
        server.name,
        tools.map(({ name }) => name)
      )
    const registering = (registry: AnyRegistry, one: Known, names: ReadonlyMap<string, string>) =>
      Effect.gen(function* () {
        const { name } = one.server
        if (name.length > LONGEST_SERVER && one.tools.length > 0) {
          const detail = `the name of the MCP server ${name} leaves no room for its tools; write at most ${LONGEST_SERVER} characters`
          return yield* new RegistryError({ code: "TOOL_MALFORMED", detail })
        }
        yield* registry.serving(name, (session) => gateway.endSession(session))
        for (const pinned of one.tools) {
          const as = names.get(pinned.name)
          if (as === undefined) continue
          const tool = toolOf(gateway, one, limits, pinned, as)
          yield* registry.register(tool, {
            server: name,
            requires: required(one.server) ?? "unknown",
            own: ownOf(one),
            starts: one.launch && {
              argv: [one.launch.command, ...one.launch.args],
              // Nothing is made for a menu: its own will be below this.
              cwd: one.launch.cwd ?? temporary()
            }
          })
        }
      })
    return {
      servers: options.servers,
      register: (registry) =>
        Effect.gen(function* () {
          const names = new Map([...servers].map(([name, one]) => [name, namesFor(one)]))
          yield* Effect.acquireRelease(
            Effect.sync(() => registered.add(registry, names)),
            () => Effect.sync(() => registered.remove(registry))
          )
          for (const [name, one] of servers) yield* registering(registry, one, names.get(name) ?? new Map())
        }),
      list: (name) =>
        Effect.suspend(() => {
          const one = servers.get(name)
          const requires = one === undefined ? undefined : required(one.server)
          if (one === undefined || requires === undefined) {
            const why =
              one === undefined ? "is not configured" : "says nothing that can be read of what it requires"
            const detail = `the MCP server ${name} ${why}; write it under 'mcp_servers' in bailiwick.yaml`
            return Effect.fail(new GatewayError({ code: "SERVER_NOT_CONFIGURED", detail }))
          }
          return offered({ known: one, limits, backends, requires, held })
        }),
      probe: (server) =>
        Effect.map(
          wanted({
            known: known(bare(server), []),
            limits,
            backends,
            // Nobody has agreed to it yet: it is held, or not started.
            held: { ...held, sandbox: { mode: "required", limits: held.sandbox?.limits ?? {} } }
          }),
          ({ refused, tools }) => ({
            refused: [...refused].map(([host, remedies]) => ({ host, remedies: [...remedies] })),
            tools: Either.isRight(tools) ? tools.right : undefined,
            failed: Either.isLeft(tools) ? tools.left.message : undefined
          })
        ),
      endSession: (session) => gateway.endSession(session),
      idle: gateway.idle
    }
  })

/** With nothing held there are no secrets to give, and nobody has agreed to what it may ask for. */
const bare = (server: Server): Server => ({
  ...server,
  allows: [],
  transport:
    server.transport._tag === "Local"
      ? { ...server.transport, env: [] }
      : { ...server.transport, headers: [] }
})

/**
 * The gateway to servers of others. `McpGateway.layer` makes one, `McpGateway.register` adds their tools to a registry.
 *
 * @since 0.1.0
 * @category tags
 */
export class McpGateway extends Context.Tag("bailiwick/McpGateway")<McpGateway, McpGateway.Service>() {
  /**
   * The gateway to these servers. It starts none before one is used, and ends all with its scope. Calls take their backends
   * from the program that runs them; `list` and `probe` from the one that the layer is made in.
   */
  static layer(options: McpGateway.Options): Layer.Layer<McpGateway> {
    return Layer.scoped(McpGateway, make(options))
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
