/** `bailiwick.lock.json` of a workspace, as it is on the disk. */
import { join } from "node:path"
import { Either } from "effect"
import * as Manifest from "../../registry/manifest/Manifest.js"
import { CliError } from "../CliError.js"
import { exists, readText } from "../read.js"

export interface Lock {
  readonly file: string
  /** As it is on the disk, if it is there. */
  readonly text: string | undefined
  readonly read: Either.Either<Manifest.Manifest, Manifest.ManifestInvalid>
}

export const lockIn = (root: string): Lock => {
  const file = join(root, Manifest.FILE)
  if (!exists(file)) return { file, text: undefined, read: Either.right(Manifest.empty) }
  const text = readText(file)
  return { file, text, read: Manifest.parse(text) }
}

export const unreadableLock = ({ file }: Lock, { code, detail }: Manifest.ManifestInvalid): CliError =>
  new CliError(`${code}: ${file}: ${detail}`)
