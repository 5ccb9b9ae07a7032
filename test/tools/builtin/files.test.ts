import { describe, expect, it } from "@effect/vitest"
import { Effect, Encoding, Layer, Schema } from "effect"
import { Attachments } from "../../../src/capabilities/attachments/Attachments.js"
import { Files } from "../../../src/capabilities/files/Files.js"
import { FilesError } from "../../../src/capabilities/files/FilesOperations.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import * as TestAttachments from "../../../src/testing/TestAttachments.js"
import * as TestFiles from "../../../src/testing/TestFiles.js"
import * as Builtin from "../../../src/tools/builtin/index.js"
import * as Tool from "../../../src/tools/Tool.js"
import { ways } from "./ways.js"

describe.each(ways)("built-in tools %s", (_, { deleteFile, listFiles, readFile, searchFiles, writeFile }) => {
  const authority = Schema.decodeSync(Authority.FromJson)

  /** Files, and no attachments. */
  const over = (files: Files.MockFiles) =>
    Layer.merge(
      Files.mock(files),
      Attachments.layer(() => Attachments.memory([]))
    )

  /** Some operations, over nothing: what is made from operations can be served to another process. */
  const doubled = (operations: Partial<Files.Operations>) =>
    Files.layer(() => ({ ...Files.memory({}), ...operations }))

  const TEXT = "one\ntwo\r\nthree\n\nfive"
  const BYTES = Uint8Array.from({ length: 256 }, (_, index) => index)

  describe("read_file", () => {
    const files = over({
      "/t.txt": TEXT,
      "/empty": "",
      "/bom.txt": "\uFEFFa\n",
      "/nul": new Uint8Array([97, 0, 98]),
      "/latin1": new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
      "/all": BYTES,
      "/emoji": "a😀b\n"
    })
    const read = (args: Tool.Args<typeof readFile>) => Tool.run(readFile, args)

    it.effect("gives the exact text, with its line ends and its mark", () =>
      Effect.gen(function* () {
        expect(yield* read({ path: "/t.txt" })).toEqual({
          path: "/t.txt",
          content: TEXT,
          encoding: "utf8",
          totalLines: 5,
          truncated: false
        })
        expect((yield* read({ path: "/bom.txt" })).content).toBe("\uFEFFa\n")
        expect((yield* read({ path: "/emoji" })).content).toBe("a😀b\n")
        expect(yield* read({ path: "/empty" })).toMatchObject({
          content: "",
          totalLines: 0,
          truncated: false
        })
      }).pipe(Effect.provide(files))
    )

    it.effect("gives lines by number, and says whether there are more", () =>
      Effect.gen(function* () {
        const part = (offset?: number, limit?: number) =>
          Effect.map(
            read({
              path: "/t.txt",
              ...(offset === undefined ? {} : { offset }),
              ...(limit === undefined ? {} : { limit })
            }),
            ({ content, totalLines, truncated }) => [content, truncated, totalLines]
          )
        expect(yield* part(1, 1)).toEqual(["one\n", true, 5])
        expect(yield* part(2, 2)).toEqual(["two\r\nthree\n", true, 5])
        expect(yield* part(4, 1)).toEqual(["\n", true, 5])
        expect(yield* part(4, 2)).toEqual(["\nfive", false, 5])
        expect(yield* part(5)).toEqual(["five", false, 5])
        expect(yield* part(0, 1)).toEqual(["one\n", true, 5])
        expect(yield* part(undefined, 5)).toEqual([TEXT, false, 5])
        expect(yield* part(3, 100)).toEqual(["three\n\nfive", false, 5])
        expect(yield* part(6, 1)).toEqual(["", false, 5])
      }).pipe(Effect.provide(files))
    )

    it.effect("joins into the whole, whatever the size of the parts", () =>
      Effect.gen(function* () {
        for (const limit of [1, 2, 3, 4]) {
          let whole = ""
          let offset = 1
          for (let more = true; more; offset += limit) {
            const { content, truncated } = yield* read({ path: "/t.txt", offset, limit })
            whole += content
            more = truncated
          }
          expect(whole).toBe(TEXT)
        }
      }).pipe(Effect.provide(files))
    )

    it.effect("reads lines of a large file no further than it needs", () =>
      Effect.gen(function* () {
        const line = `${"x".repeat(1023)}\n`
        const large = TestFiles.recording({ "/log": line.repeat(5 * 1024) })
        const run = (offset: number, limit: number) =>
          Tool.run(readFile, { path: "/log", offset, limit }).pipe(
            Effect.provide(
              Layer.merge(
                large.layer,
                Attachments.layer(() => Attachments.memory([]))
              )
            )
          )
        const first = yield* run(1, 2)
        expect(first).toEqual({ path: "/log", content: line + line, encoding: "utf8", truncated: true })
        expect(yield* large.calls).toHaveLength(1)
        expect(yield* run(1024, 2)).toMatchObject({ content: line + line, truncated: true })
        // The last line of a part, where only the next part says whether there is more.
        expect(yield* run(1024, 1)).toMatchObject({ content: line, truncated: true })
        expect(yield* run(5 * 1024, 1)).toMatchObject({ content: line, truncated: false })
        expect(yield* run(5 * 1024 - 1, 9)).toMatchObject({ content: line + line, totalLines: 5 * 1024 })
      })
    )

    it.effect("does not hold lines without end in memory", () =>
      Effect.gen(function* () {
        const endless = Layer.merge(
          doubled({ readBytes: ({ length = 0 }) => Effect.succeed(new Uint8Array(length).fill(97)) }),
          Attachments.layer(() => Attachments.memory([]))
        )
        const error = yield* Effect.flip(read({ path: "/x", limit: 1 })).pipe(Effect.provide(endless))
        expect(error.message).toMatch(/^ARGUMENT_INVALID: .*ask for fewer/)
      })
    )

    it.effect("H25: says how many bytes there are, and asks for base64 rather than damage them", () =>
      Effect.gen(function* () {
        for (const path of ["/nul", "/latin1", "/all"]) {
          for (const encoding of [{}, { encoding: "utf8" }] as const) {
            expect(yield* read({ path, ...encoding })).toEqual({
              path,
              content: "",
              encoding: "utf8",
              truncated: true,
              note: expect.stringMatching(/^this is not text but \d+ bytes: ask again with encoding base64$/)
            })
          }
        }
      }).pipe(Effect.provide(files))
    )

    it.effect("gives bytes in base64, whole and in part", () =>
      Effect.gen(function* () {
        const whole = yield* read({ path: "/all", encoding: "base64" })
        expect(whole).toEqual({
          path: "/all",
          content: Encoding.encodeBase64(BYTES),
          encoding: "base64",
          truncated: false
        })
        const part = (offset: number, limit: number) =>
          Effect.map(read({ path: "/all", encoding: "base64", offset, limit }), ({ content, truncated }) => [
            content,
            truncated
          ])
        expect(yield* part(0, 3)).toEqual([Encoding.encodeBase64(BYTES.subarray(0, 3)), true])
        expect(yield* part(250, 6)).toEqual([Encoding.encodeBase64(BYTES.subarray(250)), false])
        expect(yield* part(250, 5)).toEqual([Encoding.encodeBase64(BYTES.subarray(250, 255)), true])
        expect(yield* part(300, 5)).toEqual(["", false])
      }).pipe(Effect.provide(files))
    )

    it.effect("reads an attachment of the turn by its ref, and the file of that name by ./", () =>
      Effect.gen(function* () {
        expect((yield* read({ path: "att-0" })).content).toBe("milk\nbread\n")
        expect(yield* read({ path: "att-0", offset: 2 })).toMatchObject({ content: "bread\n", totalLines: 2 })
        expect((yield* read({ path: "att-0", encoding: "base64", offset: 1, limit: 2 })).content).toBe("aWw=")
        expect((yield* read({ path: "./att-0" })).content).toBe("a file")
        expect((yield* Effect.flip(read({ path: "att-1" }))).message).toMatch(/^NOT_FOUND: /)
      }).pipe(
        Effect.provide(
          TestAttachments.layerMemory(
            authority({ attachments: { read: ["file"] }, files: { read: ["/"] } }),
            [
              { filename: "list.txt", mimeType: "text/plain", content: "milk\nbread\n" },
              { type: "image", content: "hidden" }
            ],
            { "/att-0": "a file" }
          )
        )
      )
    )

    it.effect("says how to read what is too large at once, and keeps the code", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(read({ path: "/x" }))
        expect(error.message).toBe("LIMIT_EXCEEDED: /x is too large; read it in parts, with offset and limit")
      }).pipe(
        Effect.provide(
          Layer.merge(
            doubled({
              readBytes: ({ path }) =>
                new FilesError({ code: "LIMIT_EXCEEDED", detail: `${path} is too large` })
            }),
            Attachments.layer(() => Attachments.memory([]))
          )
        )
      )
    )

    it.effect("is refused what the authority does not hold", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(read({ path: "/etc/x" }))
        expect(error.message).toMatch(/^PATH_NOT_REACHABLE: /)
      }).pipe(
        Effect.provide(
          TestAttachments.layerMemory(authority({ files: { read: ["/work/"] } }), [], { "/etc/x": "secret" })
        )
      )
    )
  })

  describe("write_file", () => {
    const held = authority({ files: { read: ["/work/"], write: ["/work/"], delete: ["/work/"] } })

    it.effect("writes text and bytes exactly, over what was there", () =>
      Effect.gen(function* () {
        expect(yield* Tool.run(writeFile, { path: "/work/a", content: "é\r\n" })).toEqual({
          path: "/work/a",
          bytes: 4
        })
        expect(yield* Files.read("/work/a")).toBe("é\r\n")
        const content = Encoding.encodeBase64(BYTES)
        expect(yield* Tool.run(writeFile, { path: "/work/a", content, encoding: "base64" })).toEqual({
          path: "/work/a",
          bytes: 256
        })
        expect(yield* Files.readBytes("/work/a")).toEqual(BYTES)
      }).pipe(Effect.provide(Files.mock({ "/work/a": "old, and longer" })))
    )

    it.effect("refuses content that is not base64, and writes nothing", () =>
      Effect.gen(function* () {
        for (const content of ["a", "####", "YQ=", "é"]) {
          const error = yield* Effect.flip(
            Tool.run(writeFile, { path: "/work/a", content, encoding: "base64" })
          )
          expect(error.message).toMatch(/^ARGUMENT_INVALID: the content is not base64/)
        }
        expect(yield* Files.read("/work/a")).toBe("kept")
      }).pipe(Effect.provide(Files.mock({ "/work/a": "kept" })))
    )

    it.effect("makes the directories above, within what may be written", () =>
      Effect.gen(function* () {
        yield* Tool.run(writeFile, { path: "/work/new/deep/a", content: "x" })
        yield* Tool.run(writeFile, { path: "also/new", content: "y" })
        expect(yield* Files.read("/work/new/deep/a")).toBe("x")
        expect(yield* Files.read("/work/also/new")).toBe("y")
        const error = yield* Effect.flip(Tool.run(writeFile, { path: "/elsewhere/new/a", content: "x" }))
        expect(error.message).toMatch(/^PATH_NOT_REACHABLE: /)
      }).pipe(Effect.provide(TestFiles.layerMemory(held, { "/work/there": "" }, { workdir: "/work" })))
    )

    it.effect("makes no directory for a path that it may write but whose parents it may not", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Tool.run(writeFile, { path: "/a/b/c", content: "x" }))
        expect(error.message).toMatch(/^PATH_NOT_REACHABLE: /)
      }).pipe(Effect.provide(TestFiles.layerMemory(authority({ files: { write: ["/a/b/c"] } }), {})))
    )

    it.effect("does not make a directory for a bare name", () =>
      Effect.gen(function* () {
        const files = TestFiles.recording({})
        const error = yield* Effect.flip(Tool.run(writeFile, { path: "a", content: "x" })).pipe(
          Effect.provide(
            doubled({ writeBytes: () => new FilesError({ code: "NOT_FOUND", detail: "no directory" }) })
          )
        )
        expect(error.message).toBe("NOT_FOUND: no directory")
        expect(yield* files.calls).toEqual([])
      })
    )
  })

  describe("delete_file", () => {
    it.effect("deletes a file and an empty directory, and nothing that holds something", () =>
      Effect.gen(function* () {
        const remove = (path: string) => Tool.run(deleteFile, { path })
        expect((yield* Effect.flip(remove("/work/d"))).code).toBe("FILES_FAILED")
        expect(yield* remove("/work/d/a")).toEqual({ path: "/work/d/a", deleted: true })
        expect(yield* remove("/work/d")).toEqual({ path: "/work/d", deleted: true })
        expect(yield* Files.exists("/work/d")).toBe(false)
        expect((yield* Effect.flip(remove("/work/d"))).code).toBe("NOT_FOUND")
        expect((yield* Effect.flip(remove("/etc/x"))).code).toBe("PATH_NOT_REACHABLE")
      }).pipe(
        Effect.provide(
          TestFiles.layerMemory(authority({ files: { read: ["/"], delete: ["/work/"] } }), {
            "/work/d/a": "1",
            "/etc/x": "2"
          })
        )
      )
    )
  })

  describe("list_files", () => {
    const tree = {
      "/w/b.txt": "12",
      "/w/a/x": "1",
      "/w/a/c/deep": "",
      "/w/a.txt": ""
    }

    it.effect("lists a directory in order, with kinds and sizes", () =>
      Effect.gen(function* () {
        expect(yield* Tool.run(listFiles, { path: "/w" })).toEqual({
          path: "/w",
          entries: [
            { name: "a", kind: "directory" },
            { name: "a.txt", kind: "file", size: 0 },
            { name: "b.txt", kind: "file", size: 2 }
          ],
          truncated: false
        })
        expect(yield* Tool.run(listFiles, { path: "/w/" })).toMatchObject({ entries: { length: 3 } })
        expect((yield* Effect.flip(Tool.run(listFiles, { path: "/w/b.txt" }))).code).toBe("NOT_A_DIRECTORY")
        expect((yield* Effect.flip(Tool.run(listFiles, { path: "/no" }))).code).toBe("NOT_FOUND")
      }).pipe(Effect.provide(Files.mock(tree)))
    )

    it.effect("lists all below, by path", () =>
      Effect.gen(function* () {
        const { entries, truncated } = yield* Tool.run(listFiles, { path: "/w", recursive: true })
        expect(entries.map(({ name }) => name)).toEqual(["a", "a.txt", "a/c", "a/c/deep", "a/x", "b.txt"])
        expect(truncated).toBe(false)
      }).pipe(Effect.provide(Files.mock(tree)))
    )

    it.effect("lists what it may not look at as other, without size, and does not enter it", () =>
      Effect.gen(function* () {
        const { entries } = yield* Tool.run(listFiles, { path: "/w", recursive: true })
        expect(entries).toEqual([
          { name: "a", kind: "other" },
          { name: "a.txt", kind: "file", size: 0 },
          { name: "b.txt", kind: "file", size: 2 }
        ])
      }).pipe(
        Effect.provide(
          TestFiles.layerMemory(authority({ files: { read: ["/w", "/w/a.txt", "/w/b.txt"] } }), tree)
        )
      )
    )

    it.effect("stops at two thousand entries and says so, and so it does in a circle of links", () =>
      Effect.gen(function* () {
        const many = Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`/m/f${i}`, ""]))
        const found = yield* Tool.run(listFiles, { path: "/m" }).pipe(Effect.provide(Files.mock(many)))
        expect([found.entries.length, found.truncated]).toEqual([2000, true])
        const exact = { ...many }
        delete exact["/m/f0"]
        const whole = yield* Tool.run(listFiles, { path: "/m", recursive: true }).pipe(
          Effect.provide(Files.mock(exact))
        )
        expect([whole.entries.length, whole.truncated]).toEqual([2000, false])
        const circle = doubled({
          list: () => Effect.succeed(["again"]),
          stat: () => Effect.succeed({ kind: "directory", size: 0, modifiedMillis: 0 })
        })
        const round = yield* Tool.run(listFiles, { path: "/m", recursive: true }).pipe(Effect.provide(circle))
        expect([round.entries.length, round.truncated]).toEqual([32, true])
      })
    )
  })

  describe("search_files", () => {
    it.effect("finds lines, in files whose name fits", () =>
      Effect.gen(function* () {
        const search = (args: Omit<Tool.Args<typeof searchFiles>, "path">) =>
          Tool.run(searchFiles, { path: "/w", ...args })
        expect(yield* search({ pattern: "b+" })).toEqual({
          matches: [
            { path: "/w/a.md", line: 2, text: "bb" },
            { path: "/w/a.ts", line: 1, text: "ab" }
          ],
          truncated: false
        })
        expect((yield* search({ pattern: "b+", glob: "*.ts" })).matches).toHaveLength(1)
        expect((yield* Effect.flip(search({ pattern: "(" }))).code).toBe("FILES_FAILED")
      }).pipe(Effect.provide(Files.mock({ "/w/a.ts": "ab\nc", "/w/a.md": "a\nbb" })))
    )

    it.effect("shortens a line that would leave no room, between characters", () =>
      Effect.gen(function* () {
        const { matches } = yield* Tool.run(searchFiles, { path: "/w", pattern: "x" })
        expect(matches[0]?.text).toBe(`${"x".repeat(1999)} …`)
      }).pipe(Effect.provide(Files.mock({ "/w/min.js": `${"x".repeat(1999)}😀${"x".repeat(5000)}` })))
    )
  })
})

it.effect("a tool runs over a double of a part of the service", () =>
  Effect.gen(function* () {
    const files = Files.layerTest({ remove: () => Effect.void })
    const deleted = Tool.run(Builtin.deleteFile, { path: "/work/a" })
    expect(yield* Effect.provide(deleted, files)).toEqual({ path: "/work/a", deleted: true })
  })
)
