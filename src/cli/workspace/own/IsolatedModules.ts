/**
 * Modules of tools that run in processes of their own. None is loaded here: what their tools are, the lock says, or one of
 * these processes. Of a package only what is in the lock is offered.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Either, Logger, LogLevel, Scope } from "effect"
import type { Described } from "../../../isolated/host/Description.js"
import * as Description from "../../../isolated/host/Description.js"
import type { IsolatedError } from "../../../isolated/host/IsolatedError.js"
import { defaults } from "../../../isolated/host/Limits.js"
import * as Toolkit from "../../../isolated/Toolkit.js"
import type * as Sandbox from "../../../policy/Sandbox.js"
import { type Origin, originRefused } from "../../../policy/ToolOrigin.js"
import { seen } from "../../../policy/text/Quote.js"
import * as Manifest from "../../../registry/manifest/Manifest.js"
import type * as Tool from "../../../tools/Tool.js"
import { CliError } from "../../CliError.js"
import { realPath } from "../../read.js"
import { type AppTag, type OwnTool, placed } from "./LoadModule.js"
import { moduleId, type OwnModule } from "./OwnModules.js"
import { packageEntry } from "./packageEntry.js"

export interface Surroundings {
  readonly root: string
  readonly state: string
  readonly sandbox: Sandbox.Settings
  /** What was accepted; nothing where it is to be asked anew. */
  readonly accepted: Manifest.Manifest | undefined
  /** Tags of services that modules of this program export. */
  readonly tags: ReadonlyArray<AppTag>
  /** What each module is made of, besides packages. */
  readonly codeOf: (module: OwnModule) => ReadonlyArray<string>
  /** Whether calls come for as long as somebody likes. */
  readonly lasts: boolean
  readonly scope: Scope.Scope
  readonly signal: AbortSignal
  /** Hears what whoever runs the command should know. */
  readonly warn: (sentence: string) => void
}

/** Why no tool of a module is there, though nothing is wrong with what is written. */
export interface Withheld {
  readonly _tag: "Withheld"
  readonly error: CliError
}

export interface Taken {
  readonly _tag: "Taken"
  readonly tools: ReadonlyArray<OwnTool>
  readonly said: ReadonlyArray<readonly [tool: string, Manifest.Isolated]>
}

const originOf = (module: OwnModule, root: string): Origin => {
  const name = module.isolated?.package
  return name === undefined ? { module: moduleId(module, root) } : { plugin: name }
}

const LONGEST = 300

/** Of what its process printed last, the line that tells an error. */
const saying = (text: string): string => {
  const line = text.split("\n").find((one) => /^\s*(?:Uncaught )?\w*Error\b/.test(one))
  return line === undefined ? "" : `; it printed: ${seen(line.trim().slice(0, LONGEST))}`
}

/** Runs it for a command: what a process printed that did not begin is told to whoever runs the command, and nobody else. */
const performed = async <A>(
  effect: Effect.Effect<A, IsolatedError, Scope.Scope>,
  { scope, signal, warn }: Surroundings
): Promise<Either.Either<A, { readonly error: IsolatedError; readonly printed: string }>> => {
  let printed = ""
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === LogLevel.Debug) printed = String(message)
    if (LogLevel.greaterThanEqual(logLevel, LogLevel.Warning)) warn(String(message))
  })
  const answer = await Effect.runPromise(
    Effect.either(Scope.extend(effect, scope)).pipe(
      Logger.withMinimumLogLevel(LogLevel.Debug),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    ),
    { signal }
  )
  return Either.mapLeft(answer, (error) => ({ error, printed: saying(printed) }))
}

/** Words that were cut once, and had what is not seen in them written out, are not cut again. */
const ofLock = { ...defaults, descriptionLength: defaults.descriptionLength * 16 }

/** What the lock has of a module; a lock is read as strictly as its process is. */
const pinnedOf = (
  module: OwnModule,
  { accepted, root }: Surroundings
): ReadonlyArray<Described> | undefined => {
  const says = accepted && Manifest.described(accepted).get(moduleId(module, root))
  if (says === undefined) return undefined
  return Either.getOrThrowWith(
    Description.readHello({ tools: says }, ofLock),
    ({ detail }) =>
      new CliError(
        `${Manifest.FILE}: what it has of ${module.file} cannot be used: ${detail}; run 'bailiwick manifest'`
      )
  )
}

/** More than anybody reads. */
const LONGEST_DESCRIPTION = 256 * 1024

const refusedOf = (
  tools: ReadonlyArray<readonly [Described, Tool.Any]>,
  origin: Origin
): string | undefined => {
  if (tools.length === 0) return "exports no tool; export what Tool.make made, or a list of it"
  for (const [described] of tools) {
    const misplaced = originRefused(described.name, origin)
    if (misplaced !== undefined) return `has a tool that is not taken: ${misplaced}`
    if (JSON.stringify(described).length > LONGEST_DESCRIPTION) {
      return `has a tool that is not taken: ${described.name} is described at too great a length`
    }
  }
  return undefined
}

const servicesOf = (tools: ReadonlyArray<Described>, tags: ReadonlyArray<AppTag>): ReadonlyArray<AppTag> => {
  const wanted = new Set(tools.flatMap(({ services }) => services))
  return tags.filter(({ key }) => wanted.has(key))
}

const DEFAULT_SPARES = 1

const optionsOf = (
  module: OwnModule,
  around: Surroundings,
  directories: ReadonlyArray<string> | undefined
) => ({
  per: module.isolated?.per,
  spares: around.lasts ? (module.isolated?.spares ?? DEFAULT_SPARES) : 0,
  directory: join(around.state, "isolated"),
  sandbox: around.sandbox.mode === "preferred" ? ("preferred" as const) : ("required" as const),
  within: directories && [...directories, ...around.codeOf(module).map(realPath)]
})

const notAccepted = ({ file }: OwnModule): Withheld => ({
  _tag: "Withheld",
  error: new CliError(
    `the tools of ${file} are offered to nobody, for ${Manifest.FILE} does not have them; look at what they are, and accept them: run 'bailiwick manifest'`
  )
})

/** Throws a `CliError` that names the module. */
export const isolatedModule = async (module: OwnModule, around: Surroundings): Promise<Taken | Withheld> => {
  const { file, isolated } = module
  const { root, tags } = around
  const origin = originOf(module, root)
  const entry =
    isolated?.package === undefined
      ? { file: placed(file, root), directories: undefined }
      : packageEntry(file, root)
  const url = pathToFileURL(entry.file)
  const options = optionsOf(module, around, entry.directories)
  let pinned = pinnedOf(module, around)
  if (pinned === undefined && around.accepted !== undefined && isolated?.package !== undefined) {
    return notAccepted(module)
  }
  const wrong = (what: string) => new CliError(`${file} ${what}`)
  const asking =
    pinned === undefined && around.accepted === undefined
      ? performed(Toolkit.describe(url, options), around)
      : undefined
  if (asking !== undefined) {
    const answer = await asking
    if (Either.isLeft(answer)) return failed(file, answer.left)
    pinned = answer.right
  }
  const services = pinned === undefined ? tags : servicesOf(pinned, tags)
  const made = await performed(Toolkit.tools(url, { ...options, pinned, services }), around)
  if (Either.isLeft(made)) return failed(file, made.left)
  const refused = refusedOf(made.right, origin)
  if (refused !== undefined) throw wrong(refused)
  const id = moduleId(module, root)
  return {
    _tag: "Taken",
    tools: made.right.map(([{ exported }, tool]) => ({ tool, file, exported, origin })),
    said: made.right.map(([described, { name }]) => [name, { module: id, says: { ...described } }] as const)
  }
}

const SERVED =
  "here: have a module under 'tools' that is not isolated export the layer of the service, and its tag"

/** Without something that holds its process a module cannot be asked, and nothing is wrong with it. */
const failed = (
  file: string,
  { error: { code, detail }, printed }: { readonly error: IsolatedError; readonly printed: string }
): Withheld => {
  const more = code === "SERVICE_NOT_SERIALISABLE" ? `; ${SERVED}` : printed
  const error = new CliError(`${file} is isolated, and cannot be used: ${code}: ${detail}${more}`)
  if (code === "NOT_HELD") return { _tag: "Withheld", error }
  throw error
}
