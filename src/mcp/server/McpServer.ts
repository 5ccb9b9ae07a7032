/**
 * A registry as a server of MCP: a client of the protocol sees the tools that a turn offers, and calls them through
 * `registry.execute`.
 *
 * @since 0.1.0
 */
import { Effect, type Scope } from "effect"
import { openClient } from "./client.js"
import type { Options, Pipes } from "./Options.js"
import { overPipes } from "./pipes.js"
import type { Send, Session } from "./Session.js"

export {
  defaultLimits,
  type Limits,
  type Options,
  type Pipes,
  type Serving,
  type Skills,
  Unserved
} from "./Options.js"
export type { Send, Session } from "./Session.js"

/**
 * One client, whatever carries its messages: `receive` takes what it sends, and `send` hands it what it is sent. Its
 * requests run side by side with the services of the program that opened the session, until the scope closes. Two
 * clients are two sessions; whether they share a turn is for `serves` to say.
 *
 * @example
 * ```ts
 * import { Builtin, Personality, Registry, Turn } from "bailiwick"
 * import { McpServer } from "bailiwick/mcp"
 * import { NodeFiles } from "bailiwick/node"
 * import { Effect } from "effect"
 *
 * const workdir = process.cwd()
 * const config = { file: "config.yaml", text: `id: reader\nfs_reach: { read: ["${workdir}"] }` }
 * const policy = Personality.policy(Personality.parseSync({ config }, { workdir }))
 * const turn = Turn.make({ session: "s1", policy, workdir })
 * const registry = Registry.make(...Builtin.builtins)
 *
 * const program = Effect.gen(function* () {
 *   const session = yield* McpServer.session({ serves: Effect.succeed({ registry, turn }) }, (message) =>
 *     Effect.sync(() => {
 *       if ("result" in message && "tools" in message.result) {
 *         for (const { name } of message.result.tools as ReadonlyArray<{ name: string }>) console.log(name)
 *       }
 *     })
 *   )
 *   const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "me", version: "1" } }
 *   yield* session.receive({ jsonrpc: "2.0", id: 1, method: "initialize", params })
 *   yield* session.receive({ jsonrpc: "2.0", method: "notifications/initialized" })
 *   yield* session.receive({ jsonrpc: "2.0", id: 2, method: "tools/list" })
 * })
 *
 * await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(NodeFiles.layer())))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const session = <R>(options: Options<R>, send: Send): Effect.Effect<Session, never, Scope.Scope | R> =>
  Effect.map(openClient(options, send), (client) => client.session)

/**
 * Serves one client over a pair of pipes, one message to a line. It settles when the input has ended, or when nobody
 * reads the output any more; what still runs is interrupted then. Nothing else may write to the output: send logs
 * elsewhere.
 *
 * @example
 * ```ts
 * import type { Registry, Turn } from "bailiwick"
 * import { McpServer } from "bailiwick/mcp"
 * import { Effect } from "effect"
 *
 * declare const registry: Registry.Registry
 * declare const currentTurn: Effect.Effect<Turn.Turn>
 *
 * export const serve = McpServer.stdio(
 *   { serves: Effect.map(currentTurn, (turn) => ({ registry, turn })), name: "notes", version: "1.0.0" },
 *   { input: process.stdin, output: process.stdout }
 * )
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const stdio = <R>(options: Options<R>, pipes: Pipes): Effect.Effect<void, never, R> =>
  overPipes(options, pipes)
