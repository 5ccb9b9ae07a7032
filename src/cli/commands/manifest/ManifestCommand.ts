/** `manifest`: what each tool touches, written down; `--check`: whether that still holds. */
import { join } from "node:path"
import { Either } from "effect"
import * as Manifest from "../../../registry/manifest/Manifest.js"
import type { ManifestCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import { exists, readText } from "../../read.js"
import { terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { settingOf } from "../../workspace/Setting.js"
import { toolsOf } from "../../workspace/Tools.js"
import { writeFile } from "../../workspace/WriteFile.js"
import { type Finding, manifestReport } from "./report.js"

interface Lock {
  readonly file: string
  /** As it is on the disk, if it is there. */
  readonly text: string | undefined
  readonly read: Either.Either<Manifest.Manifest, Manifest.ManifestInvalid>
}

const lockIn = (root: string): Lock => {
  const file = join(root, Manifest.FILE)
  if (!exists(file)) return { file, text: undefined, read: Either.right(Manifest.empty) }
  const text = readText(file)
  return { file, text, read: Manifest.parse(text) }
}

const unreadable = (file: string, { code, detail }: Manifest.ManifestInvalid): CliError =>
  new CliError(`${code}: ${file}: ${detail}`)

const rootOf = ({ workdir, workspace }: Setting): string => {
  if (workspace !== undefined) return workspace.root
  throw new CliError(
    `there is no bailiwick.yaml in ${workdir} or above it, so that there are no tools to write down; 'bailiwick init' makes a workspace`
  )
}

/** A lock that nobody can read is written anew; one of another version is somebody else's to write. */
const replaceable = ({ file, read }: Lock): Manifest.ManifestInvalid | undefined => {
  if (Either.isRight(read)) return undefined
  if (read.left.code === "LOCK_VERSION_UNKNOWN") throw unreadable(file, read.left)
  return read.left
}

const write = (lock: Lock, now: Manifest.Manifest): Finding => {
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

const check = ({ file, read, text }: Lock, now: Manifest.Manifest): Finding => {
  const locked = Either.getOrThrowWith(read, (error) => unreadable(file, error))
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

export const manifest = async (command: ManifestCommand, around: Surroundings): Promise<number> => {
  const setting = settingOf(command, around)
  const lock = lockIn(rootOf(setting))
  const { registry } = await toolsOf(setting, around)
  const now = Manifest.of(registry)
  const found = command.check ? check(lock, now) : write(lock, now)
  const { comparison, written } = found
  await around.print(
    command.json
      ? `${JSON.stringify({ lock: lock.file, written, ...comparison }, null, 2)}\n`
      : manifestReport(terminal({ ...around.stdout, env: around.env }), command.check, found)
  )
  return command.check && !comparison.passes ? 1 : 0
}
