/** The log that a command is about: that of the workspace, or files of whichever machines. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Cause, Effect, Exit, Option, Stream } from "effect"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import type { AuditError } from "../../../audit/AuditSink.js"
import * as AuditFiles from "../../../layers/node/audit/AuditFiles.js"
import { closest } from "../../../policy/text/Closest.js"
import { quote } from "../../../policy/text/Quote.js"
import type { AuditCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import { type Asking, askingOf, loadPostgres } from "../../database.js"
import { whenItEnds } from "../../Ending.js"
import { below } from "../../Forms.js"
import { exists, readText } from "../../read.js"
import { reporting } from "../../report/Progress.js"
import type { Surroundings } from "../../Surroundings.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { settingOf } from "../../workspace/Setting.js"
import { writePrivately } from "../../workspace/WriteFile.js"
import { requireLog } from "./requireLog.js"

/** A log that is kept in PostgreSQL. */
export interface Kept {
  readonly database: Asking
}

export interface Log {
  readonly from: AuditFiles.From | Kept
  /** How a file is called in what is said of it. */
  readonly nameOf: (file: string) => string
  /** Absent where files are named: then nothing is asked of a workspace. */
  readonly setting: Setting | undefined
}

const INPUT = "standard input"

/** What can be read once is kept for as long as the command runs: a log is read twice, for a summary stands above it. */
const keptText = (text: string, around: Surroundings): string => {
  const directory = mkdtempSync(join(tmpdir(), "bailiwick-audit-"))
  whenItEnds(around, async () => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, "input.jsonl")
  writePrivately(file, text)
  return file
}

type Kind = "directory" | "pipe" | "other"

/** Of what cannot be looked at, whoever reads it says why. */
const kindOf = (path: string): Kind => {
  try {
    const found = statSync(path)
    return found.isDirectory() ? "directory" : found.isFIFO() ? "pipe" : "other"
  } catch {
    return "other"
  }
}

const logsIn = (directory: string): ReadonlyArray<string> => {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(".jsonl"))
    return names.sort().map((name) => join(directory, name))
  } catch {
    return [directory]
  }
}

/** A file that is not there may be a command that is misspelt. */
const requireCommand = (name: string, path: string): void => {
  const near = exists(path) ? undefined : closest(name, below("audit"))
  if (near === undefined) return
  throw new CliError(`AUDIT_UNREADABLE: there is no file ${quote(name)}; did you mean 'audit ${near}'?`)
}

const namedFiles = async (names: ReadonlyArray<string>, around: Surroundings): Promise<Log> => {
  const called = new Map<string, string>()
  const files: Array<string> = []
  const keep = (name: string, text: string): void => {
    const file = keptText(text, around)
    called.set(file, name)
    files.push(file)
  }
  for (const name of names) {
    if (name === "-") {
      keep(INPUT, await around.stdin())
      continue
    }
    const path = resolve(around.cwd, name)
    requireCommand(name, path)
    const kind = kindOf(path)
    if (kind === "directory") files.push(...logsIn(path))
    else if (kind === "pipe") keep(name, readText(path, name))
    else {
      called.set(path, name)
      files.push(path)
    }
  }
  const nameOf = (file: string): string => called.get(file) ?? file
  for (const file of files) requireLog(file, nameOf(file))
  return { from: { files: [...new Set(files)] }, nameOf, setting: undefined }
}

/** Where the log of a workspace is. */
export const directoryIn = ({ state }: Setting): string => join(state, "audit")

/** Throws a `CliError`. */
export const logOf = async (
  command: Pick<AuditCommand, "files" | "workdir">,
  around: Surroundings
): Promise<Log> => {
  if (command.files.length > 0) return namedFiles(command.files, around)
  const setting = settingOf(command, around)
  return { from: await placeOf(setting, around), nameOf: (file) => file, setting }
}

/** Where the log of a workspace is kept. Throws a `CliError` where what that needs is not installed. */
export const placeOf = async (setting: Setting, around: Surroundings): Promise<Log["from"]> => {
  const { workspace } = setting
  if (workspace?.storage?.audit !== true) return { directory: directoryIn(setting) }
  return { database: await askingOf(workspace.storage, around, workspace.root) }
}

export interface Reading {
  readonly since?: number | undefined
  /** No more than so many. */
  readonly most?: number | undefined
  readonly remark?: ((remark: AuditFiles.Remark) => void) | undefined
  /** Whether nothing is printed meanwhile, so that a sign of life stands in nobody's way. */
  readonly isQuiet?: boolean
}

/** So many are read in no time; whoever waits for more sees that something happens. */
const SOON = 100_000

/** Hands all entries over, oldest first and some at a time. Throws a `CliError`. */
export const readLog = async (
  { from, nameOf }: Log,
  around: Pick<Surroundings, "env" | "signal" | "stderr">,
  { isQuiet = false, most, remark, since }: Reading,
  each: (entries: Iterable<AuditEntry>) => void | Promise<void>
): Promise<void> => {
  const life = reporting(around, "audit")
  let done = 0
  const handed = <R>(entries: Stream.Stream<AuditEntry, AuditError, R>) =>
    Stream.runForEachChunk(most === undefined ? entries : Stream.take(entries, most), (chunk) => {
      done += chunk.length
      if (isQuiet && done > SOON) life.show({ message: "reading the log", done })
      return Effect.promise(async () => each(chunk))
    })
  const options = {
    since,
    remark: remark && ((one: AuditFiles.Remark) => remark({ ...one, file: nameOf(one.file) }))
  }
  if ("database" in from) {
    const { PostgresAudit } = await loadPostgres()
    return from.database.run(handed(PostgresAudit.read(options))).finally(() => life.end())
  }
  const exit = await Effect.runPromiseExit(handed(AuditFiles.read(from, options)), { signal: around.signal })
  life.end()
  if (Exit.isSuccess(exit)) return
  const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
  throw failure === undefined ? Cause.squash(exit.cause) : new CliError(failure.message)
}
