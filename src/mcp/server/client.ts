/** One client of a server: its state, and what runs for it. */
import { Effect, type Scope } from "effect"
import type { Options } from "./Options.js"
import type { Send, Session } from "./Session.js"

export const openSession = <R>(
  _options: Options<R>,
  _send: Send
): Effect.Effect<Session, never, Scope.Scope | R> =>
  Effect.succeed({ receive: () => Effect.void, changed: Effect.void, close: Effect.void })
