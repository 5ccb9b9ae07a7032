/** `manifest`: what each tool touches, written down; `--check`: whether that still holds. */
import { Either } from "effect"
import * as Manifest from "../../../registry/manifest/Manifest.js"
import type { ManifestCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import { terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import type { Asked } from "../../workspace/Asked.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { type Lock, lockIn, unreadableLock } from "../../workspace/Lock.js"
import { settingOf } from "../../workspace/Setting.js"
import { type Gathered, gatherTools } from "../../workspace/Tools.js"
import type { Workspace } from "../../workspace/Workspace.js"
import { writeFile } from "../../workspace/WriteFile.js"
import { type Finding, manifestReport, type Silent } from "./report.js"

const workspaceOf = ({ workdir, workspace }: Setting): Workspace => {
  if (workspace !== undefined) return workspace
  throw new CliError(
    `there is no bailiwick.yaml in ${workdir} or above it, so that there are no tools to write down; 'bailiwick init' makes a workspace`
  )
}

/** A lock that nobody can read is written anew; one of another version is somebody else's to write. */
const replaceable = (lock: Lock): Manifest.ManifestInvalid | undefined => {
  const { read } = lock
  if (Either.isRight(read)) return undefined
  if (read.left.code === "LOCK_VERSION_UNKNOWN") throw unreadableLock(lock, read.left)
  return read.left
}

/** What speaks with servers is loaded only where there is one. */
const asked = async ({ servers }: Workspace, setting: Setting, around: Surroundings): Promise<Asked> => {
  if (servers.length === 0) return { offered: [], unasked: [] }
  const { askServers } = await import("../../workspace/Asked.js")
  return askServers(servers, setting, around)
}

/** The tools of a server that could not be asked stay as they were. */
const kept = (now: Manifest.Manifest, locked: Manifest.Manifest, server: string): Manifest.Manifest => {
  const requires = locked.servers?.get(server)
  const tools = [...locked.tools].filter(([, { from }]) => from.server === server)
  return {
    tools: new Map([...now.tools, ...tools]),
    servers: new Map([
      ...(now.servers ?? []),
      ...(requires === undefined ? [] : [[server, requires] as const])
    ])
  }
}

const withServers = (
  own: Manifest.Manifest,
  { offered, unasked }: Asked,
  silent: ReadonlyArray<Silent>,
  { read }: Lock
): Manifest.Manifest => {
  const locked = Either.getOrElse(read, () => Manifest.empty)
  const pinned = offered.reduce(Manifest.pin, own)
  const servers = unasked.reduce((now, { server }) => kept(now, locked, server), pinned)
  const modules = new Set(silent.map(({ module }) => module))
  const tools = [...locked.tools].filter(([, { isolated }]) => modules.has(isolated?.module ?? ""))
  return { ...servers, tools: new Map([...servers.tools, ...tools]) }
}

type Written = Omit<Finding, "unasked">

const write = (lock: Lock, now: Manifest.Manifest): Written => {
  const lost = replaceable(lock)
  const { file, read, text } = lock
  const comparison = Manifest.compare(
    Either.getOrElse(read, () => Manifest.empty),
    now
  )
  const after = Manifest.print(now)
  // A formatter may lay it out in its own way: what says the same is left as it is.
  const before = Either.match(read, { onLeft: () => undefined, onRight: Manifest.print })
  const written = text === undefined || before !== after
  if (written) writeFile(file, text, after)
  return { lock: file, isNew: text === undefined, written, lost: lost?.message, comparison }
}

const check = (lock: Lock, now: Manifest.Manifest): Written => {
  const { file, read, text } = lock
  const locked = Either.getOrThrowWith(read, (error) => unreadableLock(lock, error))
  const comparison = Manifest.compare(locked, now)
  return {
    lock: file,
    isNew: text === undefined,
    written: false,
    lost: undefined,
    // A lock that is missing holds nothing, so that nothing holds to it.
    comparison: text === undefined ? { ...comparison, passes: false } : comparison
  }
}

/** The isolated modules that could not be asked. What is wrong with another module ends the command. */
const silentOf = ({ refused }: Gathered): ReadonlyArray<Silent> =>
  refused.map(({ error, unasked }) => {
    if (unasked === undefined) throw error
    return { module: unasked, reason: error.message }
  })

export const manifest = async (command: ManifestCommand, around: Surroundings): Promise<number> => {
  const setting = settingOf(command, around)
  const workspace = workspaceOf(setting)
  const lock = lockIn(workspace.root)
  // A lock that is not to be written is known before a server is started for it.
  if (command.check) Either.getOrThrowWith(lock.read, (error) => unreadableLock(lock, error))
  else replaceable(lock)
  const gathered = await gatherTools(setting, around, { servers: false, asksIsolated: true })
  const { registry, said = new Map(), setting: loaded } = gathered
  const silent = silentOf(gathered)
  const servers = await asked(workspace, loaded, around)
  const now = withServers(Manifest.describe(Manifest.of(registry), said), servers, silent, lock)
  const unasked = [...servers.unasked, ...silent]
  const found: Finding = { ...(command.check ? check(lock, now) : write(lock, now)), unasked }
  const { comparison, written } = found
  const passes = comparison.passes && unasked.length === 0
  const document = {
    lock: lock.file,
    written,
    ...comparison,
    passes,
    ...(unasked.length === 0 ? {} : { unasked })
  }
  await around.print(
    command.json
      ? `${JSON.stringify(document, null, 2)}\n`
      : manifestReport(terminal({ ...around.stdout, env: around.env }), command.check, found)
  )
  return unasked.length > 0 || (command.check && !comparison.passes) ? 1 : 0
}
