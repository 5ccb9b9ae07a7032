/**
 * A file that is read and written bit by bit. No descriptor is held: each step is an operation of its own, which is asked
 * for and checked like any other. What is added goes to the end of the file at once; what changes the middle replaces the file.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Option, type Scope } from "effect"
import { as, refused, unfit } from "./fileErrors.js"
import { infoOf } from "./fileInfo.js"
import { PART, spliced } from "./fileParts.js"
import type { PlainFiles } from "./plainFiles.js"

const EMPTY = new Uint8Array(0)

/** What must be there or be made, and how large it is then. */
const begin = (
  files: PlainFiles,
  path: string,
  flag: FileSystem.OpenFlag
): Effect.Effect<number, PlatformError> => {
  const empty = (operation: PlainFiles["write"]) => Effect.as(as("open", path, operation(path, EMPTY)), 0)
  if (flag.includes("x")) return empty(files.create)
  if (flag.startsWith("w")) return empty(files.write)
  if (flag.startsWith("a")) return empty(files.append)
  return Effect.flatMap(as("open", path, files.stat(path)), ({ kind, size }) =>
    kind === "file" ? Effect.succeed(size) : Effect.fail(unfit("open", path, "is a directory"))
  )
}

export const open = (
  files: PlainFiles,
  path: string,
  flag: FileSystem.OpenFlag
): Effect.Effect<FileSystem.File, PlatformError, Scope.Scope> =>
  Effect.gen(function* () {
    const [reads, writes] = [flag === "r" || flag.endsWith("+"), flag !== "r"]
    let size = yield* begin(files, path, flag)
    let at = 0
    let isOpen = true
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isOpen = false
      })
    )
    const lock = yield* Effect.makeSemaphore(1)
    /** One step after the other, while it is open, and as it was opened. */
    const step = <A>(
      method: string,
      may: boolean,
      run: () => Effect.Effect<A, PlatformError>
    ): Effect.Effect<A, PlatformError> =>
      lock.withPermits(1)(
        Effect.suspend(() => {
          if (!isOpen) return unfit(method, path, "was closed with its scope; open it again")
          return may ? run() : unfit(method, path, `was opened with '${flag}'; open it with another flag`)
        })
      )
    const read = (method: string, length: number) =>
      step(method, reads, () =>
        Effect.tap(as(method, path, files.readBytes(path, { offset: at, length })), (bytes) =>
          Effect.sync(() => {
            at += bytes.length
          })
        )
      )
    const put = (bytes: Uint8Array) =>
      flag.startsWith("a") || at === size
        ? as("write", path, files.append(path, bytes))
        : spliced(files, "write", path, { bytes, offset: at })
    const write = (bytes: Uint8Array) =>
      step("write", writes, () =>
        Effect.map(bytes.length === 0 ? Effect.void : put(bytes), () => {
          at += bytes.length
          size = Math.max(size, at)
          return FileSystem.Size(bytes.length)
        })
      )
    return {
      [FileSystem.FileTypeId]: FileSystem.FileTypeId,
      // There is none.
      fd: FileSystem.FileDescriptor(-1),
      stat: step("stat", true, () => Effect.map(as("stat", path, files.stat(path)), infoOf)),
      seek: (offset, from) =>
        Effect.sync(() => {
          at = Math.max(0, (from === "start" ? 0 : at) + Number(offset))
        }),
      sync: step("sync", true, () =>
        writes
          ? refused(
              "sync",
              path,
              "write the file as a whole with writeFile, which is on the disk when it answers"
            )
          : Effect.void
      ),
      read: (buffer) =>
        Effect.map(read("read", Math.min(buffer.length, PART)), (bytes) => {
          buffer.set(bytes)
          return FileSystem.Size(bytes.length)
        }),
      readAlloc: (wanted) =>
        Effect.map(read("readAlloc", Math.min(Number(wanted), PART)), (bytes) =>
          bytes.length === 0 ? Option.none() : Option.some(bytes)
        ),
      truncate: (length = 0) =>
        step("truncate", writes, () =>
          Effect.map(spliced(files, "truncate", path, { length: Number(length) }), () => {
            size = Number(length)
          })
        ),
      write,
      writeAll: (bytes) => Effect.asVoid(write(bytes))
    }
  })
