/**
 * Threats: a move that brings a file or a part of a directory onto the floor, out of what a layer keeps, or to where it can
 * be read; an append that changes a file elsewhere; a temporary directory that stays, or that others look into.
 */
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Authority, Files, Policy, Registry, Tool, Turn } from "bailiwick"
import { NodeFiles } from "bailiwick/node"
import { Deferred, Effect, Fiber, Schema } from "effect"
import * as Kept from "../../../src/layers/node/disk/Kept.js"
import { standard } from "../../../src/policy/gate/floor/Floor.js"
import { all, codeOf, refused, rig, SECRET, snapshot } from "./rig.js"

describe("moving, against the floor", () => {
  const attacks: ReadonlyArray<readonly [from: string, to: string, why: string]> = [
    ["script", ".git/hooks/pre-commit", "a hook"],
    ["script", ".github/workflows/ci.yml", "a pipeline"],
    ["script", "deep/.VSCODE/tasks.json", "a task of the editor, in another case"],
    ["script", "id_ed25519", "a key"],
    ["script", "bailiwick.yaml", "policy"],
    [".git/config", "plain", "what git runs"],
    ["holds", "elsewhere", "a directory with a repository in it"],
    ["tasks", "new/.vscode", "a directory that becomes one of the editor"],
    ["nested", "moved", "a directory with a task of the editor in it"],
    ["flows", ".github", "a directory that becomes one of pipelines"],
    ["plain-directory", "guarded", "a directory that takes the place of one with policy in it"],
    ["above", "plain", "a directory above what is guarded"],
    ["script", "guarded/policy.yaml", "what is guarded"]
  ]

  it.scoped("nothing is brought there or taken from there, by a file or with a directory", () =>
    Effect.gen(function* () {
      const place = yield* rig()
      for (const path of ["deep/.vscode", ".git/hooks", ".github", "new", "plain-directory"]) {
        mkdirSync(join(place.reach, path), { recursive: true })
      }
      mkdirSync(join(place.reach, "deep/.VSCODE"), { recursive: true })
      for (const path of ["script", ".git/config", "holds/.git/config", "tasks/tasks.json"])
        place.put(path, "x")
      for (const path of ["nested/.vscode/tasks.json", "flows/workflows/ci.yml", "above/inner/policy"]) {
        place.put(path, "x")
      }
      const guarded = ["guarded/policy.yaml", "above/inner"].map((path) => join(place.reach, path))
      const files = place.holding(all(`${place.reach}/`), { floor: { ...standard, guarded } })
      const before = snapshot(place.reach)
      for (const [from, to, why] of attacks) {
        const error = yield* refused(files.rename(from, to))
        expect([why, error.code]).toEqual([why, "PATH_NOT_REACHABLE"])
        expect(error.denial?.remedy, why).toBeTruthy()
      }
      expect(snapshot(place.reach)).toEqual(before)
    })
  )

  it.scoped("what a layer keeps is neither moved, nor taken along, nor replaced", () =>
    Effect.gen(function* () {
      const place = yield* rig()
      place.put("state/store/data", SECRET)
      mkdirSync(join(place.reach, "other"))
      Kept.close(join(place.reach, "state/store"))
      Kept.close(join(place.reach, "future/store"))
      const codes = yield* Effect.forEach(
        [
          ["state/store", "x"],
          ["state/store/data", "x"],
          ["state", "x"],
          ["other", "future"],
          ["other", "state/store/x"]
        ] as const,
        ([from, to]) => codeOf(place.files.rename(from, to))
      )
      expect(new Set(codes)).toEqual(new Set(["PATH_NOT_REACHABLE"]))
      expect(readdirSync(place.reach).sort()).toEqual(["other", "state"])
    })
  )

  it.scoped("a directory needs its whole tree, and says with which grant", () =>
    Effect.gen(function* () {
      const place = yield* rig()
      place.put("d/f.txt", "x")
      const { reach } = place
      const narrow = place.holding(all(`${reach}/d`, `${reach}/d/*.txt`, `${reach}/e`, `${reach}/e/*.txt`))
      const error = yield* refused(narrow.rename("d", "e"))
      expect(error.message).toBe(`PATH_NOT_REACHABLE: delete not permitted for all that is below ${reach}/d`)
      expect(error.denial?.remedies?.grant).toBe(`fs.delete{in=${reach}/d}`)
      yield* narrow.rename("d/f.txt", "d/g.txt")
      expect(readdirSync(join(reach, "d"))).toEqual(["g.txt"])
    })
  )
})

describe("moving", () => {
  it.scoped("keeps the mode and the file, and needs the right to write what it replaces", () =>
    Effect.gen(function* () {
      const { files, put, reach, text } = yield* rig()
      const [from, to] = [put("a", "new"), put("b", "old")]
      chmodSync(from, 0o640)
      const { ino } = statSync(from)
      chmodSync(to, 0o444)
      expect(yield* codeOf(files.rename("a", "b"))).toBe("FILES_FAILED")
      chmodSync(to, 0o644)
      yield* files.rename("a", "b")
      expect([text("b"), statSync(to).mode & 0o777, statSync(to).ino]).toEqual(["new", 0o640, ino])
      expect(readdirSync(reach)).toEqual(["b"])
    })
  )

  it.scoped("two names of one file become one", () =>
    Effect.gen(function* () {
      const { files, put, reach } = yield* rig()
      linkSync(put("a", "x"), join(reach, "b"))
      yield* files.rename("a", "b")
      expect(readdirSync(reach)).toEqual(["b"])
    })
  )

  it.scoped("counts for the quota", () =>
    Effect.gen(function* () {
      const { holding, put, reach } = yield* rig()
      for (const name of ["a", "b"]) put(name)
      const files = holding(all(`${reach}/`), { quota: { turn: { files: 1, bytes: 5 } } })
      yield* files.rename("a", "c")
      expect(yield* codeOf(files.rename("b", "d"))).toBe("QUOTA_EXCEEDED")
      const other = holding(all(`${reach}/`), { quota: { turn: { bytes: 5 } } })
      yield* other.append("b", "123")
      expect(yield* codeOf(other.append("b", "456"))).toBe("QUOTA_EXCEEDED")
      expect(yield* codeOf(other.create("e", "456"))).toBe("QUOTA_EXCEEDED")
      expect(readFileSync(join(reach, "b"), "utf8")).toBe("123")
    })
  )
})

describe("appending and creating", () => {
  it.scoped("a file with a second name elsewhere is not changed there", () =>
    Effect.gen(function* () {
      const { files, outside, reach, text } = yield* rig()
      linkSync(join(outside, "secret"), join(reach, "second"))
      const error = yield* refused(files.append("second", "x"))
      expect([error.code, error.message]).toEqual(["FILES_FAILED", expect.stringContaining("several names")])
      expect(readFileSync(join(outside, "secret"), "utf8")).toBe(SECRET)
      yield* files.write("second", "own")
      yield* files.append("second", "!")
      expect(text("second")).toBe("own!")
    })
  )

  it.scoped("modes hold: what nobody may write is not appended to, and nothing runs as its owner", () =>
    Effect.gen(function* () {
      const { files, put } = yield* rig()
      chmodSync(put("shut", "x"), 0o444)
      expect(yield* codeOf(files.append("shut", "y"))).toBe("FILES_FAILED")
      const raised = put("raised", "x")
      chmodSync(raised, 0o4755)
      yield* files.append("raised", "y")
      expect(statSync(raised).mode & 0o7777).toBe(0o755)
      yield* files.append("new", "x")
      yield* files.create("created", "x")
      const fresh = 0o666 & ~process.umask()
      for (const name of ["new", "created"]) expect(statSync(put(name)).mode & 0o777).toBe(fresh)
    })
  )

  it.scoped("an interrupted create leaves a whole file or none", () =>
    Effect.gen(function* () {
      const { files, reach } = yield* rig()
      const content = new Uint8Array(4 * 1024 * 1024)
      for (let round = 0; round < 8; round++) {
        const fiber = yield* Effect.fork(files.create(`f${round}`, content))
        for (let at = 0; at < round; at++) yield* files.list("")
        yield* Fiber.interrupt(fiber)
      }
      for (const name of readdirSync(reach)) {
        expect(name).toMatch(/^f\d$/)
        expect(statSync(join(reach, name)).size).toBe(content.length)
      }
    })
  )

  it.scoped("the kinds of a listing cover what is no file", () =>
    Effect.gen(function* () {
      const { files, outside, put, reach } = yield* rig()
      put("f")
      mkdirSync(join(reach, "d"))
      symlinkSync("f", join(reach, "in"))
      symlinkSync(outside, join(reach, "out"))
      mkdirSync(join(reach, ".bailiwick"))
      expect(yield* files.entries("")).toEqual([
        { name: ".bailiwick", kind: "unreachable" },
        { name: "d", kind: "directory" },
        { name: "f", kind: "file" },
        { name: "in", kind: "link" },
        { name: "out", kind: "unreachable" }
      ])
    })
  )
})

const scratch = Tool.make({
  name: "scratch",
  description: "Works in a directory for a while",
  parameters: Schema.Struct({ waits: Schema.Boolean }),
  capabilities: { fs_reach: { read: "from-personality", write: "from-personality" } },
  execute: ({ waits }) =>
    Effect.gen(function* () {
      const directory = yield* Files.temporary({ prefix: "scratch-" })
      yield* Files.mkdir(`${directory}/deep`)
      yield* Files.write(`${directory}/deep/f`, "x")
      if (waits) yield* Effect.never
      return directory
    }).pipe(Effect.scoped)
})

describe("a temporary directory", () => {
  it.scoped("is for its user alone, has a name of its own, and is gone with its scope", () =>
    Effect.gen(function* () {
      const { files, reach } = yield* rig()
      const made = yield* Effect.scoped(
        Effect.gen(function* () {
          const [a, b] = [yield* files.temporary(), yield* files.temporary({ within: reach, prefix: "x." })]
          expect(lstatSync(a).mode & 0o777).toBe(0o700)
          expect([a, b].map((path) => path.replace(/[0-9a-f]{24}$/, "HEX"))).toEqual([
            `${reach}/tmp-HEX`,
            `${reach}/x.HEX`
          ])
          yield* files.write(`${a}/f`, "x")
          writeFileSync(join(b, "from outside"), "x")
          return [a, b]
        })
      )
      expect(made.filter((path) => existsSync(path))).toEqual([])
      expect(readdirSync(reach)).toEqual([])
    })
  )

  it.scoped("is gone when the call has ended, by its result and by interruption", () =>
    Effect.gen(function* () {
      const { reach } = yield* rig()
      const turn = Turn.make({
        session: "s",
        workdir: reach,
        policy: Policy.make({ authority: Schema.decodeSync(Authority.FromJson)(all(`${reach}/`)) })
      })
      const registry = Registry.make(scratch)
      const run = (waits: boolean) => registry.execute(turn, [{ id: "1", name: "scratch", args: { waits } }])
      yield* Effect.gen(function* () {
        const [done] = yield* run(false)
        expect(done?.result).toMatchObject({ ok: true, value: expect.stringContaining("scratch-") })
        expect(readdirSync(reach)).toEqual([])
        const begun = yield* Deferred.make<void>()
        const fiber = yield* Effect.fork(Effect.zipRight(Deferred.succeed(begun, undefined), run(true)))
        yield* Deferred.await(begun)
        while (readdirSync(reach).length === 0) yield* Effect.promise(() => new Promise(setImmediate))
        yield* Fiber.interrupt(fiber)
        expect(readdirSync(reach)).toEqual([])
      }).pipe(Effect.provide(NodeFiles.layer({ ripgrep: false })))
    })
  )

  it.scoped("is made where it may be removed again, and nowhere else", () =>
    Effect.gen(function* () {
      const place = yield* rig()
      const { outside, reach } = place
      const made = (encoded: Authority.Encoded, options?: Files.TemporaryOptions) =>
        Effect.scoped(place.holding(encoded).temporary(options))
      expect(yield* codeOf(made({ files: { write: [`${reach}/`] } }))).toBe("PATH_NOT_REACHABLE")
      expect(yield* codeOf(made({ files: { write: [`${reach}/*.txt`], delete: [`${reach}/`] } }))).toBe(
        "PATH_NOT_REACHABLE"
      )
      expect(yield* codeOf(made(all(`${reach}/`), { within: outside }))).toBe("PATH_NOT_REACHABLE")
      expect(yield* codeOf(made(all(`${reach}/`), { within: "none" }))).toBe("NOT_FOUND")
      for (const prefix of ["../", "a/b", "\0", "x".repeat(65)]) {
        expect(yield* codeOf(made(all(`${reach}/`), { prefix }))).toBe("PATH_INVALID")
      }
      // The working directory is out of reach: the first directory that may be written is taken.
      mkdirSync(join(reach, "only"))
      const only = yield* made(all(`${reach}/none/`, `${reach}/only/`))
      expect(only.startsWith(`${reach}/only/tmp-`)).toBe(true)
      expect(readdirSync(reach)).toEqual(["only"])
      expect(readdirSync(outside)).toEqual(["secret"])
    })
  )
})
