/** Threats: a link, or a directory that is one, leads out of reach; or tells whether something out of reach exists. */
import { chmodSync, existsSync, lstatSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { FilesError } from "../../../src/capabilities/files/FilesOperations.js"
import type { Denial } from "../../../src/policy/lattice/Denial.js"
import { all, codeOf, type Rig, refused, rig, SECRET, snapshot } from "./rig.js"

const link = (target: string, path: string) => symlinkSync(target, path)

/** Every operation, at one path. */
const everything = (
  { files }: Rig,
  path: string
): Readonly<Record<string, Effect.Effect<unknown, FilesError>>> => ({
  read: files.read(path),
  bytes: files.readBytes(path, { offset: 0, length: 1 }),
  stat: files.stat(path),
  exists: files.exists(path),
  list: files.list(path),
  search: files.search(path, { pattern: "." }),
  write: files.write(path, "overwritten"),
  mkdirs: files.mkdir(path, { recursive: true })
})

for (const verification of ["descriptor", "realpath"] as const) {
  describe(`links, verified by ${verification}`, () => {
    it.scoped("I16/I17/I27: no operation goes through a link to outside, at the end or on the way", () =>
      Effect.gen(function* () {
        const place = yield* rig({ verification })
        const { outside, reach } = place
        mkdirSync(join(outside, "d"))
        const before = snapshot(outside)
        link(join(outside, "secret"), join(reach, "file"))
        link(outside, join(reach, "directory"))
        link("../outside/secret", join(reach, "relative"))
        link("directory/secret", join(reach, "twice"))
        for (const path of ["file", "directory", "relative", "twice", "directory/secret", "directory/d"]) {
          for (const operation of Object.values(everything(place, path))) {
            const error = yield* refused(operation)
            expect(error.code).toBe("PATH_NOT_REACHABLE")
            expect(error.detail).toMatch(/resolves outside .* through a symbolic link/)
            expect(JSON.stringify(error)).not.toContain(outside)
            expect(JSON.stringify(error)).not.toContain(SECRET)
            expect(error.denial).toMatchObject({ tool: "tool", reason: "scope_violation" })
          }
        }
        for (const path of ["directory/secret", "directory/d", "directory/none"]) {
          expect(yield* codeOf(place.files.remove(path))).toBe("PATH_NOT_REACHABLE")
          expect(yield* codeOf(place.files.remove(path, { recursive: true }))).toBe("PATH_NOT_REACHABLE")
          expect(yield* codeOf(place.files.mkdir(`${path}/new`))).toBe("PATH_NOT_REACHABLE")
        }
        expect(snapshot(outside)).toEqual(before)
      })
    )

    it.scoped("F46/I21: a link to outside answers the same whether it leads to something or not", () =>
      Effect.gen(function* () {
        const place = yield* rig({ verification })
        const { outside, reach } = place
        const targets = {
          there: join(outside, "secret"),
          none: join(outside, "none"),
          below: join(outside, "secret", "x"),
          deep: join(outside, "no", "such"),
          closed: join(outside, "closed", "x"),
          loop: join(outside, "loop")
        }
        mkdirSync(join(outside, "closed"))
        chmodSync(join(outside, "closed"), 0)
        link("loop", join(outside, "loop"))
        const answers = new Set<string>()
        for (const [name, target] of Object.entries(targets)) {
          link(target, join(reach, name))
          for (const operation of Object.values(everything(place, name))) {
            const { code, detail } = yield* refused(operation)
            answers.add(
              `${code} ${detail.replaceAll(`${reach}/${name}`, "<path>").replace("written", "read")}`
            )
          }
        }
        expect([...answers]).toHaveLength(1)
        expect(existsSync(targets.none)).toBe(false)
      })
    )

    it.scoped("a link that goes out and comes back tells nothing of what it passes", () =>
      Effect.gen(function* () {
        const { files, outside, put, reach } = yield* rig({ verification })
        put("real", "here")
        mkdirSync(join(outside, "there"))
        link(`${outside}/there/../../reach/real`, join(reach, "by-there"))
        link(`${outside}/none/../../reach/real`, join(reach, "by-none"))
        expect(yield* files.read("by-there")).toBe("here")
        expect(yield* files.read("by-none")).toBe("here")
      })
    )

    it.scoped("I18: links that stay in reach work, for files and directories", () =>
      Effect.gen(function* () {
        const { files, put, reach, text } = yield* rig({ verification })
        put("real/a", "x")
        link("real/a", join(reach, "to-file"))
        link(join(reach, "real"), join(reach, "to-directory"))
        link("to-directory/a", join(reach, "chain"))
        for (const path of ["to-file", "to-directory/a", "chain"]) {
          expect(yield* files.read(path)).toBe("x")
          expect(yield* files.stat(path)).toMatchObject({ kind: "file", size: 1 })
          expect((yield* files.search(path, { pattern: "x" })).matches).toEqual([
            { path: `${reach}/${path}`, line: 1, text: "x" }
          ])
        }
        expect(yield* files.list("to-directory")).toEqual(["a"])
        expect((yield* files.search("to-directory", { pattern: "x" })).matches).toEqual([
          { path: `${reach}/to-directory/a`, line: 1, text: "x" }
        ])
        yield* files.write("chain", "y")
        expect(text("real/a")).toBe("y")
        expect(lstatSync(join(reach, "chain")).isSymbolicLink()).toBe(true)
        yield* files.mkdir("to-directory/new/deep", { recursive: true })
        expect(yield* files.list("real/new")).toEqual(["deep"])
        yield* files.mkdir("to-directory/one")
        expect(yield* codeOf(files.mkdir("to-directory"))).toBe("ALREADY_EXISTS")
        yield* files.mkdir("to-directory", { recursive: true })
        yield* files.remove("to-directory/a")
        expect(existsSync(join(reach, "real/a"))).toBe(false)
      })
    )

    it.scoped("a link to what does not exist in reach is where a file is made", () =>
      Effect.gen(function* () {
        const { files, reach, text } = yield* rig({ verification })
        link("new", join(reach, "dangling"))
        expect(yield* codeOf(files.read("dangling"))).toBe("NOT_FOUND")
        expect(yield* files.exists("dangling")).toBe(false)
        yield* files.write("dangling", "x")
        expect(text("new")).toBe("x")
        link("nowhere/new", join(reach, "lost"))
        expect(yield* codeOf(files.write("lost", "x"))).toBe("NOT_FOUND")
      })
    )

    it.scoped("the verb that was asked for is the verb that must reach where a link leads", () =>
      Effect.gen(function* () {
        const { holding, put, reach } = yield* rig({ verification })
        put("readable/a", "x")
        mkdirSync(join(reach, "w"))
        link("../readable/a", join(reach, "w/l"))
        link("../readable", join(reach, "w/d"))
        const files = holding({
          files: { read: [`${reach}/`], write: [`${reach}/w/`], delete: [`${reach}/w/`] }
        })
        expect(yield* files.read("w/l")).toBe("x")
        expect(yield* codeOf(files.write("w/l", "y"))).toBe("PATH_NOT_REACHABLE")
        expect(yield* codeOf(files.remove("w/d/a"))).toBe("PATH_NOT_REACHABLE")
        expect(yield* files.read("readable/a")).toBe("x")
      })
    )

    it.scoped("F08: a loop of links is refused in words", () =>
      Effect.gen(function* () {
        const place = yield* rig({ verification })
        link("b", join(place.reach, "a"))
        link("a", join(place.reach, "b"))
        link("self/x", join(place.reach, "self"))
        for (const path of ["a", "b", "self", "a/x"]) {
          for (const operation of Object.values(everything(place, path))) {
            const error = yield* refused(operation)
            expect(error.code).toBe("PATH_NOT_REACHABLE")
            expect(error.detail).toContain("loop of symbolic links")
            expect(error.denial).toMatchObject({
              reason: "scope_violation",
              code: "PATH_NOT_REACHABLE",
              tool: "tool",
              remedy: "remove one of them"
            })
          }
        }
      })
    )

    it.scoped(
      "F14/I26: a reach that is a link itself reaches nothing until the policy names the real one",
      () =>
        Effect.gen(function* () {
          const { holding, outside, put, reach } = yield* rig({ verification })
          put("real/a", "x")
          link("real", join(reach, "root"))
          link(outside, join(reach, "out"))
          const asked = holding(all(`${reach}/root/`))
          expect((yield* refused(asked.read("root/a"))).detail).toMatch(/have the policy name the real path/)
          const both = holding(all(`${reach}/root/`, `${reach}/real/`))
          expect(yield* both.read("root/a")).toBe("x")
          expect(yield* codeOf(holding(all(`${reach}/out/`)).read("out/secret"))).toBe("PATH_NOT_REACHABLE")
        })
    )

    it.scoped("I19/F17: a link in reach does not open the floor", () =>
      Effect.gen(function* () {
        const { files, holding, put, reach } = yield* rig({ verification })
        put(".ssh/id_rsa", "key")
        put("home/.bashrc", "echo")
        link(".ssh/id_rsa", join(reach, "key"))
        link(".ssh", join(reach, "keys"))
        link("/proc/self/environ", join(reach, "environment"))
        link("home/.bashrc", join(reach, "rc"))
        expect(yield* codeOf(files.read("key"))).toBe("PATH_NOT_REACHABLE")
        expect(yield* codeOf(files.read("keys/id_rsa"))).toBe("PATH_NOT_REACHABLE")
        const everywhere = holding(all("/"), { floor: { homes: [`${reach}/home`], guarded: [] } })
        for (const path of ["environment", "key", "keys/id_rsa"]) {
          expect(yield* codeOf(everywhere.read(path))).toBe("PATH_NOT_REACHABLE")
        }
        expect(yield* everywhere.read("rc")).toBe("echo")
        expect(yield* codeOf(everywhere.write("rc", "evil"))).toBe("PATH_NOT_REACHABLE")
      })
    )

    it.scoped("removes a link and not what it leads to", () =>
      Effect.gen(function* () {
        const { files, outside, put, reach } = yield* rig({ verification })
        put("real/a", "x")
        mkdirSync(join(reach, "tree"))
        link(outside, join(reach, "tree/out"))
        link("../real", join(reach, "tree/in"))
        link(join(outside, "secret"), join(reach, "file"))
        link(join(outside, "none"), join(reach, "dangling"))
        const before = snapshot(outside)
        yield* files.remove("file")
        yield* files.remove("dangling")
        yield* files.remove("tree", { recursive: true })
        expect(yield* files.list(reach)).toEqual(["real"])
        expect(yield* files.list("real")).toEqual(["a"])
        expect(snapshot(outside)).toEqual(before)
      })
    )
  })
}

describe("links", () => {
  it.scoped("the operator hears of the refusal, once, and of where the link led", () =>
    Effect.gen(function* () {
      const { holding, outside, reach } = yield* rig()
      link(join(outside, "secret"), join(reach, "file"))
      const denials: Array<Denial> = []
      const files = holding(all(`${reach}/`), {
        observe: (decision) => {
          if (!decision.allowed) denials.push(decision.denial)
        }
      })
      yield* refused(files.read("file"))
      expect(denials.map(({ asked }) => asked)).toEqual([`read ${outside}/secret`])
    })
  )

  it.scoped("F08: the operator hears of a loop, once", () =>
    Effect.gen(function* () {
      const { holding, reach } = yield* rig()
      link("b", join(reach, "a"))
      link("a", join(reach, "b"))
      const denials: Array<Denial> = []
      const files = holding(all(`${reach}/`), {
        observe: (decision) => {
          if (!decision.allowed) denials.push(decision.denial)
        }
      })
      const error = yield* refused(files.write("a", "x"))
      expect(error.denial).toMatchObject({ capability: "files.write", asked: `write ${reach}/a` })
      expect(denials).toEqual([error.denial])
    })
  )
})
