/** Messages and lines, as both sides read them. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { type Line, Lines, lineOf } from "../../src/mcp/protocol/Lines.js"
import { readMessage } from "../../src/mcp/protocol/ReadMessage.js"
import { times } from "../deep.js"

const error = { code: -32601, message: "no" }

describe("a message", () => {
  it.each([
    ["Request", { jsonrpc: "2.0", id: 1, method: "ping" }],
    ["Request", { jsonrpc: "2.0", id: "", method: "a", params: { b: [1] } }],
    ["Notification", { jsonrpc: "2.0", method: "a" }],
    ["Answer", { jsonrpc: "2.0", id: 1, result: {} }],
    ["Answer", { jsonrpc: "2.0", id: "x", error }],
    ["Answer", { jsonrpc: "2.0", id: null, error: { ...error, data: [1] } }]
  ])("of each kind is read as it is: %s", (kind, message) => {
    expect(readMessage(message)).toEqual({ _tag: kind, message })
  })

  it.each([
    [{ jsonrpc: "2.0", id: 1, result: 7 }],
    [{ jsonrpc: "2.0", id: null, result: {} }],
    [{ jsonrpc: "2.0", result: {} }],
    [{ jsonrpc: "2.0", id: 1, error: { code: "1", message: "no" } }],
    [{ jsonrpc: "2.0", id: {}, error }],
    [{ id: 1, result: {} }]
  ])("that answers nothing that was asked is nobody's: %j", (message) => {
    expect(readMessage(message)).toMatchObject({ _tag: "Unreadable", id: null })
  })

  it("without another word keeps nothing that is not of the protocol", () => {
    const read = readMessage({ jsonrpc: "2.0", id: 1, method: "ping", extra: "x" })
    expect(read).toEqual({ _tag: "Request", message: { jsonrpc: "2.0", id: 1, method: "ping" } })
  })
})

const linesOf = (chunks: ReadonlyArray<Uint8Array | string>, maxBytes = 1_000_000): ReadonlyArray<Line> => {
  const heard: Array<Line> = []
  const lines = new Lines(maxBytes, (line) => heard.push(line))
  for (const chunk of chunks) lines.push(chunk)
  lines.end()
  return heard
}

describe("lines", () => {
  it("are the messages that were written, wherever the pipe cuts them", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.jsonValue(), { maxLength: 8 }),
        FastCheck.array(FastCheck.nat(200)),
        (values, cuts) => {
          const bytes = Buffer.from(
            values.map((value) => lineOf({ jsonrpc: "2.0", method: "a", params: { value } })).join("")
          )
          const chunks = [0, ...cuts, bytes.length]
            .sort((a, b) => a - b)
            .map((at, index, all) => bytes.subarray(at, all[index + 1]))
          const read = linesOf(chunks)
          expect(read).toEqual(linesOf([bytes]))
          expect(JSON.stringify(read.map((line) => (line._tag === "Value" ? line.value : line)))).toBe(
            JSON.stringify(values.map((value) => ({ jsonrpc: "2.0", method: "a", params: { value } })))
          )
        }
      ),
      { numRuns: times(100) }
    )
  })

  it("that are too long are told once, and the next is read", () => {
    expect(linesOf(["x".repeat(6), "x".repeat(6), "\n7\n", '"12345678"', "\n8"], 9)).toEqual([
      { _tag: "Garbled", why: "too long" },
      { _tag: "Value", value: 7 },
      { _tag: "Garbled", why: "too long" },
      { _tag: "Value", value: 8 }
    ])
  })

  it("that come byte by byte are put together on the way, and the pieces are let go", () => {
    const heard: Array<Line> = []
    const lines = new Lines(1_000_000, (line) => heard.push(line))
    const text = "x".repeat(5000)
    const first = Buffer.from('"')
    lines.push(first)
    for (const byte of Buffer.from(`${text}"`)) lines.push(Uint8Array.of(byte))
    // Whoever still held it would see this.
    first.fill("!")
    lines.end()
    expect(heard).toEqual([{ _tag: "Value", value: text }])
  })

  it("that are no UTF-8 are not made into any", () => {
    expect(linesOf([Uint8Array.of(0x22, 0xc3, 0x22, 10)])).toEqual([{ _tag: "Garbled", why: "no UTF-8" }])
  })
})
