/** The bytes of a file, in one asynchronous step: it is the operation that is asked for most. */
import * as fs from "node:fs"
import { Effect } from "effect"
import type { Files } from "../../../capabilities/files/Files.js"
import { type Disk, READ } from "./Disk.js"
import { codeOf, elsewhere, Trouble } from "./Trouble.js"

/** Files of `/proc` say that they are empty. */
const UNSIZED = 64 * 1024

/** Nothing is left to write, so that there is nothing to wait for; the way to another thread and back costs more. */
const release = (fd: number): void => {
  try {
    fs.closeSync(fd)
  } catch {
    // It is closed in any case.
  }
}

const kindOf = (stats: fs.Stats): Trouble | undefined =>
  stats.isFile() ? undefined : new Trouble(stats.isDirectory() ? "EISDIR" : "SPECIAL")

/** At most `limit` bytes; `TOO_LARGE` when more were asked for and are there. */
export const readAt = (
  { isKept, reality }: Disk,
  path: string,
  { length, offset = 0 }: Files.Range,
  limit: number
): Effect.Effect<Uint8Array, Trouble> =>
  Effect.async((resume) => {
    let open = true
    let stopped: (() => void) | undefined

    const settle = (result: Effect.Effect<Uint8Array, Trouble>): void => {
      open = false
      if (stopped === undefined) resume(result)
      else stopped()
    }
    const finish = (fd: number, result: Effect.Effect<Uint8Array, Trouble>): void => {
      release(fd)
      settle(result)
    }

    /** `most` is there for files without a size, which are read until they end. */
    const fill = (fd: number, into: Uint8Array, filled: number, most: number): void => {
      if (stopped !== undefined) {
        finish(fd, Effect.succeed(into))
        return
      }
      fs.read(fd, into, filled, into.length - filled, offset + filled, (error, count) => {
        if (error !== null) return finish(fd, Effect.fail(new Trouble(codeOf(error))))
        const now = filled + count
        if (count === 0) return finish(fd, Effect.succeed(into.slice(0, now)))
        if (now < into.length) return fill(fd, into, now, most)
        if (most === 0 || now === length) return finish(fd, Effect.succeed(into))
        if (now === most) return finish(fd, Effect.fail(new Trouble("TOO_LARGE", limit)))
        const larger = new Uint8Array(Math.min(most, now * 2))
        larger.set(into)
        fill(fd, larger, now, most)
      })
    }

    fs.open(path, READ, (error, fd) => {
      if (error !== null) return settle(Effect.fail(new Trouble(codeOf(error))))
      try {
        const stats = fs.fstatSync(fd)
        if (!reality.wasAt(fd, path)) return finish(fd, Effect.fail(elsewhere))
        const wrong = kindOf(stats)
        if (wrong !== undefined) return finish(fd, Effect.fail(wrong))
        if (stats.nlink > 1 && isKept?.(stats) === true) {
          return finish(fd, Effect.fail(new Trouble("KEPT")))
        }
        const most = Math.min(length ?? limit, limit)
        const unsized = stats.size === 0
        const wanted = Math.min(length ?? stats.size, Math.max(0, stats.size - offset))
        if (wanted > limit) return finish(fd, Effect.fail(new Trouble("TOO_LARGE", limit)))
        if (most === 0 || (wanted === 0 && !unsized)) return finish(fd, Effect.succeed(new Uint8Array(0)))
        fill(fd, new Uint8Array(unsized ? Math.min(UNSIZED, most) : wanted), 0, unsized ? most : 0)
      } catch (thrown) {
        finish(fd, Effect.fail(thrown instanceof Trouble ? thrown : new Trouble(codeOf(thrown))))
      }
    })

    return Effect.async<void>((done) => {
      if (open) stopped = () => done(Effect.void)
      else done(Effect.void)
    })
  })
