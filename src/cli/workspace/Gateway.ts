/**
 * The MCP servers of a workspace in a registry: their tools as the lock has them, and nothing started for it. A server is
 * started by the first call of one of its tools, and ends with the command, or when it is written otherwise.
 */
import { Context, Effect, Either, Exit, Layer, Scope } from "effect"
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
  /**
   * Takes servers as they are written now, and their tools as the lock has them now. What is the same stays; of what is not,
   * the tools are others at once, and the server ends when its calls have.
   */
  readonly renew: (entries: ReadonlyArray<ServerNotation.Entry>, lock: Lock) => void
}

const categoriesOf = ({ transport }: Server): ReadonlyArray<Category> => [
  transport._tag === "Local" ? "process" : "network",
  "secrets"
]

type AnyRegistry = Registry.Registry<Tool.Any, unknown>

/** One server, as it was taken. */
interface Taken {
  readonly identity: string
  readonly server: Server | undefined
  /** Its tools in the registry. */
  readonly offered: Scope.CloseableScope
  /** What was started of it. */
  readonly living: Scope.CloseableScope
  readonly idle: Effect.Effect<void>
}

const ended = ({ living, offered }: Pick<Taken, "living" | "offered">): Effect.Effect<void> =>
  Effect.zipRight(Scope.close(offered, Exit.void), Scope.close(living, Exit.void))

/** What cannot be read is configured all the same, and has no tool. */
const taken = (
  registry: AnyRegistry,
  { name, server }: ServerNotation.Entry,
  pinned: ReadonlyArray<Manifest.Pinned>,
  identity: string
): Effect.Effect<Taken, CliError> =>
  Effect.gen(function* () {
    const scopes = { offered: yield* Scope.make(), living: yield* Scope.make() }
    const servers = server === undefined ? [] : [server]
    const layer = McpGateway.layer({ servers, pinned: new Map([[name, pinned]]) })
    const gateway = Context.get(yield* Layer.buildWithScope(layer, scopes.living), McpGateway)
    yield* Effect.onError(
      Scope.extend(Effect.zipRight(registry.serving(name), gateway.register(registry)), scopes.offered),
      () => ended(scopes)
    )
    return { identity, server, ...scopes, idle: gateway.idle }
  }).pipe(Effect.mapError(({ message }) => new CliError(message)))

class Servers {
  private readonly taken = new Map<string, Taken>()
  /** Those that are written otherwise by now, while a call of theirs runs. */
  private readonly leaving = new Set<Taken>()

  constructor(
    private readonly registry: AnyRegistry,
    private readonly complain: (sentence: string) => void
  ) {}

  /** A lock that nobody can read pins nothing. */
  private pinnedIn(lock: Lock): ReadonlyMap<string, ReadonlyArray<Manifest.Pinned>> {
    const read = Either.getOrElse(lock.read, (error) => {
      this.complain(`the tools of MCP servers are not offered: ${unreadableLock(lock, error).message}`)
      return Manifest.empty
    })
    return Manifest.pinned(read)
  }

  /** The answer is why one of them could not be taken. */
  take(entries: ReadonlyArray<ServerNotation.Entry>, lock: Lock): CliError | undefined {
    const pinned = entries.length === 0 ? undefined : this.pinnedIn(lock)
    const wanted = new Map(
      entries.map((entry) => {
        const tools = pinned?.get(entry.name) ?? []
        return [entry.name, { entry, tools, identity: JSON.stringify([entry.server ?? null, tools]) }]
      })
    )
    for (const [name, one] of this.taken) {
      if (wanted.get(name)?.identity !== one.identity) this.leave(name, one)
    }
    let wrong: CliError | undefined
    for (const [name, { entry, identity, tools }] of wanted) {
      if (this.taken.has(name)) continue
      const made = Effect.runSync(Effect.either(taken(this.registry, entry, tools, identity)))
      if (Either.isRight(made)) this.taken.set(name, made.right)
      else wrong ??= made.left
    }
    return wrong
  }

  /** Nobody is offered it from now on; what runs may end. */
  private leave(name: string, one: Taken): void {
    this.taken.delete(name)
    this.leaving.add(one)
    Effect.runSync(Scope.close(one.offered, Exit.void))
    Effect.runFork(
      Effect.zipRight(
        Effect.zipRight(one.idle, ended(one)),
        Effect.sync(() => this.leaving.delete(one))
      )
    )
  }

  serverOf(tool: string): Server | undefined {
    return this.taken.get(this.registry.origins.get(tool)?.server ?? "")?.server
  }

  get close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const all = [...this.taken.values(), ...this.leaving]
      this.taken.clear()
      return Effect.forEach(all, ended, { concurrency: "unbounded", discard: true })
    })
  }
}

/** Throws a `CliError` when a tool cannot be registered. */
export const serve = (
  registry: AnyRegistry,
  entries: ReadonlyArray<ServerNotation.Entry>,
  lock: Lock,
  complain: (sentence: string) => void
): Served => {
  const servers = new Servers(registry, complain)
  const wrong = servers.take(entries, lock)
  if (wrong !== undefined) throw wrong
  return {
    close: () => Effect.runPromise(servers.close),
    categoriesOf: (tool) => {
      const server = servers.serverOf(tool)
      return server === undefined ? [] : categoriesOf(server)
    },
    renew: (now, newLock) => {
      const odd = servers.take(now, newLock)
      if (odd !== undefined) complain(`bailiwick: a server is not offered: ${odd.message}`)
    }
  }
}
