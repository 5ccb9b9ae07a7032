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
 * One client, whatever carries its messages. Its requests run until the scope closes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const session = <R>(options: Options<R>, send: Send): Effect.Effect<Session, never, Scope.Scope | R> =>
  Effect.map(openClient(options, send), (client) => client.session)

/**
 * Serves one client over a pair of pipes, one message to a line. Settles when the input has ended.
 *
 * @since 0.1.0
 * @category constructors
 */
export const stdio = <R>(options: Options<R>, pipes: Pipes): Effect.Effect<void, never, R> =>
  overPipes(options, pipes)
