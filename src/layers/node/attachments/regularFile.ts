/** A regular file that is no link, held by its descriptor: what is looked at is what is read. */
import { constants } from "node:fs"
import { type FileHandle, open, readlink, realpath } from "node:fs/promises"
import { Effect } from "effect"

/** Why a file is not given. */
export type Refused = "missing" | "not a file" | "a link" | "too large" | "unreadable"

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const refusedBy = (error: unknown): Refused => {
  const code = (error as { readonly code?: unknown } | null)?.code
  if (code === "ENOENT" || code === "ENOTDIR") return "missing"
  return code === "ELOOP" || code === "EMLINK" ? "a link" : "unreadable"
}

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, Refused> =>
  Effect.tryPromise({ try: run, catch: refusedBy })

/** Where the descriptor leads: the kernel says it, where there is one that does. */
const whereabouts = (file: FileHandle, path: string): Promise<string> =>
  process.platform === "linux" ? readlink(`/proc/self/fd/${file.fd}`) : realpath(path)

export interface Limits {
  readonly maxBytes: number
  /** Whether no directory above it may be a link either. */
  readonly isExact: boolean
}

/** Opens it and gives it to a function, with its size. */
const withFile = <A>(
  path: string,
  { isExact, maxBytes }: Limits,
  use: (file: FileHandle, size: number) => Effect.Effect<A, Refused>
): Effect.Effect<A, Refused> =>
  Effect.acquireUseRelease(
    attempt(() => open(path, FLAGS)),
    (file) =>
      Effect.gen(function* () {
        const stat = yield* attempt(() => file.stat())
        if (!stat.isFile()) return yield* Effect.fail<Refused>("not a file")
        if (isExact && (yield* attempt(() => whereabouts(file, path))) !== path) {
          return yield* Effect.fail<Refused>("a link")
        }
        if (stat.size > maxBytes) return yield* Effect.fail<Refused>("too large")
        return yield* use(file, stat.size)
      }),
    (file) => Effect.promise(() => file.close().catch(() => {}))
  )

export const check = (path: string, limits: Limits): Effect.Effect<void, Refused> =>
  withFile(path, limits, () => Effect.void)

const PART = 65_536

/** All of it, also when it grows while it is read, up to the limit. */
export const readAll = (path: string, limits: Limits): Effect.Effect<Uint8Array, Refused> =>
  withFile(path, limits, (file, size) =>
    Effect.gen(function* () {
      let bytes = new Uint8Array(size + 1)
      let length = 0
      while (true) {
        const into = bytes
        const { bytesRead } = yield* attempt(() => file.read(into, length, into.length - length, length))
        if (bytesRead === 0) return bytes.subarray(0, length)
        length += bytesRead
        if (length > limits.maxBytes) return yield* Effect.fail<Refused>("too large")
        if (length === bytes.length) {
          bytes = new Uint8Array(length + PART)
          bytes.set(into)
        }
      }
    })
  )
