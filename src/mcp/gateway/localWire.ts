/** A server as a child of this program: messages go to its input and come from its output, a line each. */
import { Cause, Context, Deferred, Effect, Option, Redacted, Runtime, type Scope } from "effect"
import { ProcessBackend } from "../../capabilities/process/ProcessBackend.js"
import { scoped as scopedProcess } from "../../capabilities/process/ScopedProcess.js"
import { scoped as scopedSecrets } from "../../capabilities/secrets/ScopedSecrets.js"
import { SecretsBackend } from "../../capabilities/secrets/SecretsBackend.js"
import { rootsOf } from "../../policy/confinement/Roots.js"
import type { Authority } from "../../policy/lattice/Authority.js"
import type { Local } from "../../policy/server/Server.js"
import { visible } from "../../policy/text/Stranger.js"
import { Lines, lineOf } from "../protocol/Lines.js"
import { emptyDirectory, temporary } from "./emptyDirectory.js"
import { GatewayError } from "./GatewayError.js"
import type { Launch } from "./Launch.js"
import type { Wire } from "./Peer.js"
import type { Starting } from "./Transport.js"
import { quoted } from "./words.js"

const notStarted = (detail: string) => new GatewayError({ code: "SERVER_NOT_STARTED", detail })

/** The secrets of these refs, each asked for in the name of the server. */
export const secretsOf = (
  { holder, serving }: Pick<Starting, "holder" | "serving">,
  refs: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, GatewayError> => {
  if (refs.length === 0) return Effect.succeed([])
  const backend = Context.getOption(serving.backends as Context.Context<SecretsBackend>, SecretsBackend)
  if (backend._tag === "None") return Effect.fail(notStarted("no backend of secrets is wired; provide one"))
  const { get } = scopedSecrets(holder, backend.value, serving.revealed)
  return Effect.mapError(
    Effect.forEach(refs, (ref) => Effect.map(get({ ref }), Redacted.value)),
    ({ message }) => notStarted(message)
  )
}

const TAIL = 2048

/** The error output of a server: some of it goes to the log, the last of it into the words about its end. */
class Errors {
  #tail = ""
  #left: number
  readonly #decoder = new TextDecoder()

  constructor(longest: number) {
    this.#left = longest
  }

  /** What of a piece goes to the log. */
  add(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes, { stream: true })
    this.#tail = (this.#tail + text).slice(-TAIL)
    const logged = text.slice(0, this.#left)
    this.#left -= logged.length
    return logged
  }

  get tail(): string {
    return this.#tail
  }
}

/** Starts the server in the scope, and ends it with the scope. What becomes of it is heard by its ears. */
export const localWire = (
  local: Local,
  launch: Launch,
  starting: Starting
): Effect.Effect<Wire, GatewayError, Scope.Scope> =>
  Effect.gen(function* () {
    const { ears, holder, limits, name, serving } = starting
    const backend = Context.getOption(serving.backends as Context.Context<ProcessBackend>, ProcessBackend)
    if (backend._tag === "None") return yield* notStarted("no backend of processes is wired; provide one")
    const values = yield* secretsOf(starting, local.env)
    const env = Object.fromEntries(local.env.map((variable, at) => [variable, values[at] ?? ""]))
    const lines = new Lines(limits.messageLength, (line) => ears.line(line))
    const errors = new Errors(limits.logLength)
    const runtime = yield* Effect.runtime<never>()
    const log = (text: string) =>
      Runtime.runFork(runtime, logged(name, visible(serving.shown(text), limits.logLength)))
    const spoken = yield* Deferred.make<ProcessBackend.Mouth, GatewayError>()
    const empty = launch.cwd === undefined ? yield* emptyDirectory : undefined
    const cwd = launch.cwd ?? empty?.path ?? temporary()
    const { held } = yield* backend.value.holding
    const { foreseen, serve } = scopedProcess(holder, { workdir: cwd, home: undefined }, backend.value)
    const command = { binary: launch.command, args: launch.args, cwd, env }
    const roots = yield* rootsFor(starting.rooted, foreseen(command))
    const ended = serve(command, {
      begun: (mouth) => Deferred.unsafeDone(spoken, Effect.succeed(mouth)),
      stdout: (bytes) => lines.push(bytes),
      stderr: (bytes) => {
        const text = errors.add(bytes)
        if (text !== "") log(text)
      }
    })
    const over = (why: GatewayError) =>
      Effect.zipRight(
        Effect.sync(() => ears.ended(why)),
        Deferred.fail(spoken, why)
      )
    yield* Effect.forkScoped(
      Effect.matchCauseEffect(ended, {
        onFailure: (cause) => {
          const why = Option.map(Cause.failureOption(cause), ({ message }) => message)
          const words = Option.getOrElse(why, () => "what starts it broke")
          return over(notStarted(`the MCP server ${name} was not started: ${words}`))
        },
        onSuccess: ({ exitCode, signal }) => {
          const how = signal === null ? `with ${exitCode}` : `by ${signal}`
          const detail = `the MCP server ${name} ended ${how}; ${quoted(serving.shown(errors.tail))}`
          return over(new GatewayError({ code: "SERVER_ENDED", detail }))
        }
      })
    )
    const mouth = yield* Deferred.await(spoken)
    return {
      send: (message) => {
        if (mouth.unread() <= limits.unreadBytes) {
          return mouth.write(lineOf(message))
        }
        const detail = `the MCP server ${name} does not read what it is sent`
        ears.ended(new GatewayError({ code: "SERVER_TIMED_OUT", detail }))
      },
      agreed: () => {
        // It runs, in a world of its own: nothing is left here, were this program killed.
        if (held && process.platform === "linux" && holder.sandbox.mode !== "off") empty?.remove()
      },
      roots,
      speaks: mouth.speaks,
      end: ears.ended
    }
  })

/** Where nobody can tell what it will see, it is told of nothing. */
const rootsFor = <E>(
  rooted: Authority | undefined,
  foreseen: Effect.Effect<ProcessBackend.Seen | undefined, E>
): Effect.Effect<ReadonlyArray<string>> =>
  rooted === undefined
    ? Effect.succeed([])
    : Effect.match(foreseen, {
        onFailure: () => [],
        onSuccess: (seen) => (seen === undefined ? [] : rootsOf(seen.plan, rooted))
      })

const logged = (server: string, text: string): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logDebug(text), { server, from: "the error output of an MCP server" })
