/** An agent by its id, a short form of it, or its file. */
import { relative, resolve } from "node:path"
import { Either } from "effect"
import { follow } from "../../layers/node/disk/Links.js"
import * as AgentRecord from "../../policy/agent/AgentRecord.js"
import * as Floor from "../../policy/gate/floor/Floor.js"
import type { ScopeSet } from "../../policy/lattice/ScopeSet.js"
import type * as Policy from "../../policy/Policy.js"
import { connecting, privately } from "../../policy/personality/PrivateHosts.js"
import { closest } from "../../policy/text/Closest.js"
import { quote } from "../../policy/text/Quote.js"
import { CliError } from "../CliError.js"
import { isFile, readText, realPath } from "../read.js"
import { NOT_FOLLOWED, type RecordFile, recordsAndLinks } from "./AgentFiles.js"
import type { Setting } from "./LoadPersonality.js"
import { realBelow } from "./RealRoots.js"

/** How the paths of agents' records are to be read here. */
export const agentPlaces = (setting: Setting): AgentRecord.Places => ({
  home: setting.home,
  sandbox: setting.workspace?.agentsRoot,
  real: realBelow([setting.home, setting.workspace?.root, setting.workspace?.agentsRoot])
})

const read = ({ file, id }: { readonly file: string; readonly id: string | undefined }, setting: Setting) =>
  AgentRecord.parse({ file, id, text: readText(file) }, agentPlaces(setting))

/** A file of the records directory has the id of its place; another has the one that it gives itself. */
const byPath = (
  file: string,
  { workspace }: Setting
): { readonly file: string; readonly id: string | undefined } => {
  if (workspace === undefined) return { file, id: undefined }
  const path = relative(realPath(workspace.recordsDir), realPath(file))
  const inside = !path.startsWith("..") && path.endsWith(".md")
  return { file, id: inside ? path.slice(0, -".md".length) : undefined }
}

/** In a workspace a path is written as one: a file that an agent leaves in passing is not taken for another agent. */
const isPath = (given: string, { workspace }: Setting): boolean =>
  workspace === undefined || /^(?:\/|\.{1,2}\/)|\.md$/i.test(given)

const byId = (given: string, setting: Setting): RecordFile => {
  const { workspace } = setting
  if (workspace === undefined) {
    throw new CliError(
      `there is no agent ${quote(given)}: it is not a file, and there is no workspace here to look in`
    )
  }
  const { files: all, links } = recordsAndLinks(workspace.recordsDir)
  const exact = all.find(({ id }) => id === given)
  if (exact !== undefined) return exact
  const called = all.filter(({ id }) => id.endsWith(`/${given}`))
  const agents = called.filter((found) => read(found, setting).class === "agent")
  // A record of that name that is no agent is found, so that it can be said what it is.
  const [only, another] = agents.length === 0 ? called.slice(0, 1) : agents
  if (only !== undefined && another === undefined) return only
  if (only !== undefined) {
    throw new CliError(
      `${quote(given)} may be ${agents.map(({ id }) => id).join(" or ")}; write the whole id`
    )
  }
  const linked = links.find(
    ({ id }) => given === id || id.endsWith(`/${given}`) || given.startsWith(`${id}/`)
  )
  if (linked !== undefined) {
    throw new CliError(`there is no agent ${quote(given)}: ${linked.file} ${NOT_FOLLOWED}`)
  }
  const meant = closest(
    given,
    all.flatMap(({ id }) => [id, id.slice(id.lastIndexOf("/") + 1)])
  )
  const hint =
    meant !== undefined
      ? `; did you mean '${meant}'?`
      : isFile(resolve(setting.cwd, given))
        ? `; to use the file, write ${quote(`./${given}`)}`
        : "; 'bailiwick agents' lists those that there are"
  throw new CliError(`there is no agent ${quote(given)} in ${workspace.recordsDir}${hint}`)
}

/** An agent with the text that it was read from. */
export interface OpenedAgent {
  readonly source: AgentRecord.Text
  readonly record: AgentRecord.AgentRecord
}

/** Throws a `CliError`: when there is none, when the short id is that of several, when the record is no agent. */
export const openAgent = (given: string, setting: Setting): OpenedAgent => {
  const path = resolve(setting.cwd, given)
  const found = isPath(given, setting) && isFile(path) ? byPath(path, setting) : byId(given, setting)
  const source = { file: found.file, id: found.id, text: readText(found.file) }
  const record = AgentRecord.parse(source, agentPlaces(setting))
  if (record.class === "agent") return { source, record }
  const [warning] = record.warnings
  throw new CliError(
    record.class !== undefined || warning === undefined
      ? `${found.file} is not an agent: its class is ${record.class === undefined ? "not written" : quote(record.class)}; write 'class: agent'`
      : AgentRecord.message(found.file, warning),
    1
  )
}

/** Throws as `openAgent` does. */
export const loadAgent = (given: string, setting: Setting): AgentRecord.AgentRecord =>
  openAgent(given, setting).record

/** What an agent may do in this workspace. */
export const agentPolicy = (record: AgentRecord.AgentRecord, setting: Setting): Policy.Policy => {
  const { workspace } = setting
  return AgentRecord.policy(record, {
    floor: Floor.around(resolve(record.file), {
      home: setting.home,
      workspace: workspace?.root,
      real: realPath,
      follow,
      guarded: workspace === undefined ? [] : [workspace.recordsDir],
      closed: [setting.state],
      code: setting.code
    }),
    sandbox: workspace?.sandbox,
    private: { connect: endpoints(workspace?.privateHosts ?? []) }
  })
}

/** They were checked when the workspace was read. */
const endpoints = (hosts: ReadonlyArray<string>): ScopeSet =>
  connecting(
    hosts.flatMap((text) =>
      Either.getOrElse(
        Either.map(privately({ text, line: 1, column: 1 }), (one) => [one]),
        () => []
      )
    )
  )
