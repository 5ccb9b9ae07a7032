/** Reading a small regular file, whole. */
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"

export class Refused extends Error {}

/** A named pipe must not hold the caller up, nor a terminal become its own. */
export const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : ""

export const using = async <A>(
  path: string,
  flags: number,
  run: (file: FileHandle) => Promise<A>
): Promise<A> => {
  const file = await open(path, flags)
  try {
    return await run(file)
  } finally {
    await file.close()
  }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of a file that is no longer than `max` bytes. It may grow while it is read, so the end is what counts. */
export const textOf = async (file: FileHandle, max: number): Promise<string> => {
  const found = await file.stat()
  if (!found.isFile()) throw new Refused("is not a regular file")
  const bytes = Buffer.alloc(max + 1)
  let length = 0
  while (length <= max) {
    const { bytesRead } = await file.read(bytes, length, max + 1 - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  if (length > max) throw new Refused(`is longer than ${max} bytes`)
  try {
    return strict.decode(bytes.subarray(0, length))
  } catch {
    throw new Refused("is not text in UTF-8")
  }
}
