/** The workspace around a directory, and where state is kept. */

import { dirname, join } from "node:path"
import { Either } from "effect"
import { privately } from "../../policy/personality/PrivateHosts.js"
import * as SandboxKey from "../../policy/personality/SandboxKey.js"
import * as Sandbox from "../../policy/Sandbox.js"
import * as ServerNotation from "../../policy/server/ServerNotation.js"
import { type Reading, sentence } from "../../policy/text/Problem.js"
import { quote } from "../../policy/text/Quote.js"
import { problem, readYaml, type Yaml } from "../../policy/text/StrictYaml.js"
import * as Shape from "../../policy/text/YamlShape.js"
import { CliError } from "../CliError.js"
import { exists, readText } from "../read.js"
import type { Surroundings } from "../Surroundings.js"
import * as AuditKey from "./AuditKey.js"
import * as ClusterKey from "./ClusterKey.js"
import { type OwnModule, ownModules } from "./own/OwnModules.js"
import { realBelow } from "./RealRoots.js"
import * as StorageKey from "./StorageKey.js"
import { type Around, directory, looksLikePath, starts } from "./workspacePath.js"

export const NAME = "bailiwick.yaml"

export interface Workspace {
  readonly root: string
  readonly recordsDir: string
  readonly skillsDir: string
  /** How children are held. */
  readonly sandbox: Sandbox.Settings
  /** The directory beyond which no agent reaches. */
  readonly agentsRoot: string | undefined
  readonly privateHosts: ReadonlyArray<string>
  /** The modules whose tools join the built-in ones. */
  readonly tools: ReadonlyArray<OwnModule>
  /** What is wrong with one is for the doctor to say. */
  readonly servers: ReadonlyArray<ServerNotation.Entry>
  /** How a log is kept of what agents do, if one is. */
  readonly audit: AuditKey.AuditKey
  /** Where entries are kept; in the workspace where it is not said. */
  readonly storage: StorageKey.StorageKey | undefined
  /** The cluster that runners of this workspace take part in. */
  readonly cluster: ClusterKey.ClusterKey | undefined
}

const keys = [
  "records_dir",
  "sandbox",
  "mcp_servers",
  "skills_dir",
  "private_hosts",
  "tools",
  "audit",
  "storage",
  "cluster"
]

const hosts = (value: Yaml, what: string): Reading<ReadonlyArray<string>> =>
  Either.flatMap(Shape.texts(value, what), (all) =>
    Either.all(all.map((given) => Either.map(privately(given), () => given.text)))
  )

const directoryIn =
  (around: Around) =>
  (value: Yaml, what: string): Reading<string> =>
    Either.flatMap(Shape.text(value, what), (given) => directory(given, around))

/** A mode, the root of all agents, or a mapping of those and of limits: no mode looks like a path. */
const sandbox =
  (around: Around) =>
  (value: Yaml, what: string): Reading<Pick<Workspace, "agentsRoot" | "sandbox">> =>
    Either.gen(function* () {
      if (value._tag === "Mapping") {
        const map = yield* Shape.mapping(value, what, ["root", ...SandboxKey.keys])
        return {
          agentsRoot: yield* Shape.optional(map, "root", directoryIn(around), "sandbox.root"),
          sandbox: yield* SandboxKey.settingsIn(map)
        }
      }
      const given = yield* Shape.text(value, what)
      if (looksLikePath(given.text)) {
        return { agentsRoot: yield* directory(given, around), sandbox: Sandbox.unwritten }
      }
      if (!Sandbox.modes.some((known) => known === given.text)) {
        return yield* problem(
          "VALUE_INVALID",
          given,
          `${what} is ${quote(given.text)}, which is neither a mode nor a path`,
          `write 'required', 'preferred' or 'off', or a root for agents that starts with ${starts}`
        )
      }
      return { agentsRoot: undefined, sandbox: yield* SandboxKey.shortly(value, what) }
    })

const parse = (around: Around, text: string): Reading<Workspace> =>
  Either.gen(function* () {
    const value = yield* readYaml(text)
    const start = { line: 1, column: 1 }
    const map = yield* Shape.mapping(
      value ?? { _tag: "Mapping", entries: new Map(), at: start },
      "a workspace",
      keys
    )
    const held = yield* Shape.optional(map, "sandbox", sandbox(around))
    const { home, root } = around
    const places = { root, home, real: realBelow([home, root]) }
    const servers = yield* Shape.optional(map, "mcp_servers", ServerNotation.read(places))
    const audit = (yield* Shape.optional(map, "audit", AuditKey.read)) ?? {}
    const storage = yield* Shape.optional(map, "storage", StorageKey.read)
    return {
      root,
      recordsDir: (yield* Shape.optional(map, "records_dir", directoryIn(around))) ?? join(root, "records"),
      skillsDir: (yield* Shape.optional(map, "skills_dir", directoryIn(around))) ?? join(root, "skills"),
      sandbox: held?.sandbox ?? Sandbox.unwritten,
      agentsRoot: held?.agentsRoot,
      tools: (yield* Shape.optional(map, "tools", ownModules(around))) ?? [],
      servers: servers ?? [],
      privateHosts: (yield* Shape.optional(map, "private_hosts", hosts)) ?? [],
      audit,
      storage: yield* StorageKey.checked(map, storage, audit),
      cluster: yield* Shape.optional(map, "cluster", ClusterKey.read)
    }
  })

/** The nearest directory upward that holds a `bailiwick.yaml`. Throws a `CliError` when that is not one. */
export const findWorkspace = (from: string, home: string | undefined): Workspace | undefined => {
  for (let root = from; ; root = dirname(root)) {
    const file = join(root, NAME)
    if (exists(file)) {
      return Either.getOrThrowWith(
        parse({ root, home }, readText(file)),
        (wrong) => new CliError(sentence(file, wrong))
      )
    }
    if (dirname(root) === root) return undefined
  }
}

/** In the workspace, or in the state directory of the user. */
export const stateDirectory = (
  workspace: Workspace | undefined,
  { env, home }: Pick<Surroundings, "env" | "home">
): string => {
  if (workspace !== undefined) return join(workspace.root, ".bailiwick")
  const state = env.XDG_STATE_HOME
  // A relative one is to be ignored.
  if (state?.startsWith("/") === true) return join(state, "bailiwick")
  if (home === undefined) {
    throw new CliError(
      "there is no workspace and no home to keep state in; set XDG_STATE_HOME to a directory"
    )
  }
  return join(home, ".local", "state", "bailiwick")
}
