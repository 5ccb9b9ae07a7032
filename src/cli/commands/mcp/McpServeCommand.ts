/** `mcp serve`: the tools of an agent or a personality, for who speaks MCP over standard input and output or over HTTP. */
import { randomUUID } from "node:crypto"
import { Cause, Effect, Either, Exit, HashMap, Logger, LogLevel, Option, type Scope } from "effect"
import * as McpHttp from "../../../mcp/http/McpHttp.js"
import * as McpServer from "../../../mcp/server/McpServer.js"
import * as Turn from "../../../registry/Turn.js"
import type { McpServeCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import type { Surroundings } from "../../Surroundings.js"
import { watching } from "../../Watching.js"
import { authorityOf, backendSettings } from "../../workspace/Acting.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { loadSkills } from "../../workspace/LoadSkills.js"
import { settingOf } from "../../workspace/Setting.js"
import { requirementsOf, type Tools, toolsOf } from "../../workspace/Tools.js"
import { refusalLine, warn, workdirOf } from "../turn/OpenTurn.js"
import { type LazyBackends, lazyBackends } from "./LazyBackends.js"
import { LivePolicy, type Policed } from "./LivePolicy.js"
import { tokenFile } from "./tokenFile.js"

interface Served {
  readonly command: McpServeCommand
  readonly around: Surroundings
  readonly tools: Tools
  readonly live: LivePolicy
  readonly backends: LazyBackends
}

const unserved = ({ message }: CliError): McpServer.Unserved => new McpServer.Unserved({ detail: message })

/** Read when somebody asks for them, as they are then. */
const skillsOf = (
  { authority, setting }: Policed,
  { around, tools }: Served
): McpServer.Skills | undefined => {
  const { workspace } = setting
  if (workspace === undefined) return undefined
  return {
    agent: authority.agent,
    options: { tools: requirementsOf(tools) },
    get loaded() {
      try {
        return loadSkills(workspace, around).skills.map(({ skill }) => skill)
      } catch (error) {
        if (!(error instanceof CliError)) throw error
        around.complain(`bailiwick: ${error.message}`)
        return []
      }
    }
  }
}

/** What one client is served: the same turn for as long as the policy is the same. */
const servingOf = (session: string, served: Served): Effect.Effect<McpServer.Serving, McpServer.Unserved> => {
  const { around, backends, command, live, tools } = served
  let last: { readonly of: Policed; readonly serving: McpServer.Serving } | undefined
  const made = (of: Policed): McpServer.Serving => {
    const { authority, setting } = of
    const turn = Turn.make({
      session,
      policy: authority.policy,
      workdir: workdirOf(command, authority, setting),
      home: setting.home
    })
    turn.transcript.listen((event) => {
      if (!event.allowed) around.complain(refusalLine(event, around))
    })
    const over = (names: Iterable<string>) => Effect.mapError(backends.over(names), unserved)
    return { registry: tools.registry, turn, skills: skillsOf(of, served), backends: over }
  }
  return Effect.suspend(() =>
    Either.match(live.current(), {
      onLeft: (error) => Effect.fail(unserved(error)),
      onRight: (of) => {
        if (last?.of !== of) last = { of, serving: made(of) }
        return Effect.succeed(last.serving)
      }
    })
  )
}

/** A session that nobody named leaves nothing in the store. */
const ending = (
  session: string,
  { backends, command, tools }: Served
): Effect.Effect<void, never, Scope.Scope> =>
  command.session === undefined
    ? Effect.addFinalizer(() =>
        Effect.provide(Effect.ignore(tools.registry.endSession(session)), backends.built())
      )
    : Effect.void

const optionsFor = (session: string, served: Served): McpServer.Options => ({
  serves: servingOf(session, served),
  version: served.around.version
})

const overPipes = (served: Served): Effect.Effect<void, CliError, Scope.Scope> => {
  const { around, command } = served
  if (around.pipes === undefined) return Effect.fail(new CliError("there is no input to serve"))
  const pipes = around.pipes()
  const session = command.session ?? randomUUID()
  return Effect.scoped(
    Effect.zipRight(
      ending(session, served),
      McpServer.stdio(optionsFor(session, served), {
        ...pipes,
        onSession: (client) => telling(served, client.changed)
      })
    )
  )
}

/** Tells of changes until it is interrupted: of the policy, and of tools that are withheld because their server has changed them. */
const telling = ({ live, tools }: Served, changed: Effect.Effect<void>): Effect.Effect<void> => {
  let isDue = false
  /** Once for all tools of a server. */
  const soon = () => {
    if (isDue) return
    isDue = true
    setImmediate(() => {
      isDue = false
      Effect.runFork(changed)
    })
  }
  const listening = Effect.async<void>(() => {
    const stop = live.listen(() => void Effect.runFork(changed))
    return Effect.sync(stop)
  })
  return Effect.scoped(Effect.zipRight(tools.registry.watching(soon), listening))
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/

const overHttp = (
  { host, port }: NonNullable<McpServeCommand["http"]>,
  served: Served
): Effect.Effect<void, CliError, Scope.Scope> =>
  Effect.gen(function* () {
    const { around, tools } = served
    if (host !== undefined && !LOOPBACK.test(host)) {
      around.complain(
        `bailiwick: whoever reaches ${host} and has the token may use these tools; what is said is not encrypted`
      )
    }
    const token = McpHttp.token()
    const server = yield* Effect.mapError(
      McpHttp.serve({
        port,
        host,
        token,
        open: (send) =>
          Effect.suspend(() => {
            const session = randomUUID()
            return Effect.zipRight(
              ending(session, served),
              McpServer.session(optionsFor(session, served), send)
            )
          })
      }),
      ({ detail }) => new CliError(detail)
    )
    const file = yield* tokenFile(tools.setting.state, server.port, token)
    around.complain(`token: ${token}`)
    around.complain(`bailiwick: serving ${server.url}; the token is also in ${file}`)
    return yield* telling(served, server.changed)
  })

/** Decisions are said as they are taken; the rest of the log is for whoever runs the server. */
const logger = ({ complain }: Surroundings) =>
  Logger.make((entry) => {
    if (HashMap.has(entry.annotations, "capability")) return
    if (LogLevel.greaterThanEqual(entry.logLevel, LogLevel.Warning)) {
      complain(Logger.logfmtLogger.log(entry))
    }
  })

/** Servers that are taken away are gone before the next request; of the first ones clients are told when they are there. */
const renew = (tools: Tools, { workspace }: Setting, live: LivePolicy, { complain }: Surroundings): void => {
  tools.renewServers?.(workspace)?.then(
    () => live.tell(),
    () => complain("bailiwick: the MCP servers of the workspace could not be taken; start the server again")
  )
}

const serving = (
  command: McpServeCommand,
  tools: Tools,
  first: Policed,
  around: Surroundings
): Effect.Effect<void, CliError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const live = new LivePolicy(command, around, first, tools.setting.code)
      const backends = yield* lazyBackends(tools, backendSettings(tools.setting, around))
      live.listen(() =>
        Either.match(live.current(), {
          onLeft: ({ message }) =>
            around.complain(`bailiwick: nothing is served until this is mended: ${message}`),
          onRight: ({ authority, setting }) => {
            renew(tools, setting, live, around)
            warn(authority, tools.registry, around)
          }
        })
      )
      yield* watching(
        () => live.directories,
        () => void live.current()
      )
      const served = { command, around, tools, live, backends }
      yield* command.http === undefined ? overPipes(served) : overHttp(command.http, served)
    })
  )

/** Throws a `CliError`. */
export const mcpServe = async (command: McpServeCommand, around: Surroundings): Promise<number> => {
  const tools = await toolsOf(settingOf(command, around), around, { lasts: true })
  const authority = authorityOf(command, tools.setting)
  warn(authority, tools.registry, around)
  around.outlast?.()
  const exit = await Effect.runPromiseExit(
    serving(command, tools, { authority, setting: tools.setting }, around).pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger(around)))
    ),
    { signal: around.signal }
  )
  if (Exit.isSuccess(exit)) return 0
  throw Option.getOrElse(Cause.failureOption(exit.cause), () => Cause.squash(exit.cause))
}
