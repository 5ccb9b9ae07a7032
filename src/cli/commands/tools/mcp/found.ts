/** The servers of a workspace as a reader wants them: how each is reached, what it requires, and in what state it is. */
import { join } from "node:path"
import { Either } from "effect"
import * as Catalog from "../../../../policy/grant/Catalog.js"
import * as Grant from "../../../../policy/grant/Grant.js"
import * as Inquiry from "../../../../policy/server/Inquiry.js"
import * as ServerNotation from "../../../../policy/server/ServerNotation.js"
import { closest } from "../../../../policy/text/Closest.js"
import { quote, shellWord } from "../../../../policy/text/Quote.js"
import * as Manifest from "../../../../registry/manifest/Manifest.js"
import type { ServersAddCommand, ServersCommand } from "../../../Arguments.js"
import { CliError } from "../../../CliError.js"
import type { Surroundings } from "../../../Surroundings.js"
import type { Setting } from "../../../workspace/LoadPersonality.js"
import { type Lock, lockIn, unreadableLock } from "../../../workspace/Lock.js"
import { settingOf } from "../../../workspace/Setting.js"
import { NAME, type Workspace } from "../../../workspace/Workspace.js"

export interface Place {
  readonly setting: Setting
  readonly workspace: Workspace
  /** The file that names the servers. */
  readonly file: string
  readonly lock: Lock
}

/** Throws a `CliError` where there is no workspace. */
export const placeOf = (command: ServersAddCommand | ServersCommand, around: Surroundings): Place => {
  const setting = settingOf(command, around)
  const { workspace } = setting
  if (workspace === undefined) {
    throw new CliError(
      "there is no workspace here to look for MCP servers in; 'bailiwick init' makes one, or write a bailiwick.yaml"
    )
  }
  return { setting, workspace, file: join(workspace.root, NAME), lock: lockIn(workspace.root) }
}

/** Throws a `CliError` where no server has the name. */
export const entryNamed = (name: string, { file, workspace }: Place): ServerNotation.Entry => {
  const found = workspace.servers.find((one) => one.name === name)
  if (found !== undefined) return found
  const near = closest(
    name,
    workspace.servers.map((one) => one.name)
  )
  throw new CliError(
    `there is no MCP server ${quote(name)} in ${file}; ${near === undefined ? "'bailiwick tools mcp list' lists them" : `did you mean '${near}'?`}`,
    1
  )
}

export type State = "ready" | "not accepted" | "unusable"

export interface Found {
  readonly name: string
  readonly line: number
  /** `stdio` or `http`; nothing where that cannot be read. */
  readonly transport: "stdio" | "http" | undefined
  /** The command line, or the address. */
  readonly reached: string | undefined
  readonly requires: ReadonlyArray<string>
  /** The same as grants, whose directories are whole paths. */
  readonly grants: ReadonlyArray<Grant.Grant>
  /** What it may ask of whoever uses it. */
  readonly allows: ReadonlyArray<Inquiry.Kind>
  readonly risk: Catalog.Risk | undefined
  readonly tools: ReadonlyMap<string, Manifest.Pinned>
  readonly state: State
  /** Why it is offered to nobody. */
  readonly why: string | undefined
}

const riskOf = (
  grants: ReadonlyArray<Grant.Grant>,
  allows: ReadonlyArray<Inquiry.Kind>
): Catalog.Risk | undefined => {
  const risks = [...grants.map((grant) => Grant.risk(grant)), ...allows.map(Inquiry.risk)]
  return [...Catalog.risks].reverse().find((risk) => risks.includes(risk))
}

const reachedBy = ({ server }: ServerNotation.Entry): string | undefined => {
  if (server === undefined) return undefined
  const { transport } = server
  return transport._tag === "Local"
    ? [transport.command, ...transport.args].map(shellWord).join(" ")
    : transport.url
}

const toolsOf = (name: string, lock: Manifest.Manifest): ReadonlyMap<string, Manifest.Pinned> =>
  new Map(
    [...lock.tools].flatMap(([tool, { from, says }]) =>
      from.server === name && says !== undefined ? [[tool, says] as const] : []
    )
  )

const NOT_ACCEPTED =
  "the lock has none of its tools; run 'bailiwick manifest', and look at what it says of them"

export const foundIn = (entry: ServerNotation.Entry, { file, lock }: Place): Found => {
  const { line, name, requires, server } = entry
  const specs =
    server === undefined ? requires.flatMap(({ written }) => written ?? []) : ServerNotation.specsOf(server)
  const tools = toolsOf(
    name,
    Either.getOrElse(lock.read, () => Manifest.empty)
  )
  const grants =
    ServerNotation.grantsOf(entry) ??
    requires.flatMap(({ grant }) => (Either.isRight(grant) ? [grant.right] : []))
  const allows = server?.allows ?? []
  const unusable = ServerNotation.whyUnusable(entry, file)
  const unread = Either.isLeft(lock.read) ? unreadableLock(lock, lock.read.left).message : NOT_ACCEPTED
  return {
    name,
    line,
    transport: server && (server.transport._tag === "Local" ? "stdio" : "http"),
    reached: reachedBy(entry),
    requires: specs,
    grants,
    allows,
    risk: riskOf(grants, allows),
    tools,
    state: unusable !== undefined ? "unusable" : tools.size === 0 ? "not accepted" : "ready",
    why: unusable ?? (tools.size === 0 ? unread : undefined)
  }
}

export const foundJson = (
  { allows, line, name, reached, requires, risk, state, tools, transport, why }: Found,
  file: string
) => ({
  name,
  file,
  line,
  transport: transport ?? null,
  reached: reached ?? null,
  requires,
  allows,
  risk: risk ?? null,
  tools: tools.size,
  state,
  why: why ?? null
})
