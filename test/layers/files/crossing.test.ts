/**
 * Threat: two moves of one program meet, while somebody swaps what one of them moves. What one has moved by mistake, the other
 * takes for its own.
 */
import fs, { lstatSync, mkdirSync, renameSync, symlinkSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Fiber } from "effect"
import { afterTest } from "../../cleanup.js"
import { rig } from "./rig.js"

/** In the place of what Node has, until the test has ended. */
const replaced = <K extends "lstat" | "rename">(name: K, by: (original: (typeof fs)[K]) => unknown): void => {
  const original = fs[name]
  Object.assign(fs, { [name]: by(original) })
  syncBuiltinESMExports()
  afterTest(() => {
    Object.assign(fs, { [name]: original })
    syncBuiltinESMExports()
  })
}

/** So many turns of the event loop are more than a move takes, and not more than a person waits. */
const TURNS = 20_000

describe.runIf(process.platform === "linux")("two moves that meet", () => {
  it.scoped(
    "leave no link that one of them moved by mistake under its new name, and call nothing done that is not",
    () =>
      Effect.gen(function* () {
        const { files, outside, reach } = yield* rig()
        const [x, y] = [join(reach, "x"), join(reach, "y")]
        mkdirSync(x)
        mkdirSync(y)
        let hasPassed = false
        let second: (() => void) | undefined
        replaced("rename", (original) => (from: string, to: string, done: (error: Error | null) => void) => {
          if (from.endsWith("/x") && to.endsWith("/y")) {
            // What was checked is swapped for a link at the last moment.
            renameSync(x, join(reach, "held"))
            symlinkSync(outside, x)
            original(from, to, (error) => {
              done(error)
              second?.()
            })
            return
          }
          original(from, to, (error) => {
            if (from.endsWith("/y") && to.endsWith("/z")) hasPassed = true
            done(error)
          })
        })
        let looks = 0
        replaced("lstat", (original) => (path: string, ...rest: ReadonlyArray<unknown>) => {
          const look = () => Reflect.apply(original, fs, [path, ...rest])
          if (path.endsWith("/z") && second === undefined) {
            // The second move was checked, and is about to be made.
            second = look
            renameSync(y, join(reach, "away"))
            return
          }
          // The first one looks at what has arrived once the second has been made, if that is possible.
          if (path.endsWith("/y") && second !== undefined && ++looks === 2) {
            const wait = (turns: number): void => {
              if (hasPassed || turns === 0) look()
              else setImmediate(() => wait(turns - 1))
            }
            wait(TURNS)
            return
          }
          look()
        })
        const later = yield* Effect.fork(Effect.either(files.rename("y", "z")))
        while (second === undefined) yield* Effect.promise(() => new Promise(setImmediate))
        const first = yield* Effect.either(files.rename("x", "y"))
        yield* Fiber.join(later)
        expect(Either.isLeft(first)).toBe(true)
        expect(lstatSync(y, { throwIfNoEntry: false })).toBe(undefined)
        expect(lstatSync(x).isSymbolicLink()).toBe(true)
      })
  )
})
