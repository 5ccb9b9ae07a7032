/**
 * One writer at a time for each record, in all processes. Whoever wants to write announces it with a file of its own
 * name, and then looks at who else did: of two, the one who announced later sees the other. Nobody ever takes a file
 * over, so that there is no moment in which two could take the same one; and what a dead process announced counts for
 * nothing, so that nobody waits for it.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { Effect } from "effect"
import { below, type Directory, entries } from "../disk/Directory.js"
import { act, CREATE, call, close, type Disk, lstat } from "../disk/Disk.js"
import * as Owner from "../disk/Owner.js"
import { Trouble } from "../disk/Trouble.js"

/** A process of which nothing can be known from here is taken for dead after this long: a write takes far less. */
const SILENCE_MILLIS = 30_000

const PATIENCE_MILLIS = 30_000

/** Real time, whatever clock the program goes by: the others are other processes. */
const pause = Effect.async<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), 1 + Math.random() * 8)
  return Effect.sync(() => clearTimeout(timer))
})

const remove = (path: string): Effect.Effect<void> => Effect.ignore(act((done) => fs.unlink(path, done)))

const announce = (path: string): Effect.Effect<void, Trouble> =>
  Effect.flatMap(
    call<number>((done) => fs.open(path, CREATE, 0o600, done)),
    close
  )

/** By the clock of the disk, which both files go by. */
const isSilent = (theirs: string, mine: string): Effect.Effect<boolean, Trouble> =>
  Effect.zipWith(lstat(theirs), lstat(mine), (there, here) =>
    there === undefined || here === undefined ? false : here.mtimeMs - there.mtimeMs > SILENCE_MILLIS
  )

const isAbandoned = (name: string, theirs: string, mine: string): Effect.Effect<boolean, Trouble> => {
  const ended = Owner.hasEnded(name)
  return ended === undefined ? isSilent(theirs, mine) : Effect.succeed(ended)
}

type Turn = "mine" | "wait" | "withdraw"

/** The rest of the name is drawn anew each time, so that nobody is always the one who withdraws. */
const turn = (disk: Disk, locks: Directory, key: string, own: string): Effect.Effect<Turn, Trouble> =>
  Effect.gen(function* () {
    const found = (yield* entries(disk, locks, Number.POSITIVE_INFINITY)) ?? []
    let answer: Turn = "mine"
    for (const { name } of found) {
      if (name === own || !name.startsWith(`${key}.`)) continue
      const theirs = below(disk, locks, name)
      if (yield* isAbandoned(name.slice(key.length + 1), theirs, below(disk, locks, own)))
        yield* remove(theirs)
      else if (name < own) return "withdraw"
      else answer = "wait"
    }
    return answer
  })

const acquire = (disk: Disk, locks: Directory, key: string): Effect.Effect<string, Trouble> =>
  Effect.gen(function* () {
    const until = performance.now() + PATIENCE_MILLIS
    while (performance.now() < until) {
      const own = `${key}.${Owner.name()}`
      const path = below(disk, locks, own)
      const got = yield* Effect.gen(function* () {
        yield* announce(path)
        while (performance.now() < until) {
          const answer = yield* turn(disk, locks, key, own)
          if (answer !== "wait") return answer === "mine"
          yield* pause
        }
        return false
      }).pipe(Effect.onExit((exit) => (exit._tag === "Success" && exit.value ? Effect.void : remove(path))))
      if (got) return own
      yield* pause
    }
    return yield* Effect.fail(new Trouble("BUSY"))
  })

/** Runs while no other writer has the same id. `locks` is the directory that the announcements are made in. */
export const exclusively = <A, E>(
  disk: Disk,
  locks: Directory,
  id: string,
  use: Effect.Effect<A, E>
): Effect.Effect<A, E | Trouble> =>
  Effect.suspend(() => {
    const key = createHash("sha256").update(id).digest("hex").slice(0, 24)
    return Effect.acquireUseRelease(
      Effect.interruptible(acquire(disk, locks, key)),
      () => use,
      (own) => remove(below(disk, locks, own))
    )
  })
