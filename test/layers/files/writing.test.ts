/** Threats: a file that is half written, a mode that is lost, rubbish that stays behind, a write that lands elsewhere. */
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { all, codeOf, refused, rig, snapshot } from "./rig.js"

for (const verification of ["descriptor", "realpath"] as const) {
  describe(`writing, verified by ${verification}`, () => {
    it.scoped("makes a file, replaces it whole, and leaves nothing else", () =>
      Effect.gen(function* () {
        const { files, reach, text } = yield* rig({ verification })
        yield* files.write("a", "one, and longer")
        yield* files.write("a", "two")
        yield* files.write("b", new Uint8Array([0, 255]))
        yield* files.write("empty", "")
        expect(text("a")).toBe("two")
        expect([...readFileSync(join(reach, "b"))]).toEqual([0, 255])
        expect(readdirSync(reach).sort()).toEqual(["a", "b", "empty"])
      })
    )

    it.scoped("a new file has the mode of new files, and a replaced one keeps its own", () =>
      Effect.gen(function* () {
        const { files, put, reach } = yield* rig({ verification })
        yield* files.write("new", "x")
        expect(statSync(join(reach, "new")).mode & 0o777).toBe(0o666 & ~process.umask())
        for (const mode of [0o600, 0o755, 0o666]) {
          chmodSync(put("kept", "x"), mode)
          yield* files.write("kept", "y")
          expect(statSync(join(reach, "kept")).mode & 0o7777).toBe(mode)
        }
        chmodSync(put("privileged", "x"), 0o4755)
        yield* files.write("privileged", "y")
        expect(statSync(join(reach, "privileged")).mode & 0o7777).toBe(0o755)
      })
    )

    it.scoped("says what stands in the way, and writes nothing", () =>
      Effect.gen(function* () {
        const { files, put, reach } = yield* rig({ verification })
        put("f", "x")
        mkdirSync(join(reach, "d"))
        expect((yield* refused(files.write("none/a", "x"))).message).toBe(
          `NOT_FOUND: the directory of ${reach}/none/a does not exist; make it first, with mkdir`
        )
        expect(yield* codeOf(files.write("d", "x"))).toBe("NOT_A_FILE")
        expect(yield* codeOf(files.write("f/x", "x"))).toBe("NOT_A_DIRECTORY")
        expect(yield* codeOf(files.write("n".repeat(300), "x"))).toBe("PATH_INVALID")
        expect(readdirSync(reach).sort()).toEqual(["d", "f"])
      })
    )

    it.scoped("F44: there is a limit to what is written", () =>
      Effect.gen(function* () {
        const { holding, reach } = yield* rig()
        const files = holding(all(`${reach}/`), { limits: { writeBytes: 4 }, verification })
        yield* files.write("a", "1234")
        expect(yield* codeOf(files.write("a", "12345"))).toBe("LIMIT_EXCEEDED")
        expect(yield* files.read("a")).toBe("1234")
      })
    )

    it.scoped("I22/I6: directories are made with the right to write, the missing ones above them too", () =>
      Effect.gen(function* () {
        const { files, holding, put, reach } = yield* rig({ verification })
        expect(yield* codeOf(files.mkdir("a/b/c"))).toBe("NOT_FOUND")
        yield* files.mkdir("a/b/c", { recursive: true })
        yield* files.mkdir("a/b/c", { recursive: true })
        yield* files.mkdir("a/d")
        expect(yield* files.list("a")).toEqual(["b", "d"])
        expect(yield* codeOf(files.mkdir("a"))).toBe("ALREADY_EXISTS")
        put("f", "x")
        expect(yield* codeOf(files.mkdir("f"))).toBe("ALREADY_EXISTS")
        expect(yield* codeOf(files.mkdir("f", { recursive: true }))).toBe("ALREADY_EXISTS")
        expect(yield* codeOf(files.mkdir("f/x", { recursive: true }))).toBe("NOT_A_DIRECTORY")
        yield* files.mkdir("/", { recursive: true }).pipe(refused)
        const narrow = holding(all(`${reach}/x/y/z/`))
        const error = yield* refused(narrow.mkdir("x/y/z", { recursive: true }))
        expect(error.detail).toBe(`write not permitted for ${reach}/x/y`)
        expect(existsSync(join(reach, "x"))).toBe(false)
        mkdirSync(join(reach, "x/y"), { recursive: true })
        yield* narrow.mkdir("x/y/z/1/2", { recursive: true })
        expect(existsSync(join(reach, "x/y/z/1/2"))).toBe(true)
      })
    )

    it.scoped("removes files, and directories that are empty or meant with all that is in them", () =>
      Effect.gen(function* () {
        const { files, put, reach } = yield* rig({ verification })
        put("f", "x")
        put("d/a/b", "x")
        put("d/c", "x")
        mkdirSync(join(reach, "e"))
        yield* files.remove("f")
        yield* files.remove("e")
        expect((yield* refused(files.remove("d"))).message).toBe(
          `FILES_FAILED: ${reach}/d is not empty; remove it with the option 'recursive'`
        )
        yield* files.remove("d", { recursive: true })
        expect(readdirSync(reach)).toEqual([])
        expect(yield* codeOf(files.remove("f"))).toBe("NOT_FOUND")
        expect(yield* codeOf(files.remove("f/x"))).toBe("NOT_FOUND")
      })
    )

    it.scoped("J4: a directory that holds what may not be deleted stays whole", () =>
      Effect.gen(function* () {
        const { files, holding, put, reach } = yield* rig({ verification })
        put("home/a", "x")
        put("home/.ssh/id_rsa", "key")
        put("home/z", "x")
        put("repository/.git/hooks/pre-commit", "x")
        put("repository/code", "x")
        put("state/policy", "x")
        const before = snapshot(reach)
        expect(yield* codeOf(files.remove("home", { recursive: true }))).toBe("PATH_NOT_REACHABLE")
        expect(yield* codeOf(files.remove("repository", { recursive: true }))).toBe("PATH_NOT_REACHABLE")
        const guarded = holding(all(`${reach}/`), {
          floor: { homes: [], guarded: [`${reach}/state/policy`] }
        })
        expect(yield* codeOf(guarded.remove("state", { recursive: true }))).toBe("PATH_NOT_REACHABLE")
        expect(snapshot(reach)).toEqual(before)
        const part = holding({ files: { delete: [`${reach}/home`, `${reach}/home/a`] } })
        expect(yield* codeOf(part.remove("home", { recursive: true }))).toBe("PATH_NOT_REACHABLE")
        expect(snapshot(reach)).toEqual(before)
      })
    )

    it.scoped("F44: a removal has limits of breadth and depth, and removes nothing past them", () =>
      Effect.gen(function* () {
        const { holding, put, reach } = yield* rig({ verification })
        put("deep/1/2/3/4", "x")
        for (let i = 0; i < 6; i++) put(`wide/${i}`, "x")
        const before = snapshot(reach)
        const files = holding(all(`${reach}/`), { limits: { entries: 5, depth: 3 } })
        expect(yield* codeOf(files.remove("deep", { recursive: true }))).toBe("LIMIT_EXCEEDED")
        expect(yield* codeOf(files.remove("wide", { recursive: true }))).toBe("LIMIT_EXCEEDED")
        expect(snapshot(reach)).toEqual(before)
      })
    )
  })
}

describe("writing", () => {
  it.scoped("I25: to write another name of an outside file leaves the outside file alone", () =>
    Effect.gen(function* () {
      const { files, outside, reach } = yield* rig()
      const before = snapshot(outside)
      linkSync(join(outside, "secret"), join(reach, "hard"))
      yield* files.write("hard", "mine")
      expect(snapshot(outside)).toEqual(before)
    })
  )

  it.scoped("a file that is read-only on disk is not replaced, by root either", () =>
    Effect.gen(function* () {
      const { files, put } = yield* rig()
      chmodSync(put("locked", "x"), 0o444)
      expect(yield* codeOf(files.write("locked", "y"))).toBe("FILES_FAILED")
      expect(yield* files.read("locked")).toBe("x")
    })
  )

  it.scoped("what is written is what was given, whatever the tool does to its bytes meanwhile", () =>
    Effect.gen(function* () {
      const { files } = yield* rig()
      const bytes = new Uint8Array(4).fill(1)
      const writing = files.write("a", bytes)
      bytes.fill(9)
      yield* writing
      expect([...(yield* files.readBytes("a"))]).toEqual([1, 1, 1, 1])
    })
  )

  it.scoped("an interrupted write leaves the old file and no other", () =>
    Effect.gen(function* () {
      const { files, put, reach, text } = yield* rig()
      put("a", "old")
      const content = new Uint8Array(8 * 1024 * 1024).fill(65)
      let untouched = 0
      for (let i = 0; i < 30; i++) {
        const started = yield* Deferred.make<void>()
        const fiber = yield* Effect.fork(
          Effect.zipRight(Deferred.succeed(started, undefined), files.write("a", content))
        )
        yield* Deferred.await(started)
        for (let turn = 0; turn < i; turn++) {
          yield* Effect.async<void>((resume) => {
            setImmediate(() => resume(Effect.void))
          })
        }
        yield* Fiber.interrupt(fiber)
        expect(readdirSync(reach)).toEqual(["a"])
        const size = lstatSync(join(reach, "a")).size
        expect([3, content.length]).toContain(size)
        if (size === 3) untouched++
        else yield* files.write("a", "old")
      }
      expect(untouched).toBeGreaterThan(0)
      expect(text("a")).toHaveLength(3)
    })
  )

  it.scoped("readers see the old file or the new one, never a part", () =>
    Effect.gen(function* () {
      const { files } = yield* rig()
      yield* files.write("a", "A".repeat(50_000))
      const versions = ["B".repeat(60_000), "C".repeat(10)]
      const writes = Effect.forEach(
        Array.from({ length: 60 }),
        (_, i) => files.write("a", versions[i % 2] ?? ""),
        {
          discard: true
        }
      )
      const reads = Effect.forEach(
        Array.from({ length: 400 }),
        () => Effect.map(files.read("a"), (text) => `${text[0]}${text.length}`),
        { concurrency: 4 }
      )
      const [seen] = yield* Effect.all([reads, writes], { concurrency: 2 })
      for (const one of new Set(seen)) expect(["A50000", "B60000", "C10"]).toContain(one)
    })
  )
})
