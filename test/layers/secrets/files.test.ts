/**
 * The threat: a ref, or a link, that leads out of the place where secrets lie; a file that is swapped while it is
 * read; a message that repeats what it should keep.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { fileIn } from "../../../src/layers/node/secrets/directory.js"
import * as NodeSecrets from "../../../src/layers/node/secrets/NodeSecrets.js"
import { asking, listening, scratch } from "./asking.js"

describe("NodeSecrets.layerDotEnv", () => {
  const ask = asking(["A", "B", "providers/exa/key"])

  it.scoped("gives the values of the file, and those of now", () =>
    Effect.gen(function* () {
      const file = join(yield* scratch, ".env")
      writeFileSync(file, "A=one\nPROVIDERS_EXA_KEY='exa'\n", { mode: 0o600 })
      const context = yield* Layer.build(NodeSecrets.layerDotEnv({ file }))
      const now = (ref: string) => Effect.provide(ask(ref), context)
      expect(yield* now("A")).toBe("one")
      expect(yield* now("providers/exa/key")).toBe("exa")
      expect(yield* now("B")).toBe(`SECRET_NOT_FOUND: there is no secret B; add B to ${file}`)

      writeFileSync(file, "A=two\nB=new\n")
      utimesSync(file, 1, 1)
      expect(yield* now("A")).toBe("two")
      expect(yield* now("B")).toBe("new")

      writeFileSync(file, "A=three\nnonsense of hunter2\n")
      expect(yield* now("A")).toBe(
        "SECRETS_FAILED: the file of variables cannot be read: line 2: expected NAME=value, a comment or nothing"
      )
      rmSync(file)
      expect(yield* now("A")).toBe(
        "SECRETS_FAILED: the file of variables is not there; create it, or take it out of the configuration"
      )
      writeFileSync(file, "A=four\n", { mode: 0o600 })
      expect(yield* now("A")).toBe("four")
    })
  )

  it.scoped("reads only a regular file of sensible size", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const pipe = join(directory, "pipe")
      execFileSync("mkfifo", [pipe])
      writeFileSync(join(directory, "large"), `A="${"x".repeat(1_100_000)}"`)
      writeFileSync(join(directory, "binary"), Buffer.from([0x41, 0x3d, 0xff, 0xfe]))
      const of = (name: string) =>
        Effect.provide(ask("A"), NodeSecrets.layerDotEnv({ file: join(directory, name) }))
      expect(yield* of("pipe")).toBe("SECRETS_FAILED: the file of variables is not a regular file")
      expect(yield* of(".")).toBe("SECRETS_FAILED: the file of variables is not a regular file")
      expect(yield* of("large")).toBe("SECRETS_FAILED: the file of variables is longer than 1048576 bytes")
      expect(yield* of("binary")).toBe("SECRETS_FAILED: the file of variables is not text in UTF-8")
    }).pipe(Effect.provide(listening().layer))
  )

  it.scoped("warns once if others may read it", () => {
    const { heard, layer } = listening()
    return Effect.gen(function* () {
      const file = join(yield* scratch, ".env")
      writeFileSync(file, "A=one\n")
      chmodSync(file, 0o600)
      yield* Layer.build(NodeSecrets.layerDotEnv({ file }))
      expect(heard).toEqual([])
      chmodSync(file, 0o640)
      const context = yield* Layer.build(NodeSecrets.layerDotEnv({ file }))
      yield* Effect.provide(ask("A"), context)
      writeFileSync(file, "A=two\n")
      yield* Effect.provide(ask("A"), context)
      expect(heard).toEqual([
        "NodeSecrets.layerDotEnv: others than its owner may read the file of variables; run chmod 600 on it"
      ])
    }).pipe(Effect.provide(layer))
  })
})

describe("NodeSecrets.layerDirectory", () => {
  const ask = asking([
    "db",
    "group/*",
    "link",
    "dirlink/inner",
    "inside",
    "..data/db",
    "large",
    "folder",
    "binary",
    "two"
  ])

  const withDirectory = Effect.gen(function* () {
    const base = yield* scratch
    const directory = join(base, "secrets")
    mkdirSync(join(directory, "group", "deep"), { recursive: true })
    writeFileSync(join(base, "outside"), "hunter2")
    mkdirSync(join(base, "elsewhere"))
    writeFileSync(join(base, "elsewhere", "inner"), "hunter2")
    return {
      base,
      directory,
      now: (ref: string) => Effect.provide(ask(ref), NodeSecrets.layerDirectory({ directory }))
    }
  })

  it.scoped("gives the content of files, without the newline at the end", () =>
    Effect.gen(function* () {
      const { directory, now } = yield* withDirectory
      writeFileSync(join(directory, "db"), "value\n")
      writeFileSync(join(directory, "two"), "a\n\n")
      writeFileSync(join(directory, "group", "deep", "key"), "line\r\nline\r\n")
      expect(yield* now("db")).toBe("value")
      expect(yield* now("two")).toBe("a\n")
      expect(yield* now("group/deep/key")).toBe("line\r\nline")
      expect(yield* now("inside")).toBe(
        `SECRET_NOT_FOUND: there is no secret inside; add the file inside to ${directory}`
      )
      expect(yield* now("group/none/at/all")).toBe(
        `SECRET_NOT_FOUND: there is no secret of that name in group/*; add its file to ${directory}`
      )
      writeFileSync(join(directory, "db"), "\n")
      expect(yield* now("db")).toContain("SECRET_NOT_FOUND")
    })
  )

  it.scoped("S25: follows no link out of the directory", () =>
    Effect.gen(function* () {
      const { base, directory, now } = yield* withDirectory
      symlinkSync(join(base, "outside"), join(directory, "link"))
      symlinkSync(join(base, "elsewhere"), join(directory, "dirlink"))
      symlinkSync("../../outside", join(directory, "group", "relative"))
      const refusal =
        "SECRETS_FAILED: the secret is a link out of the directory of secrets; put the file itself there"
      expect(yield* now("link")).toBe(refusal)
      expect(yield* now("dirlink/inner")).toBe(refusal)
      expect(yield* now("group/relative")).toBe(refusal)
      mkdirSync(`${directory}-sibling`)
      writeFileSync(join(`${directory}-sibling`, "db"), "hunter2")
      symlinkSync(join(`${directory}-sibling`, "db"), join(directory, "inside"))
      expect(yield* now("inside")).toBe(refusal)
    })
  )

  it.scoped("S25: knows no other name for a secret", () =>
    Effect.gen(function* () {
      const { directory, now } = yield* withDirectory
      mkdirSync(join(directory, "..data"))
      writeFileSync(join(directory, "..data", "db"), "value")
      expect(yield* now("..data/db")).toBe(
        "SECRET_REF_INVALID: a secret in a directory has no segment that begins with a dot"
      )
      for (const ref of [
        "group/./deep/key",
        "group/../db",
        "group//key",
        "group/deep\\key",
        "group/%2e%2e/db"
      ]) {
        expect(yield* now(ref)).toContain("SECRET_REF_INVALID")
      }
    })
  )

  it.scoped("follows the links that a container swaps its secrets with", () =>
    Effect.gen(function* () {
      const { directory, now } = yield* withDirectory
      const version = (name: string, value: string) => {
        mkdirSync(join(directory, name))
        writeFileSync(join(directory, name, "db"), value)
      }
      version("..2024_01", "old")
      symlinkSync("..2024_01", join(directory, "..data"))
      symlinkSync("..data/db", join(directory, "db"))
      expect(yield* now("db")).toBe("old")
      version("..2024_02", "new")
      symlinkSync("..2024_02", join(directory, "..data_tmp"))
      renameSync(join(directory, "..data_tmp"), join(directory, "..data"))
      rmSync(join(directory, "..2024_01"), { recursive: true })
      expect(yield* now("db")).toBe("new")
    })
  )

  it.scoped("reads only regular files of sensible size", () =>
    Effect.gen(function* () {
      const { directory, now } = yield* withDirectory
      execFileSync("mkfifo", [join(directory, "db")])
      mkdirSync(join(directory, "folder"))
      writeFileSync(join(directory, "large"), "x".repeat(65_537))
      writeFileSync(join(directory, "binary"), Buffer.from([0xff, 0xfe]))
      expect(yield* now("db")).toBe("SECRETS_FAILED: the secret is not a regular file")
      expect(yield* now("folder")).toBe("SECRETS_FAILED: the secret is not a regular file")
      expect(yield* now("large")).toBe("SECRETS_FAILED: the secret is longer than 65536 bytes")
      expect(yield* now("binary")).toBe("SECRETS_FAILED: the secret is not text in UTF-8")
    })
  )

  it.scoped("says so when the directory is not there", () =>
    Effect.gen(function* () {
      const { directory, now } = yield* withDirectory
      rmSync(directory, { recursive: true })
      expect(yield* now("db")).toBe(
        "SECRETS_FAILED: the secret lies in a directory that is not there or may not be read; look at the configuration"
      )
    })
  )

  it.scoped("S25: leaks nothing while a folder is swapped for a link", () =>
    Effect.gen(function* () {
      const { base, directory } = yield* withDirectory
      mkdirSync(join(directory, "real"))
      writeFileSync(join(directory, "real", "inner"), "value")
      symlinkSync(join(base, "elsewhere"), join(directory, "away"))
      symlinkSync("real", join(directory, "swap"))
      const seen = new Set<string | undefined>()
      const swap = (target: string) => {
        const next = join(directory, "next")
        symlinkSync(target, next)
        renameSync(next, join(directory, "swap"))
      }
      for (let round = 0; round < 200; round++) {
        const reads = Effect.replicateEffect(Effect.option(fileIn(directory, ["swap", "inner"])), 4, {
          concurrency: "unbounded"
        })
        const swaps = Effect.async<void>((resume) => {
          let left = 6
          const turn = () => {
            swap(left % 2 === 0 ? join(base, "elsewhere") : "real")
            left -= 1
            if (left === 0) resume(Effect.void)
            else setImmediate(turn)
          }
          setImmediate(turn)
        })
        const [found] = yield* Effect.all([reads, swaps], { concurrency: "unbounded" })
        for (const one of found) if (one._tag === "Some") seen.add(one.value)
      }
      expect([...seen]).toEqual(["value"])
    })
  )
})
