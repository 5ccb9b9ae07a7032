/** What is made of several operations: larger files, parts of files, and all that lies below a directory. */
import type { PlatformError } from "@effect/platform/Error"
import { Effect } from "effect"
import type { FilesError } from "../capabilities/files/FilesOperations.js"
import { as, refused, tooMuch } from "./fileErrors.js"
import type { PlainFiles } from "./plainFiles.js"

/** As much of a file as is held in memory at once, where it is not changed in the middle. */
export const PART = 8 * 1024 * 1024

/** As much as is written at once by the layers of Node, unless they are told otherwise. */
const WHOLE = 64 * 1024 * 1024

/** As many names as one recursive listing answers with, or one copy makes. */
const NAMES = 100_000

const join = (directory: string, name: string): string =>
  directory.endsWith("/") ? `${directory}${name}` : `${directory}/${name}`

/** A file with bytes put in at an offset, or cut or filled up with zeros to a length; it is replaced as a whole. */
export const spliced = (
  files: PlainFiles,
  method: string,
  path: string,
  { bytes = new Uint8Array(0), length, offset = 0 }: Splice
): Effect.Effect<void, PlatformError> =>
  Effect.gen(function* () {
    const { size } = yield* as(method, path, files.stat(path))
    const wanted = length ?? Math.max(size, offset + bytes.length)
    if (wanted > WHOLE) {
      yield* tooMuch(
        method,
        path,
        `would be changed in the middle, which is done up to ${WHOLE} bytes; write it anew`
      )
    }
    const whole = new Uint8Array(wanted)
    if (wanted > 0 && size > 0) whole.set(yield* as(method, path, files.readBytes(path, { length: wanted })))
    whole.set(bytes, offset)
    yield* as(method, path, files.write(path, whole))
  })

interface Splice {
  readonly bytes?: Uint8Array
  readonly offset?: number
  readonly length?: number
}

const above = (path: string): { readonly within?: string } => {
  const at = path.lastIndexOf("/")
  return at < 0 ? {} : { within: at === 0 ? "/" : path.slice(0, at) }
}

/** A larger file is put together beside its place, and takes it when it is whole. */
const copyLarge = (
  files: PlainFiles,
  from: string,
  to: string,
  replace: boolean
): Effect.Effect<void, FilesError> =>
  Effect.gen(function* () {
    const path = `${yield* files.temporary(above(to))}/copy`
    for (let offset = 0; ; offset += PART) {
      const part = yield* files.readBytes(from, { offset, length: PART })
      if (part.length === 0) break
      yield* files.append(path, part)
    }
    yield* files.rename(path, to, { replace })
  }).pipe(Effect.scoped)

export const copyFile = (
  files: PlainFiles,
  from: string,
  to: string,
  replace: boolean
): Effect.Effect<void, FilesError> =>
  Effect.flatMap(files.stat(from), ({ size }) =>
    size > PART
      ? copyLarge(files, from, to, replace)
      : Effect.flatMap(files.readBytes(from), (bytes) => (replace ? files.write : files.create)(to, bytes))
  )

interface Found {
  readonly name: string
  readonly kind: "file" | "directory" | "link" | "unreachable" | "other"
}

/** All that lies below a directory, each before what lies in it. Links are named, and not followed. */
export const walked = (
  files: PlainFiles,
  method: string,
  root: string
): Effect.Effect<ReadonlyArray<Found>, PlatformError> =>
  Effect.gen(function* () {
    const found: Array<Found> = []
    const pending = [""]
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const directory = at === "" ? root : join(root, at)
      for (const { kind, name } of yield* as(method, directory, files.entries(directory))) {
        const inside = at === "" ? name : `${at}/${name}`
        if (kind === "directory") pending.push(inside)
        found.push({ name: inside, kind })
      }
      if (found.length > NAMES)
        yield* tooMuch(method, root, `holds more than ${NAMES} entries; go through it in parts`)
    }
    return found
  })

/** A file, or a directory with all that lies below it. What is there stays, unless it may be overwritten. */
export const copy = (
  files: PlainFiles,
  from: string,
  to: string,
  overwrite: boolean
): Effect.Effect<void, PlatformError> =>
  Effect.gen(function* () {
    const one = (source: string, target: string) =>
      as("copy", source, copyFile(files, source, target, overwrite)).pipe(
        Effect.catchIf(
          (error) => !overwrite && error._tag === "SystemError" && error.reason === "AlreadyExists",
          () => Effect.void
        )
      )
    if ((yield* as("copy", from, files.stat(from))).kind === "file") return yield* one(from, to)
    const all = yield* walked(files, "copy", from)
    const odd = all.find(({ kind }) => kind !== "file" && kind !== "directory")
    if (odd !== undefined) {
      return yield* refused("copy", join(from, odd.name), "copy the files and directories, and no links")
    }
    yield* as("copy", to, files.mkdir(to, { recursive: true }))
    for (const { kind, name } of all) {
      if (kind === "file") yield* one(join(from, name), join(to, name))
      else yield* as("copy", join(to, name), files.mkdir(join(to, name), { recursive: true }))
    }
  })
