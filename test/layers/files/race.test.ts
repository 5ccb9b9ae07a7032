/**
 * Threat: between check and use, someone swaps a file or a directory for a link to outside, as fast as they can
 * (I24, F11, F13). Everything below is named alike outside, so that an escape would succeed.
 */

import { type ChildProcess, spawn } from "node:child_process"
import { lstatSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, type Scope } from "effect"
import type { FilesError } from "../../../src/capabilities/files/FilesOperations.js"
import { times } from "../../deep.js"
import { type Rig, rig, SECRET, snapshot } from "./rig.js"

const swapper = `
const fs = require("node:fs")
const [reach, outside] = process.argv.slice(1)
const file = reach + "/f", directory = reach + "/d", held = reach + "/held"
const attempt = (run) => { try { run() } catch {} }
for (let lap = 0; ; lap++) {
  attempt(() => { fs.symlinkSync(outside + "/f", file + ".link"); fs.renameSync(file + ".link", file) })
  attempt(() => { fs.renameSync(directory, held); fs.symlinkSync(outside, directory) })
  attempt(() => { fs.writeFileSync(file + ".file", "inside"); fs.renameSync(file + ".file", file) })
  attempt(() => { fs.unlinkSync(directory); fs.renameSync(held, directory) })
  // Who makes a directory while it is away would end the swaps for good.
  attempt(() => { if (fs.existsSync(held) && fs.lstatSync(directory).isDirectory()) { fs.renameSync(directory, directory + ".lost" + lap); fs.renameSync(held, directory) } })
  if (lap === 10) process.stdout.write("swapping")
}`

const swapping = ({ outside, reach }: Rig): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<ChildProcess>((resume) => {
      const child = spawn(process.execPath, ["-e", swapper, reach, outside], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      child.stdout.once("data", () => resume(Effect.succeed(child)))
    }),
    (child) =>
      Effect.async<void>((resume) => {
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )

const prepared = Effect.gen(function* () {
  const place = yield* rig()
  place.put("f", "inside")
  for (const name of ["f", "victim", "sub/victim"]) place.put(`d/${name}`, "inside")
  mkdirSync(join(place.outside, "sub"))
  for (const name of ["f", "victim", "sub/victim", "sub/w0", "sub/w1"]) {
    writeFileSync(join(place.outside, name), SECRET)
  }
  return place
})

/** Runs until it was done so often, and the swap was met at least so often too; both are bounded. */
const storm = <A>(
  least: number,
  operation: (i: number) => Effect.Effect<A, FilesError>,
  check: (value: A) => void
): Effect.Effect<{ readonly done: number; readonly refused: number }> =>
  Effect.gen(function* () {
    let [done, refused] = [0, 0]
    while (done < least || (refused === 0 && done < 200 * least)) {
      const results = yield* Effect.forEach(
        Array.from({ length: 20 }),
        (_, i) => Effect.either(operation(done + i)),
        { concurrency: 4 }
      )
      done += results.length
      for (const result of results) {
        if (Either.isRight(result)) check(result.right)
        else {
          refused++
          expect(result.left._tag).toBe("FilesError")
          expect(result.left.message).not.toContain(SECRET)
        }
      }
    }
    return { done, refused }
  })

describe.runIf(process.platform === "linux")("while files and directories are swapped for links", () => {
  it.scoped("I24/F11: reads by the hundred never answer with what is outside", () =>
    Effect.gen(function* () {
      const place = yield* prepared
      yield* swapping(place)
      const read = yield* storm(
        times(500),
        (i) => place.files.read(i % 2 === 0 ? "f" : "d/f"),
        (text) => expect(text).toBe("inside")
      )
      expect(read.refused).toBeGreaterThan(0)
    })
  )

  it.scoped("I24/F13: listings, looks and searches never tell of what is outside", () =>
    Effect.gen(function* () {
      const place = yield* prepared
      writeFileSync(join(place.outside, "only-outside"), SECRET)
      yield* swapping(place)
      const listed = yield* storm(
        times(100),
        () => place.files.list("d"),
        (names) => expect(names).not.toContain("only-outside")
      )
      const looked = yield* storm(
        times(100),
        (i) => place.files.stat(i % 2 === 0 ? "f" : "d/f"),
        (stat) => expect(stat).toMatchObject({ kind: "file", size: "inside".length })
      )
      const searched = yield* storm(
        times(20),
        () => place.files.search("d", { pattern: "." }),
        ({ matches }) => {
          for (const { text } of matches) expect(text).toBe("inside")
        }
      )
      expect(Math.min(listed.refused, looked.refused)).toBeGreaterThan(0)
      expect(searched.done).toBeGreaterThanOrEqual(times(20))
    })
  )

  it.scoped("I24/F13: writes, directories and removals never change what is outside", () =>
    Effect.gen(function* () {
      const place = yield* prepared
      const before = snapshot(place.outside)
      yield* swapping(place)
      const ignore = () => {}
      const written = yield* storm(times(100), (i) => place.files.write(`d/sub/w${i % 7}`, "written"), ignore)
      const replaced = yield* storm(times(40), () => place.files.write("f", "inside"), ignore)
      const made = yield* storm(
        times(40),
        (i) => place.files.mkdir(`d/sub/m${i}/n`, { recursive: true }),
        ignore
      )
      const removed = yield* storm(
        times(100),
        (i) => {
          const path = ["d/victim", "d/sub/victim", `d/sub/w${i % 7}`, `d/sub/m${i}`][i % 4] ?? ""
          return place.files.remove(path, { recursive: true })
        },
        ignore
      )
      expect(snapshot(place.outside)).toEqual(before)
      for (const { refused } of [written, made, removed]) expect(refused).toBeGreaterThan(0)
      expect(replaced.done).toBeGreaterThanOrEqual(times(40))
      // What was written for a moment under another name is gone, wherever the directory was then.
      const names = ["d/sub", "held/sub"].flatMap((name) => {
        try {
          return readdirSync(join(place.reach, name))
        } catch {
          return []
        }
      })
      expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([])
    })
  )

  it.scoped("appends, new files and moves never change or bring in what is outside", () =>
    Effect.gen(function* () {
      const place = yield* prepared
      const before = snapshot(place.outside)
      yield* swapping(place)
      const ignore = () => {}
      const appended = yield* storm(
        times(40),
        (i) => place.files.append(i % 2 === 0 ? "d/f" : "d/log", "inside"),
        ignore
      )
      const created = yield* storm(times(20), (i) => place.files.create(`d/sub/c${i}`, "inside"), ignore)
      const moved = yield* storm(
        times(40),
        (i) =>
          i % 2 === 0
            ? place.files.rename(`d/sub/c${i % 20}`, `m${i}`)
            : place.files.rename("f", `d/sub/f${i}`),
        ignore
      )
      const [d, e] = [join(place.reach, "d"), join(place.reach, "e")]
      // Moved back by nobody who looks at what arrives: what the swapper put there by then would be taken for it.
      const back = Effect.sync(() => {
        if (lstatSync(e, { throwIfNoEntry: false })?.isDirectory() !== true) return
        try {
          renameSync(e, d)
        } catch {
          // There is a link in the way.
        }
      })
      const swapped = yield* storm(
        times(200),
        (i) => (i % 2 === 0 ? place.files.rename("d", "e") : back),
        ignore
      )
      expect(snapshot(place.outside)).toEqual(before)
      for (const { refused } of [appended, created, moved, swapped]) expect(refused).toBeGreaterThan(0)
      const { matches } = yield* place.files.search("", { pattern: "nobody" })
      expect(matches).toEqual([])
      // No link was moved: those that are there are the swapper's, or went back beside where they were.
      const links = readdirSync(place.reach, { withFileTypes: true }).filter((entry) =>
        entry.isSymbolicLink()
      )
      for (const { name } of links) expect(name).toMatch(/^(f|d|f\.link|\.[0-9a-f]{24}\.tmp)$/)
    })
  )
})
