/**
 * A file of the cache while it is written. It has a name of its own that says which process writes it, so that what a
 * killed one leaves is known for what it is; once it is whole it gets the name that it is found by.
 */
import { constants } from "node:fs"
import { chmod, type FileHandle, lstat, mkdir, open, rename, rmdir, unlink } from "node:fs/promises"
import { join } from "node:path"
import * as Owner from "../disk/Owner.js"

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

const ownDirectory = async (path: string): Promise<void> => {
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made !== undefined) await chmod(path, 0o700)
  const stat = await lstat(path)
  if (!stat.isDirectory()) throw new Error("not a directory")
}

const opened = async (directory: string): Promise<{ readonly file: FileHandle; readonly path: string }> => {
  await ownDirectory(directory)
  const path = join(directory, `.${Owner.name()}`)
  return { file: await open(path, NEW, 0o600), path }
}

const MOST_TRIES = 1000

const isGone = (error: unknown): boolean => (error as { readonly code?: unknown } | null)?.code === "ENOENT"

/** Whether a name is that of a draft whose writer is no longer there. */
export const isAbandoned = (name: string): boolean =>
  name.startsWith(".") && Owner.hasEnded(name.slice(1)) === true

export class Draft {
  readonly #directory: string
  readonly #file: FileHandle
  #path: string

  private constructor(directory: string, file: FileHandle, path: string) {
    this.#directory = directory
    this.#file = file
    this.#path = path
  }

  static async begin(directory: string): Promise<Draft> {
    for (let tries = 1; ; tries++) {
      try {
        const { file, path } = await opened(directory)
        return new Draft(directory, file, path)
      } catch (error) {
        // An empty directory may be cleared away between its making and its use, by who prunes again and again too.
        if (!isGone(error) || tries >= MOST_TRIES) throw error
      }
    }
  }

  async add(chunks: ReadonlyArray<Uint8Array>): Promise<void> {
    let size = 0
    for (const chunk of chunks) size += chunk.length
    const { bytesWritten } = await this.#file.writev([...chunks])
    // A disk may take less than it is given, without an error.
    if (bytesWritten < size) await this.#rest(chunks, bytesWritten)
  }

  async #rest(chunks: ReadonlyArray<Uint8Array>, written: number): Promise<void> {
    let skip = written
    for (const chunk of chunks) {
      if (skip < chunk.length) await this.#file.writeFile(chunk.subarray(skip))
      skip = Math.max(0, skip - chunk.length)
    }
  }

  /** Gives it its name, as old as the clock says; the answer is its path. */
  async keep(name: string, millis: number): Promise<string> {
    const path = join(this.#directory, name)
    await this.#file.utimes(millis / 1000, millis / 1000)
    await this.#file.close()
    await rename(this.#path, path)
    this.#path = path
    return path
  }

  /** Leaves nothing of it behind: neither the draft, nor what has its name already. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {})
    await unlink(this.#path).catch(() => {})
    await rmdir(this.#directory).catch(() => {})
  }
}
