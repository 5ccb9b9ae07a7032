/**
 * The calls of the operating system. Each runs to its end once begun, so that no descriptor is closed under a call
 * that still uses it; a fiber is interrupted between two of them.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import type { Limits } from "./Limits.js"
import type { Reality } from "./Reality.js"
import { codeOf, Trouble } from "./Trouble.js"

export interface Disk {
  readonly limits: Limits
  readonly reality: Reality
  /** Whether an open file is one that must not be read, whatever its name is. */
  readonly isKept?: (stats: fs.Stats) => boolean
}

const { O_DIRECTORY = 0, O_NOCTTY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = fs.constants

/** No link at the end is followed, and no pipe or terminal is waited for or taken. */
export const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

export const READ_DIRECTORY = READ | O_DIRECTORY

export const CREATE = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | O_NOFOLLOW

/** What is there, to add to its end. */
export const APPEND = fs.constants.O_WRONLY | fs.constants.O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

type Done<A> = (error: Error | null, value: A) => void

export const call = <A = void>(run: (done: Done<A>) => void): Effect.Effect<A, Trouble> =>
  Effect.uninterruptible(
    Effect.async((resume) =>
      run((error, value) =>
        resume(error === null ? Effect.succeed(value) : Effect.fail(new Trouble(codeOf(error))))
      )
    )
  )

/** A call without a value. */
export const act = (run: (done: (error: Error | null) => void) => void): Effect.Effect<void, Trouble> =>
  call<void>((done) => run((error) => done(error, undefined)))

export const close = (fd: number): Effect.Effect<void> => Effect.ignore(act((done) => fs.close(fd, done)))

/** `undefined` where there is nothing. */
export const lstat = (path: string): Effect.Effect<fs.Stats | undefined, Trouble> =>
  Effect.catchIf(
    call<fs.Stats | undefined>((done) => fs.lstat(path, done)),
    ({ code }) => code === "ENOENT",
    () => Effect.succeed(undefined)
  )
