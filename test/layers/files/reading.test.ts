/** Threats: reading more than memory holds, waiting for ever on a pipe, reading a device, an answer that is not true. */
import { execFileSync } from "node:child_process"
import { appendFileSync, linkSync, mkdirSync, truncateSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Ask, all, codeOf, refused, rig } from "./rig.js"

for (const verification of ["descriptor", "realpath"] as const) {
  describe(`reading, verified by ${verification}`, () => {
    it.scoped("I1: the text and the bytes of a file, as they are", () =>
      Effect.gen(function* () {
        const { files, put, reach } = yield* rig({ verification })
        put("a.txt", "hé")
        put("b.bin", new Uint8Array([0, 255, 128, 10]))
        expect(yield* files.read(`${reach}/a.txt`)).toBe("hé")
        expect(yield* files.readBytes(`${reach}/b.bin`)).toEqual(new Uint8Array([0, 255, 128, 10]))
        expect(yield* files.read("a.txt")).toBe("hé")
        put("empty")
        expect(yield* files.read("empty")).toBe("")
      })
    )

    it.scoped("a part of a file, from where it starts to where it ends", () =>
      Effect.gen(function* () {
        const { files, put } = yield* rig({ verification })
        put("a", "0123456789")
        const part = (range: { offset?: number; length?: number }) =>
          Effect.map(files.readBytes("a", range), (bytes) => Buffer.from(bytes).toString())
        expect(yield* part({ offset: 3 })).toBe("3456789")
        expect(yield* part({ length: 3 })).toBe("012")
        expect(yield* part({ offset: 8, length: 10 })).toBe("89")
        expect(yield* part({ offset: 10 })).toBe("")
        expect(yield* part({ offset: 99, length: 1 })).toBe("")
        expect(yield* part({ length: 0 })).toBe("")
        expect(yield* part({ length: Number.MAX_SAFE_INTEGER })).toBe("0123456789")
        put("empty")
        expect(yield* files.readBytes("empty", { length: Number.MAX_SAFE_INTEGER })).toHaveLength(0)
        for (const range of [{ offset: -1 }, { length: 1.5 }, { offset: Number.NaN }, { length: 2 ** 60 }]) {
          expect(yield* codeOf(files.readBytes("a", range))).toBe("FILES_FAILED")
        }
      })
    )

    it.scoped("F44: a file larger than the limit is read in parts", () =>
      Effect.gen(function* () {
        const { holding, put, reach } = yield* rig()
        const files = holding(all(`${reach}/`), { limits: { readBytes: 8 }, verification })
        put("large", "0123456789")
        const error = yield* refused(files.read("large"))
        expect(error.message).toBe(
          `LIMIT_EXCEEDED: ${reach}/large is larger than the 8 bytes that are read at once; pass offset and length`
        )
        expect(yield* codeOf(files.readBytes("large", { length: 9 }))).toBe("LIMIT_EXCEEDED")
        expect(yield* files.readBytes("large", { length: 8 })).toHaveLength(8)
        expect(yield* files.readBytes("large", { offset: 4 })).toHaveLength(6)
      })
    )

    it.scoped("F44: a sparse file of terabytes is refused before memory is taken", () =>
      Effect.gen(function* () {
        const { files, put } = yield* rig({ verification })
        truncateSync(put("sparse"), 2 ** 41)
        expect(yield* codeOf(files.read("sparse"))).toBe("LIMIT_EXCEEDED")
        expect(yield* files.readBytes("sparse", { offset: 2 ** 40, length: 4 })).toEqual(new Uint8Array(4))
      })
    )

    it.scoped("F21/F22: pipes, sockets and devices are not opened, and nobody waits", () =>
      Effect.gen(function* () {
        const { files, holding, reach } = yield* rig({ verification })
        execFileSync("mkfifo", [join(reach, "pipe")])
        const server = createServer()
        yield* Effect.async<void>((resume) => {
          server.listen(join(reach, "socket"), () => resume(Effect.void))
        })
        yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
        for (const name of ["pipe", "socket"]) {
          expect(yield* codeOf(files.read(name))).toBe("NOT_A_FILE")
          expect(yield* codeOf(files.write(name, "x"))).toBe("NOT_A_FILE")
          expect(yield* codeOf(files.list(name))).toBe("NOT_A_DIRECTORY")
          expect(yield* codeOf(files.search(name, { pattern: "x" }))).toBe("NOT_A_FILE")
        }
        expect(yield* codeOf(files.stat("pipe"))).toBe("NOT_A_FILE")
        const everywhere = holding(all("/"))
        for (const device of ["/dev/zero", "/dev/null", "/dev/tty"]) {
          expect(yield* codeOf(everywhere.read(device))).toBe("PATH_NOT_REACHABLE")
        }
      })
    )

    it.scoped("says what stands in the way", () =>
      Effect.gen(function* () {
        const { files, put, reach } = yield* rig({ verification })
        put("d/f", "x")
        expect((yield* refused(files.read("none"))).message).toBe(`NOT_FOUND: ${reach}/none does not exist`)
        expect(yield* codeOf(files.read("d"))).toBe("NOT_A_FILE")
        expect(yield* codeOf(files.list("d/f"))).toBe("NOT_A_DIRECTORY")
        expect(yield* codeOf(files.list("none"))).toBe("NOT_FOUND")
        expect(yield* codeOf(files.read("d/f/x"))).toBe("NOT_A_DIRECTORY")
        expect(yield* codeOf(files.read("n".repeat(300)))).toBe("PATH_INVALID")
        expect(yield* files.exists("none")).toBe(false)
        expect(yield* files.exists("d/f/x")).toBe(false)
        expect(yield* files.exists("d")).toBe(true)
      })
    )

    it.scoped("lists names in order, and stats what is there", () =>
      Effect.gen(function* () {
        const { files, put, reach } = yield* rig({ verification })
        for (const name of ["b", "a", "é", "A", ".hidden", "c/d"]) put(name, "12345")
        expect(yield* files.list(reach)).toEqual([".hidden", "A", "a", "b", "c", "é"])
        const stat = yield* files.stat("a")
        expect(stat).toMatchObject({ kind: "file", size: 5 })
        expect(Number.isInteger(stat.modifiedMillis)).toBe(true)
        expect(yield* files.stat("c")).toMatchObject({ kind: "directory", size: 0 })
      })
    )
  })
}

describe("reading", () => {
  it.scoped("F44: a listing has a limit", () =>
    Effect.gen(function* () {
      const { holding, put, reach } = yield* rig()
      for (let i = 0; i < 6; i++) put(`d/${i}`)
      const within = holding(all(`${reach}/`), { limits: { entries: 6 } })
      expect(yield* within.list("d")).toHaveLength(6)
      const short = holding(all(`${reach}/`), { limits: { entries: 5 } })
      expect(yield* codeOf(short.list("d"))).toBe("LIMIT_EXCEEDED")
    })
  )

  it.scoped("a limit that is no number is a mistake of the operator, not the end of limits", () =>
    Effect.gen(function* () {
      const { holding } = yield* rig()
      for (const readBytes of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        expect(() => holding({}, { limits: { readBytes } })).toThrow(RangeError)
      }
    })
  )

  it.scoped(
    "I2/I5/I7/I8: reading and writing are held apart, and a path without a slash is that path alone",
    () =>
      Effect.gen(function* () {
        const { holding, outside, put, reach } = yield* rig()
        put("only", "x")
        put("only2", "y")
        const files = holding({ files: { read: [`${reach}/only`], write: [`${reach}/w/`] } })
        expect(yield* files.read("only")).toBe("x")
        expect((yield* refused(files.read("only2"))).message).toBe(
          `PATH_NOT_REACHABLE: read not permitted for ${reach}/only2`
        )
        expect(yield* codeOf(files.write("only", ""))).toBe("PATH_NOT_REACHABLE")
        expect(yield* codeOf(files.read("w/x"))).toBe("PATH_NOT_REACHABLE")
        expect(yield* codeOf(files.remove("only"))).toBe("PATH_NOT_REACHABLE")
        // F46: what is outside answers the same, there or not.
        const [there, missing] = [`${outside}/secret`, `${outside}/absent`]
        const asks: ReadonlyArray<Ask> = [files.stat, files.exists, files.read, files.list]
        for (const ask of asks) {
          const [one, other] = [yield* refused(ask(there)), yield* refused(ask(missing))]
          expect(one.message.replace("secret", "absent")).toBe(other.message)
        }
      })
  )

  it.scoped("F47: to look at a file is to read it", () =>
    Effect.gen(function* () {
      const { holding, put, reach } = yield* rig()
      put("a", "x")
      const files = holding({ files: { write: [`${reach}/`], delete: [`${reach}/`] } })
      const asks: ReadonlyArray<Ask> = [files.stat, files.exists, files.list]
      for (const ask of asks) {
        expect(yield* codeOf(ask("a"))).toBe("PATH_NOT_REACHABLE")
      }
      expect(yield* codeOf(files.search("a", { pattern: "x" }))).toBe("PATH_NOT_REACHABLE")
    })
  )

  it.scoped("F05/F42/F43/I9: what is no plain absolute path is refused before the disk hears of it", () =>
    Effect.gen(function* () {
      const { files, reach } = yield* rig()
      for (const path of [
        `${reach}/../outside/secret`,
        `${reach}/a\u0000b`,
        `${reach}/a\nb`,
        `${reach}/\u202egpj.exe`,
        "a/../../outside/secret",
        // A URL is no path, not even a relative one.
        `file://${reach}/a`
      ]) {
        expect(yield* codeOf(files.read(path))).toBe("PATH_NOT_REACHABLE")
      }
    })
  )

  it.scoped("I25/F09: another name of the same file is read as the file that it is", () =>
    Effect.gen(function* () {
      const { files, outside, reach } = yield* rig()
      linkSync(join(outside, "secret"), join(reach, "hard"))
      expect(yield* files.exists("hard")).toBe(true)
      yield* files.write("hard", "mine")
      expect(yield* files.read("hard")).toBe("mine")
      expect((yield* files.stat("hard")).size).toBe(4)
    })
  )

  it.scoped(
    "a file that grows or shrinks while it is read ends where it ended when it was opened, or earlier",
    () =>
      Effect.gen(function* () {
        const { files, put } = yield* rig()
        const path = put("a", "x".repeat(100_000))
        for (let i = 0; i < 50; i++) {
          const [bytes] = yield* Effect.all(
            [
              files.readBytes("a"),
              Effect.sync(() => (i % 2 === 0 ? appendFileSync(path, "y") : truncateSync(path, 90_000)))
            ],
            { concurrency: 2 }
          )
          expect(bytes.length).toBeGreaterThanOrEqual(90_000)
          expect(bytes.includes(0)).toBe(false)
        }
      })
  )

  it.scoped("files of the kernel that say they are empty are read to their end", () =>
    Effect.gen(function* () {
      const { holding } = yield* rig()
      expect(yield* holding(all("/")).read("/proc/meminfo")).toMatch(/^MemTotal:/)
      expect(yield* codeOf(holding(all("/"), { limits: { readBytes: 16 } }).read("/proc/meminfo"))).toBe(
        "LIMIT_EXCEEDED"
      )
    })
  )

  it.scoped("the directory that may be reached may hold any name", () =>
    Effect.gen(function* () {
      const { files, put, reach } = yield* rig()
      for (const name of ["a b", "*", "?", "-rf", "a (deleted)", "\uFFFD", "ünï", "…", "a\\b", "'\""]) {
        put(name, name)
        expect(yield* files.read(`${reach}/${name}`)).toBe(name)
      }
      mkdirSync(Buffer.concat([Buffer.from(`${reach}/`), Buffer.from([0xff])]))
      expect(yield* files.list(reach)).toHaveLength(10 + 1)
    })
  )
})
