import { describe, expect, it } from "@effect/vitest"
import { Effect, Encoding, Schema, TestClock } from "effect"
import { Agents } from "../../../src/capabilities/agents/Agents.js"
import { Attachments } from "../../../src/capabilities/attachments/Attachments.js"
import { Files } from "../../../src/capabilities/files/Files.js"
import { Process } from "../../../src/capabilities/process/Process.js"
import { ProcessError } from "../../../src/capabilities/process/ProcessOperations.js"
import { Records } from "../../../src/capabilities/records/Records.js"
import { Storage } from "../../../src/capabilities/storage/Storage.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import * as TestAgents from "../../../src/testing/TestAgents.js"
import * as TestAttachments from "../../../src/testing/TestAttachments.js"
import * as TestProcess from "../../../src/testing/TestProcess.js"
import * as Tool from "../../../src/tools/Tool.js"
import { ways } from "./ways.js"

describe.each(ways)(
  "built-in tools %s",
  (_, {
    createRecord,
    deleteRecord,
    getRecord,
    grantCapability,
    kvDelete,
    kvGet,
    kvList,
    kvSet,
    listAttachments,
    listRecords,
    readAttachment,
    runCommand,
    runShell,
    searchRecords,
    updateRecord
  }) => {
    const authority = Schema.decodeSync(Authority.FromJson)

    describe("run_command", () => {
      it.effect("runs a command with its words as they are", () =>
        Effect.gen(function* () {
          const recording = TestProcess.recording(() => ({ exitCode: 3, stdout: "out", stderr: "err" }))
          const layers = [recording.layer, Files.mock()] as const
          expect(
            yield* Tool.run(runCommand, {
              command: "git",
              args: ["log", "a b; $(c)"],
              cwd: "/w",
              env: { A: "1" },
              stdin: "in",
              timeoutMs: 5
            }).pipe(Effect.provide(layers))
          ).toEqual({ exitCode: 3, signal: null, stdout: "out", stderr: "err", truncated: false })
          yield* Tool.run(runCommand, { command: "true" }).pipe(Effect.provide(layers))
          expect(yield* recording.calls).toEqual([
            {
              operation: "spawn",
              payload: {
                binary: "git",
                args: ["log", "a b; $(c)"],
                cwd: "/w",
                env: { A: "1" },
                timeoutMillis: 5,
                stdin: new TextEncoder().encode("in")
              }
            },
            { operation: "spawn", payload: { binary: "true", args: [] } }
          ])
        })
      )

      it.effect("says how to write a command that came as a line, and starts nothing", () =>
        Effect.gen(function* () {
          const recording = TestProcess.recording(() => "")
          for (const command of ["git log", "ls\t-l", " ls", "a\nb"]) {
            const error = yield* Effect.flip(Tool.run(runCommand, { command })).pipe(
              Effect.provide([recording.layer, Files.mock()])
            )
            expect(error.message).toMatch(/^ARGUMENT_INVALID: .*args.*run_shell/)
          }
          expect(yield* recording.calls).toEqual([])
        })
      )

      it.effect("is refused what the policy does not allow", () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Tool.run(runCommand, { command: "rm", args: ["-r", "/"] }))
          expect(error.message).toMatch(/^BINARY_NOT_ALLOWED: /)
          expect(yield* Tool.run(runCommand, { command: "git" })).toMatchObject({ stdout: "ran" })
        }).pipe(
          Effect.provide([
            TestProcess.layerMemory(
              authority({ process: { exec: [{ argv: "git", in: "/" }] } }),
              () => "ran"
            ),
            Files.mock()
          ])
        )
      )
    })

    describe("output that is not UTF-8", () => {
      const latin = Uint8Array.of(0x63, 0x61, 0x66, 0xe9)
      const garbled = {
        stdout: "caf\uFFFD",
        stdoutBytes: latin,
        stderr: "fine \uFFFD",
        exitCode: 0
      }
      const layers = [Process.mock(() => garbled), Files.mock()] as const
      const note = "stdout is not UTF-8: U+FFFD stands for what could not be read; stdoutBase64 has the bytes"

      it.effect("is said in the result, with the bytes beside it", () =>
        Effect.gen(function* () {
          for (const running of [
            Tool.run(runCommand, { command: "cat" }),
            Tool.run(runShell, { script: "cat" })
          ]) {
            const result = yield* running
            expect(result).toMatchObject({ stdout: "caf\uFFFD", stdoutBase64: "Y2Fm6Q==", note })
            expect(result).not.toHaveProperty("stderrBase64")
            expect(result).not.toHaveProperty("stdoutBytes")
          }
        }).pipe(Effect.provide(layers))
      )

      it.effect("comes with as many bytes as are of use, and says how to get the rest", () =>
        Effect.gen(function* () {
          const { note, stderrBase64, stdoutBase64 } = yield* Tool.run(runCommand, { command: "cat" })
          expect(stdoutBase64).toBe(Buffer.alloc(32_768, 0xff).toString("base64"))
          expect(stderrBase64).toBe("/w==")
          expect(note).toBe(
            "stdout and stderr are not UTF-8: U+FFFD stands for what could not be read; stdoutBase64 and stderrBase64 " +
              "have the first 32768 bytes; have the command write a file, and read that in parts, for the rest"
          )
        }).pipe(
          Effect.provide([
            Process.mock(() => ({
              stdoutBytes: new Uint8Array(40_000).fill(0xff),
              stderrBytes: Uint8Array.of(0xff)
            })),
            Files.mock()
          ])
        )
      )

      it.effect("is not said of output that is UTF-8, be it U+FFFD itself", () =>
        Effect.gen(function* () {
          const result = yield* Tool.run(runCommand, { command: "cat" })
          expect(result).not.toHaveProperty("note")
          expect(result.stdout).toBe("\uFFFD")
        }).pipe(Effect.provide([Process.mock(() => "\uFFFD"), Files.mock()]))
      )
    })

    describe("run_shell", () => {
      it.effect("runs a script", () =>
        Effect.gen(function* () {
          expect(yield* Tool.run(runShell, { script: "a | b", cwd: "/w", timeoutMs: 7 })).toMatchObject({
            exitCode: 0,
            stdout: JSON.stringify(["sh", ["-c", "a | b"], { cwd: "/w", timeoutMillis: 7 }])
          })
        }).pipe(
          Effect.provide([
            Process.mock((binary, args, options) => JSON.stringify([binary, args, options])),
            Files.mock()
          ])
        )
      )

      it.effect("fails as the capability fails", () =>
        Effect.gen(function* () {
          expect((yield* Effect.flip(Tool.run(runShell, { script: "sleep 9" }))).message).toBe(
            "TIMED_OUT: too long"
          )
        }).pipe(
          Effect.provide([
            Process.mock(() => new ProcessError({ code: "TIMED_OUT", detail: "too long" })),
            Files.mock()
          ])
        )
      )
    })

    describe("the session's store", () => {
      it.effect("keeps, lists, forgets and deletes", () =>
        Effect.gen(function* () {
          expect(yield* Tool.run(kvGet, { key: "a" })).toEqual({ key: "a", value: null })
          expect(yield* Tool.run(kvSet, { key: "b/1", value: "" })).toEqual({ key: "b/1", stored: true })
          yield* Tool.run(kvSet, { key: "a", value: "\u0000é" })
          yield* Tool.run(kvSet, { key: "toString", value: "x", ttlSeconds: 10 })
          expect(yield* Tool.run(kvGet, { key: "a" })).toEqual({ key: "a", value: "\u0000é" })
          expect(yield* Tool.run(kvGet, { key: "b/1" })).toEqual({ key: "b/1", value: "" })
          expect(yield* Tool.run(kvList, {})).toEqual({ keys: ["a", "b/1", "toString"] })
          expect(yield* Tool.run(kvList, { prefix: "b/" })).toEqual({ keys: ["b/1"] })
          yield* TestClock.adjust("11 seconds")
          expect(yield* Tool.run(kvGet, { key: "toString" })).toEqual({ key: "toString", value: null })
          expect(yield* Tool.run(kvDelete, { key: "a" })).toEqual({ key: "a", deleted: true })
          expect(yield* Tool.run(kvDelete, { key: "a" })).toEqual({ key: "a", deleted: true })
          expect(yield* Tool.run(kvList, {})).toEqual({ keys: ["b/1"] })
        }).pipe(Effect.provide(Storage.mock()))
      )
    })

    describe("attachments", () => {
      const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 255])
      const items = [
        { filename: "list.txt", mimeType: "text/plain", sizeBytes: 4, content: "milk" },
        { type: "image", mimeType: "image/png", content: png }
      ] as const

      it.effect("M2: are listed without where they lie", () =>
        Effect.gen(function* () {
          const listed = yield* Tool.run(listAttachments, {})
          expect(listed).toEqual({
            attachments: [
              { type: "file", ref: "att-0", mimeType: "text/plain", filename: "list.txt", sizeBytes: 4 },
              { type: "image", ref: "att-1", mimeType: "image/png" }
            ]
          })
          expect(JSON.stringify(listed)).not.toContain("/attachments/")
        }).pipe(Effect.provide(Attachments.mock(items)))
      )

      it.effect("M17: a turn without any has an empty list", () =>
        Effect.gen(function* () {
          expect(yield* Tool.run(listAttachments, {})).toEqual({ attachments: [] })
        }).pipe(Effect.provide(Attachments.mock()))
      )

      it.effect("are read as text or as bytes", () =>
        Effect.gen(function* () {
          expect(yield* Tool.run(readAttachment, { ref: "att-0" })).toEqual({
            ref: "att-0",
            content: "milk",
            encoding: "utf8",
            totalLines: 1,
            truncated: false
          })
          expect(yield* Tool.run(readAttachment, { ref: "att-1" })).toMatchObject({
            content: "",
            truncated: true,
            note: `this is not text but ${png.length} bytes: ask again with encoding base64`
          })
          expect(yield* Tool.run(readAttachment, { ref: "att-1", encoding: "base64" })).toEqual({
            ref: "att-1",
            content: Encoding.encodeBase64(png),
            encoding: "base64",
            truncated: false
          })
        }).pipe(Effect.provide(Attachments.mock(items)))
      )

      it.effect("M4/M6/A01: what is not of this turn, or of a kind that is not held, is not there", () =>
        Effect.gen(function* () {
          expect(yield* Tool.run(listAttachments, {})).toMatchObject({ attachments: [{ ref: "att-1" }] })
          for (const ref of ["att-0", "att-7", "/etc/passwd", ""]) {
            const error = yield* Effect.flip(Tool.run(readAttachment, { ref }))
            expect(error.message).toBe(`ATTACHMENT_NOT_FOUND: No attachment with ref "${ref}"`)
          }
        }).pipe(
          Effect.provide(TestAttachments.layerMemory(authority({ attachments: { read: ["image"] } }), items))
        )
      )
    })

    it.effect("records are written, found, read, changed and deleted", () =>
      Effect.gen(function* () {
        const body = "red and [[notes/b]]\n"
        const made = yield* Tool.run(createRecord, {
          id: "notes/a",
          class: "note",
          frontMatter: { title: "Apples" },
          body
        })
        const read = yield* Tool.run(getRecord, { id: "notes/a" })
        expect(read).toMatchObject({ id: "notes/a", class: "note", body, revision: made.revision })
        expect(yield* Tool.run(searchRecords, { query: "red" })).toMatchObject({
          records: [{ id: "notes/a" }]
        })
        expect(yield* Tool.run(listRecords, { class: "note" })).toMatchObject({
          records: [{ id: "notes/a" }]
        })
        const stale = Tool.run(updateRecord, { id: "notes/a", body: "green\n", revision: "0" })
        expect(yield* Effect.flip(stale)).toMatchObject({ _tag: "RecordsError", code: "RECORD_CHANGED" })
        yield* Tool.run(updateRecord, { id: "notes/a", body: "green\n", revision: made.revision })
        expect(yield* Records.get("notes/a")).toMatchObject({ body: "green\n" })
        yield* Tool.run(deleteRecord, { id: "notes/a" })
        expect(yield* Effect.flip(Tool.run(getRecord, { id: "notes/a" }))).toMatchObject({
          code: "RECORD_NOT_FOUND"
        })
      }).pipe(Effect.provide([Records.mock(), Agents.mock()]))
    )

    it.effect("grants are passed on to another agent, and no further than they are held", () =>
      Effect.gen(function* () {
        const call = (grant: string) => Tool.run(grantCapability, { agent: "agents/scout", grants: [grant] })
        expect(yield* call("net.get{hosts=[api.github.com]}")).toMatchObject({ agent: "agents/scout" })
        const error = yield* Effect.flip(call("net.get{hosts=[evil.test]}"))
        expect(error).toMatchObject({
          _tag: "AgentsError",
          denial: { code: "EXCEEDS_GRANTOR_AUTHORITY", held: ["*.github.com"] }
        })
      }).pipe(
        Effect.provide(
          TestAgents.layerMemory(
            authority({ agents: { grant: ["agents/*"] }, network: { get: ["*.github.com"] } }),
            [{ id: "agents/scout" }]
          )
        )
      )
    )
  }
)
