import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Files } from "../../src/capabilities/files/Files.js"

const codeOf = <A, R>(effect: Effect.Effect<A, { readonly code: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ code }) => code)

describe("Files.mock", () => {
  it.effect("reads text and bytes, lists and stats", () =>
    Effect.gen(function* () {
      expect(yield* Files.read("/data/a.txt")).toBe("hé")
      expect(yield* Files.readBytes("/data/sub/b.bin")).toEqual(new Uint8Array([1, 2]))
      expect(yield* Files.read("~/notes.md")).toBe("home")
      expect(yield* Files.list("/data")).toEqual(["a.txt", "sub"])
      expect(yield* Files.list("~")).toEqual(["notes.md"])
      expect(yield* Files.stat("/data/a.txt")).toMatchObject({ kind: "file", size: 3 })
      expect(yield* Files.stat("/data")).toMatchObject({ kind: "directory" })
      expect(yield* Files.exists("/data/sub")).toBe(true)
      expect(yield* Files.exists("/data/none")).toBe(false)
    }).pipe(
      Effect.provide(
        Files.mock({ "/data/a.txt": "hé", "/data/sub/b.bin": new Uint8Array([1, 2]), "~/notes.md": "home" })
      )
    )
  )

  it.effect("writes, makes and removes", () =>
    Effect.gen(function* () {
      yield* Files.mkdir("/a/b/c", { recursive: true })
      yield* Files.mkdir("/a/b/c", { recursive: true })
      yield* Files.write("/a/b/c/x", "1")
      yield* Files.write("/a/b/c/x", new Uint8Array([50]))
      expect(yield* Files.read("/a/b/c/x")).toBe("2")
      expect(yield* codeOf(Files.remove("/a"))).toBe("FILES_FAILED")
      yield* Files.remove("/a", { recursive: true })
      expect(yield* Files.list("/")).toEqual([])
    }).pipe(Effect.provide(Files.mock()))
  )

  it.effect("fails as a file system does", () =>
    Effect.gen(function* () {
      expect(yield* codeOf(Files.read("/none"))).toBe("NOT_FOUND")
      expect(yield* codeOf(Files.read("/d"))).toBe("NOT_A_FILE")
      expect(yield* codeOf(Files.write("/d", ""))).toBe("NOT_A_FILE")
      expect(yield* codeOf(Files.write("/none/x", ""))).toBe("NOT_FOUND")
      expect(yield* codeOf(Files.write("/d/f/x", ""))).toBe("NOT_A_DIRECTORY")
      expect(yield* codeOf(Files.list("/d/f"))).toBe("NOT_A_DIRECTORY")
      expect(yield* codeOf(Files.mkdir("/d"))).toBe("ALREADY_EXISTS")
      expect(yield* codeOf(Files.mkdir("/e/f"))).toBe("NOT_FOUND")
      expect(yield* codeOf(Files.remove("/none"))).toBe("NOT_FOUND")
    }).pipe(Effect.provide(Files.mock({ "/d/f": "" })))
  )

  it.effect("is a fresh tree for every run", () =>
    Effect.gen(function* () {
      const mock = Files.mock({ "/a": "1" })
      yield* Files.write("/a", "2").pipe(Effect.provide(mock))
      expect(yield* Files.read("/a").pipe(Effect.provide(mock))).toBe("1")
    })
  )
})
