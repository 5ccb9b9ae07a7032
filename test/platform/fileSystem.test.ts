/** Threats: a library that gets around the declaration of its tool, or is told that something was done which was not. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FileSystem, KeyValueStore, Path, type Error as PlatformError } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Authority, Files, FilesError, Policy, Registry, Tool, Turn } from "bailiwick"
import { NodeFiles } from "bailiwick/node"
import { absorbed, layerFileSystem, layerFileSystemAt, layerPath } from "bailiwick/platform"
import { TestFiles } from "bailiwick/testing"
import { Effect, Layer, Option, Schema, Stream } from "effect"

const utf8 = (text: string) => new TextEncoder().encode(text)

const memory = (files: Files.MockFiles = {}) =>
  Layer.merge(layerFileSystem, layerPath).pipe(
    Layer.provide(
      TestFiles.layerMemory(
        Schema.decodeSync(Authority.FromJson)({
          files: { read: ["/work/"], write: ["/work/"], delete: ["/work/"] }
        }),
        { "/work/a.txt": "alpha", "/work/d/b.txt": "beta", "/etc/passwd": "root", ...files },
        { workdir: "/work" }
      )
    )
  )

const fs = FileSystem.FileSystem

const reasonOf = <A, R>(effect: Effect.Effect<A, PlatformError.PlatformError, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    expect(error).toMatchObject({ _tag: "SystemError", cause: expect.any(FilesError) })
    return error._tag === "SystemError" ? error.reason : error._tag
  })

describe("FileSystem", () => {
  it.effect("does to files what its names say", () =>
    Effect.gen(function* () {
      const {
        copy,
        copyFile,
        exists,
        makeDirectory,
        readDirectory,
        readFileString,
        remove,
        rename,
        ...rest
      } = yield* fs
      yield* rest.writeFileString("/work/c", "one")
      yield* rest.writeFileString("/work/c", " two", { flag: "a" })
      expect(yield* reasonOf(rest.writeFileString("/work/c", "x", { flag: "wx" }))).toBe("AlreadyExists")
      yield* copyFile("/work/c", "/work/d/c")
      yield* rename("/work/c", "/work/e")
      yield* copy("/work/d", "/work/copied/deep")
      yield* rest.truncate("/work/e", 3)
      expect(yield* readFileString("/work/e")).toBe("one")
      yield* rest.truncate("/work/e", 5)
      expect(yield* readFileString("/work/e")).toBe("one\0\0")
      yield* rest.writeFileString("/work/e", "ON", { flag: "r+" })
      expect(yield* readFileString("/work/e")).toBe("ONe\0\0")
      expect(yield* readDirectory("/work")).toEqual(["a.txt", "copied", "d", "e"])
      expect(yield* readDirectory("/work/copied", { recursive: true })).toEqual([
        "deep",
        "deep/b.txt",
        "deep/c"
      ])
      yield* remove("/work/copied", { recursive: true })
      yield* remove("/work/copied", { force: true })
      expect(yield* reasonOf(remove("/work/copied"))).toBe("NotFound")
      yield* makeDirectory("/work/x/y", { recursive: true })
      expect([yield* exists("/work/x/y"), yield* exists("/work/none"), yield* exists("/work/e/x")]).toEqual([
        true,
        false,
        false
      ])
      expect(yield* rest.stat("/work/a.txt")).toMatchObject({ type: "File", size: 5n })
      yield* rest.access("/work/a.txt", { readable: true, writable: true })
    }).pipe(Effect.provide(memory()))
  )

  it.effect("copies over what is there only where that is asked for", () =>
    Effect.gen(function* () {
      const files = yield* fs
      yield* files.copy("/work/d", "/work/to")
      yield* files.writeFileString("/work/d/b.txt", "new")
      yield* files.copy("/work/d", "/work/to")
      expect(yield* files.readFileString("/work/to/b.txt")).toBe("beta")
      yield* files.copy("/work/d", "/work/to", { overwrite: true })
      expect(yield* files.readFileString("/work/to/b.txt")).toBe("new")
      // Larger than one part: put together beside its place.
      const large = new Uint8Array(20 * 1024 * 1024).map((_, at) => at % 251)
      yield* files.writeFile("/work/large", large)
      yield* files.copyFile("/work/large", "/work/large")
      yield* files.copyFile("/work/large", "/work/copy")
      expect(Buffer.compare(yield* files.readFile("/work/copy"), large)).toBe(0)
      expect(yield* files.readDirectory("/work")).toEqual(["a.txt", "copy", "d", "large", "to"])
    }).pipe(Effect.provide(memory()))
  )

  it.effect("opens files with every flag, one step after the other", () =>
    Effect.gen(function* () {
      const { open, readFileString } = yield* fs
      const stepped = (flag: FileSystem.OpenFlag, path: string) =>
        Effect.gen(function* () {
          const file = yield* open(path, { flag })
          yield* Effect.forEach(["x", "y", "z"], (one) => file.writeAll(utf8(one)), {
            concurrency: "unbounded"
          })
          return yield* readFileString(path)
        }).pipe(Effect.scoped)
      const written = yield* Effect.forEach(["w", "a", "r+", "w+", "a+"] as const, (flag) =>
        stepped(flag, "/work/a.txt")
      )
      expect(written).toEqual(["xyz", "xyzxyz", "xyzxyz", "xyz", "xyzxyz"])
      for (const flag of ["wx", "ax", "wx+", "ax+"] as const) {
        expect(yield* stepped(flag, `/work/${flag}`)).toBe("xyz")
        expect(yield* reasonOf(stepped(flag, "/work/a.txt"))).toBe("AlreadyExists")
      }
      expect(yield* reasonOf(stepped("r", "/work/a.txt"))).toBe("BadResource")
      expect(yield* reasonOf(stepped("r+", "/work/none"))).toBe("NotFound")
      expect(yield* reasonOf(stepped("r", "/work/d"))).toBe("BadResource")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const file = yield* open("/work/d/b.txt", { flag: "r+" })
          const buffer = new Uint8Array(3)
          expect([yield* file.read(buffer), new TextDecoder().decode(buffer)]).toEqual([3n, "bet"])
          expect(yield* file.readAlloc(100)).toEqual(Option.some(utf8("a")))
          expect(yield* file.readAlloc(100)).toEqual(Option.none())
          yield* file.seek(1, "start")
          yield* file.seek(1, "current")
          yield* file.writeAll(utf8("--"))
          yield* file.seek(6, "start")
          yield* file.writeAll(utf8("!"))
          expect(yield* readFileString("/work/d/b.txt")).toBe("be--\0\0!")
          yield* file.truncate(2)
          expect((yield* file.stat).size).toBe(2n)
          expect(yield* reasonOf(file.sync)).toBe("PermissionDenied")
        })
      )
      const kept = yield* Effect.scoped(open("/work/d/b.txt"))
      expect(yield* reasonOf(kept.readAlloc(1))).toBe("BadResource")
    }).pipe(Effect.provide(memory()))
  )

  it.effect("streams in and out, part by part", () =>
    Effect.gen(function* () {
      const { readFile, sink, stream } = yield* fs
      const chunk = utf8("0123456789".repeat(100))
      yield* Stream.run(Stream.take(Stream.repeatValue(chunk), 20), sink("/work/s"))
      expect((yield* readFile("/work/s")).length).toBe(20_000)
      yield* Stream.run(Stream.make(chunk), sink("/work/s", { flag: "a" }))
      const part = yield* Stream.runCollect(stream("/work/s", { offset: 5, bytesToRead: 12, chunkSize: 7 }))
      expect([...part].map((bytes) => new TextDecoder().decode(bytes))).toEqual(["5678901", "23456"])
    }).pipe(Effect.provide(memory()))
  )

  it.effect("refuses in words what cannot be done safely, and gives the refusal back", () =>
    Effect.gen(function* () {
      const files = yield* fs
      const now = new Date(0)
      const refusals = [
        files.chmod("/work/a.txt", 0o777),
        files.chown("/work/a.txt", 0, 0),
        files.link("/work/a.txt", "/work/l"),
        files.symlink("/etc/passwd", "/work/l"),
        files.readLink("/work/a.txt"),
        files.realPath("/work/a.txt"),
        files.utimes("/work/a.txt", now, now),
        Stream.runDrain(files.watch("/work")),
        files.writeFileString("/work/secret", "x", { mode: 0o600 }),
        files.makeDirectory("/work/n", { mode: 0o700 }),
        files.copy("/work/d", "/work/e", { preserveTimestamps: true }),
        files.access("/work", { writable: true }),
        files.readFile("/etc/passwd"),
        files.writeFileString("/etc/new", "x"),
        files.rename("/work/a.txt", "/etc/a"),
        files.copyFile("/etc/passwd", "/work/p"),
        files.makeTempDirectory({ directory: "/etc" })
      ]
      for (const refusal of refusals) {
        expect(yield* reasonOf(refusal)).toBe("PermissionDenied")
        const ours = yield* Effect.flip(absorbed(refusal))
        expect(ours.message).toMatch(/^PATH_NOT_REACHABLE: .*(; | not permitted for )/)
      }
      expect(yield* files.readDirectory("/work")).toEqual(["a.txt", "d"])
    }).pipe(Effect.provide(memory()))
  )

  it.effect("temporary files and directories go with their scope, or with the layer", () =>
    Effect.gen(function* () {
      const files = TestFiles.layerMemory(
        Schema.decodeSync(Authority.FromJson)({
          files: { read: ["/w/"], write: ["/w/"], delete: ["/w/"] }
        }),
        { "/w/kept": "" },
        { workdir: "/w" }
      )
      const within = Effect.gen(function* () {
        const made = yield* fs
        const lasting = yield* made.makeTempFile({ prefix: "p-", suffix: ".json" })
        expect(lasting).toMatch(/^\/w\/p-[0-9a-f]{24}\/file\.json$/)
        const scoped = yield* Effect.scoped(
          Effect.tap(made.makeTempDirectoryScoped(), (path) => made.writeFileString(`${path}/x`, ""))
        )
        expect([yield* made.exists(lasting), yield* made.exists(scoped)]).toEqual([true, false])
      })
      const left = Effect.gen(function* () {
        yield* Effect.provide(within, layerFileSystem)
        return yield* Files.list("/w")
      })
      expect(yield* Effect.provide(left, files)).toEqual(["kept"])
    })
  )

  it.effect("made for one directory, it goes nowhere else", () =>
    Effect.gen(function* () {
      const files = yield* fs
      expect(yield* files.readFileString("d/b.txt")).toBe("beta")
      expect(yield* files.readDirectory(".")).toEqual(["a.txt", "d"])
      for (const path of ["/etc/passwd", "/workx", "~/x", "../etc/passwd"]) {
        expect(yield* reasonOf(files.readFile(path))).toBe("PermissionDenied")
      }
      expect(yield* reasonOf(files.rename("a.txt", "/etc/a"))).toBe("PermissionDenied")
    }).pipe(
      Effect.provide(layerFileSystemAt("/work")),
      Effect.provide(
        TestFiles.layerMemory(Authority.everything, { "/work/a.txt": "alpha", "/work/d/b.txt": "beta" })
      )
    )
  )
})

/** As a stranger writes it, who knows nothing of tools. */
const journal = (directory: string) =>
  Effect.gen(function* () {
    const files = yield* fs
    const path = yield* Path.Path
    const file = path.join(directory, "journal", "today.log")
    yield* files.makeDirectory(path.dirname(file), { recursive: true })
    return {
      note: (line: string) => files.writeFileString(file, `${line}\n`, { flag: "a" }),
      lines: files.stream(file).pipe(Stream.decodeText(), Stream.splitLines, Stream.runCollect),
      rotate: Effect.gen(function* () {
        const draft = yield* files.makeTempFileScoped({ directory })
        yield* files.copyFile(file, draft)
        yield* files.rename(draft, path.join(directory, "journal", "yesterday.log"))
        yield* files.remove(file)
      }).pipe(Effect.scoped)
    }
  })

const Settings = Schema.Struct({ theme: Schema.String })

const keeper = Tool.make({
  name: "keeper",
  description: "Keeps a journal and settings with libraries of others",
  parameters: Schema.Struct({ directory: Schema.String }),
  capabilities: { fs_reach: { read: "from-personality", write: "from-personality" } },
  execute: ({ directory }) =>
    Effect.gen(function* () {
      const log = yield* journal(directory)
      yield* Effect.forEach(["one", "two"], log.note)
      const lines = [...(yield* log.lines)]
      yield* log.rotate
      const theme = yield* Effect.gen(function* () {
        const settings = (yield* KeyValueStore.KeyValueStore).forSchema(Settings)
        yield* Effect.orDie(settings.set("a/b", { theme: "dark" }))
        return Option.map(yield* Effect.orDie(settings.get("a/b")), (found) => found.theme)
      }).pipe(Effect.provide(KeyValueStore.layerFileSystem(`${directory}/settings`)))
      return { lines, theme: Option.getOrElse(theme, () => "none") }
    }).pipe(absorbed, Effect.provide(Layer.merge(layerFileSystem, layerPath)))
})

describe("libraries of others, inside a tool, on the disk", () => {
  const place = Effect.acquireRelease(
    Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-platform-files-")))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

  it.scoped("run where the policy reaches, and are refused with the denial elsewhere", () =>
    Effect.gen(function* () {
      const base = yield* place
      const [reach, outside] = [join(base, "reach"), join(base, "outside")]
      for (const path of [reach, outside]) mkdirSync(path)
      writeFileSync(join(outside, "secret"), "nobody's business")
      symlinkSync(outside, join(reach, "link"))
      const tree = [`${reach}/`]
      const turn = Turn.make({
        session: "s",
        workdir: reach,
        policy: Policy.make({
          authority: Schema.decodeSync(Authority.FromJson)({
            files: { read: tree, write: tree, delete: tree }
          })
        })
      })
      const call = (directory: string) => ({ id: directory, name: "keeper", args: { directory } })
      const results = yield* Registry.make(keeper)
        .execute(turn, [call(reach), call(outside), call(join(reach, "link"))])
        .pipe(Effect.provide(NodeFiles.layer({ ripgrep: false })))
      expect(results[0]?.result).toMatchObject({
        ok: true,
        value: { lines: ["one", "two"], theme: "dark" }
      })
      for (const refused of results.slice(1)) {
        expect(refused.result).toMatchObject({
          ok: false,
          code: "execution_failed",
          error: expect.stringMatching(/^PATH_NOT_REACHABLE: /),
          denial: { capability: expect.stringMatching(/^files\./), remedy: expect.any(String) }
        })
      }
      expect(readFileSync(join(reach, "journal/yesterday.log"), "utf8")).toBe("one\ntwo\n")
      expect(existsSync(join(reach, "journal/today.log"))).toBe(false)
      expect(readdirSync(reach).sort()).toEqual(["journal", "link", "settings"])
      expect(readdirSync(outside)).toEqual(["secret"])
    })
  )
})
