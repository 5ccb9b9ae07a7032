/** The files of a cache: written whole or not at all, and each as old as the clock said when it was written. */
import { createHash, randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { chmod, lstat, mkdir, open, readdir, rename, rm, rmdir, unlink } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Clock, Effect } from "effect"
import type { AttachmentsError } from "../../../capabilities/attachments/AttachmentsOperations.js"
import { directoryOf, failed, isNamespace, type Root } from "./Namespace.js"

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code

const isGone = (error: unknown): boolean => codeOf(error) === "ENOENT"

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, AttachmentsError> =>
  Effect.tryPromise({
    try: run,
    catch: () => failed("the attachment cache cannot be written; look at its directory and at the space left")
  })

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

const ownDirectory = async (path: string): Promise<void> => {
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made !== undefined) await chmod(path, 0o700)
  const stat = await lstat(path)
  if (!stat.isDirectory()) throw new Error("not a directory")
}

const put = async (directory: string, name: string, bytes: Uint8Array, millis: number): Promise<string> => {
  await ownDirectory(directory)
  const draft = join(directory, `.${name}`)
  const path = join(directory, name)
  const file = await open(draft, NEW, 0o600)
  try {
    await file.writeFile(bytes)
    await file.utimes(millis / 1000, millis / 1000)
    await file.close()
    await rename(draft, path)
    return path
  } catch (error) {
    await file.close().catch(() => {})
    await unlink(draft).catch(() => {})
    throw error
  }
}

/** Files of one message lie together in a listing; nothing else is known of the message. */
const mark = (messageId: string | undefined): string =>
  messageId === undefined
    ? ""
    : `${createHash("sha256").update(messageId, "utf8").digest("hex").slice(0, 8)}-`

/** The URL of a new file. */
export const addEntry = (
  root: Root,
  session: string,
  messageId: string | undefined,
  name: string,
  bytes: Uint8Array
): Effect.Effect<string, AttachmentsError> =>
  Effect.flatMap(Clock.currentTimeMillis, (millis) =>
    attempt(async () => {
      const directory = directoryOf(root, session)
      const unique = `${mark(messageId)}${randomBytes(12).toString("hex")}-${name}`
      const write = () => put(directory, unique, bytes, millis)
      // An empty directory may be cleared away between its making and its use.
      const path = await write().catch((error) => (isGone(error) ? write() : Promise.reject(error)))
      return pathToFileURL(path).href
    })
  ).pipe(Effect.uninterruptible)

export const clearSession = (root: Root, session: string): Effect.Effect<void, AttachmentsError> =>
  attempt(() => rm(directoryOf(root, session), { recursive: true, force: true }))

const unlessGone = <A>(otherwise: A, run: () => Promise<A>): Promise<A> =>
  run().catch((error) => (isGone(error) || codeOf(error) === "ENOTDIR" ? otherwise : Promise.reject(error)))

const pruneDirectory = async (directory: string, before: number): Promise<number> => {
  let removed = 0
  for (const name of await unlessGone([], () => readdir(directory))) {
    const path = join(directory, name)
    // Of a link, its own age and its own end: what it leads to is not ours.
    const stat = await unlessGone(undefined, () => lstat(path))
    if (stat === undefined || stat.isDirectory() || stat.mtimeMs >= before) continue
    const isRemoved = await unlessGone(false, () => unlink(path).then(() => true))
    if (isRemoved && !name.startsWith(".")) removed += 1
  }
  await rmdir(directory).catch(() => {})
  return removed
}

/** What else lies in the directory of the cache is left alone. */
export const pruneEntries = (root: Root, olderThanMillis: number): Effect.Effect<number, AttachmentsError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    attempt(async () => {
      let removed = 0
      for (const entry of await readdir(root.path, { withFileTypes: true })) {
        if (!entry.isDirectory() || !isNamespace(entry.name)) continue
        removed += await pruneDirectory(join(root.path, entry.name), now - olderThanMillis)
      }
      return removed
    })
  )
