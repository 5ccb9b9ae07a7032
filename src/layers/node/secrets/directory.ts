/** One file for each secret. What is read lies in the directory, whatever links lead to it. */
import { constants } from "node:fs"
import { type FileHandle, readlink, realpath, stat } from "node:fs/promises"
import { join, sep } from "node:path"
import { Effect } from "effect"
import { SecretsError } from "../../../capabilities/secrets/SecretsOperations.js"
import { failed } from "./backend.js"
import { codeOf, FLAGS, Refused, textOf, using } from "./reading.js"

const MAX_BYTES = 65_536

/** Secrets that are replaced while they are read are there again a moment later. */
const ATTEMPTS = 3

const within = (root: string, path: string): boolean =>
  path.startsWith(root.endsWith(sep) ? root : root + sep)

class Moved extends Error {}

/** Where an open file lies now: as the kernel says, or, where it does not, as a second look says. */
const placeOf = async (file: FileHandle, path: string): Promise<string> => {
  if (process.platform === "linux") return readlink(`/proc/self/fd/${file.fd}`)
  const place = await realpath(path)
  const [opened, found] = [await file.stat(), await stat(place)]
  if (opened.dev !== found.dev || opened.ino !== found.ino) throw new Moved()
  return place
}

const outside = new Refused("is a link out of the directory of secrets; put the file itself there")

const readOnce = async (directory: string, segments: ReadonlyArray<string>): Promise<string> => {
  const root = await realpath(directory).catch(() => {
    throw new Refused("lies in a directory that is not there or may not be read; look at the configuration")
  })
  const path = await realpath(join(root, ...segments))
  if (!within(root, path)) throw outside
  return using(path, FLAGS | constants.O_NOFOLLOW, async (file) => {
    const place = await placeOf(file, path)
    if (place.endsWith(" (deleted)")) throw new Moved()
    if (!within(root, place)) throw outside
    return textOf(file, MAX_BYTES)
  })
}

const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(codeOf(error))

const read = async (directory: string, segments: ReadonlyArray<string>): Promise<string | undefined> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await readOnce(directory, segments)).replace(/\r?\n$/, "")
    } catch (error) {
      const passing = error instanceof Moved || isMissing(error)
      if (!passing) throw error
      if (attempt === ATTEMPTS) {
        if (error instanceof Moved) throw error
        return undefined
      }
    }
  }
}

const inWords = (error: unknown): SecretsError => {
  if (error instanceof Refused) return failed(`the secret ${error.message}`)
  const code = codeOf(error)
  return failed(
    code === "EACCES" || code === "EPERM"
      ? "this user may not read the secret; give it the file"
      : "the secret could not be read; look at its file"
  )
}

/** The content of the file of a ref, without the newline at its end. */
export const fileIn = (
  directory: string,
  segments: ReadonlyArray<string>
): Effect.Effect<string | undefined, SecretsError> =>
  // Names that begin with a dot are how a container swaps its secrets: they are the same ones under another name.
  segments.some((segment) => segment.startsWith("."))
    ? new SecretsError({
        code: "SECRET_REF_INVALID",
        detail: "a secret in a directory has no segment that begins with a dot"
      })
    : Effect.tryPromise({ try: () => read(directory, segments), catch: inWords })
