/**
 * The threat: a worker that says nothing forbidden, and has its host keep, count or compare until it can do nothing else.
 * Here it is no process, but bytes on a socket.
 */
import { Duplex, Readable } from "node:stream"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Hash, Schema, Stream } from "effect"
import { ask, type Job } from "../../src/isolated/host/job.js"
import { defaults, type Limits } from "../../src/isolated/host/Limits.js"
import { Worker } from "../../src/isolated/host/Worker.js"
import { Malformed, unload } from "../../src/isolated/protocol/Carried.js"
import { FrameReader, type Message, written } from "../../src/isolated/protocol/Frames.js"
import { hasMoreValues } from "../../src/isolated/protocol/Sizes.js"

const bytesOf = (message: Message): Buffer => Buffer.concat([...written(message)])

const DONE: Message = { t: "done", id: 1, value: "well" }

interface Saying {
  readonly limits?: Partial<Limits>
  readonly served?: Job["served"]
  /** It reads nothing more of what it is sent. */
  readonly isDeaf?: boolean
  /** It is done once it has read so many bytes. */
  readonly until?: number
}

/** A worker that says what it is told to, once it was given a call. */
const saying = (
  all: () => Iterable<Message>,
  { isDeaf = false, limits = {}, served = new Map(), until }: Saying = {}
) => {
  const given = { ...defaults, ...limits }
  let heard = 0
  const socket = new Duplex({
    read: () => {},
    write: (piece: Buffer, _, done) => {
      if (isDeaf) return
      heard += piece.length
      if (until !== undefined && heard > until) socket.push(bytesOf(DONE))
      done()
    }
  })
  const worker = new Worker(
    {
      pid: undefined,
      socket,
      errors: Readable.from([]),
      rest: () => {},
      wake: () => {},
      kill: () => {},
      ended: new Promise(() => {})
    },
    given,
    "a tool"
  )
  const speaking = Effect.sync(() => {
    for (const one of all()) socket.push(bytesOf(one))
  })
  const asking = Effect.withFiberRuntime<unknown, unknown>((fiber) =>
    ask(
      worker,
      { t: "call", tool: "t", value: {}, served },
      given,
      (value) => Effect.succeed(value),
      () => {},
      fiber
    )
  )
  return Effect.map(
    Effect.either(Effect.zipRight(Effect.forkDaemon(Effect.delay(speaking, 0)), asking)),
    (answer) => (answer._tag === "Left" ? String(Reflect.get(Object(answer.left), "message")) : answer.right)
  )
}

const times = (count: number, one: (at: number) => Message): ReadonlyArray<Message> =>
  Array.from({ length: count }, (_, at) => one(at))

describe("a message", () => {
  it("that comes byte by byte is kept in a few pieces, and is read", () => {
    const heard: Array<unknown> = []
    const reader = new FrameReader(1 << 20, ({ value }) => heard.push(value))
    const text = "é".repeat(10_000)
    const frame = bytesOf({ t: "done", id: 1, value: text })
    let most = 0
    for (let at = 0; at < frame.length; at++) {
      reader.push(frame.subarray(at, at + 1))
      most = Math.max(most, (Reflect.get(reader, "parts") as ReadonlyArray<unknown>).length)
    }
    expect(heard).toEqual([text])
    expect(most).toBeLessThan(64)
  })

  it("of which a few bytes are kept is not kept for them", () => {
    const heard: Array<Message> = []
    const reader = new FrameReader(1 << 24, (message) => heard.push(message))
    const value = { few: new Uint8Array([1, 2, 3]), more: Buffer.from("abc"), rest: new Uint8Array(1 << 20) }
    reader.push(bytesOf({ t: "done", id: 1, value }))
    const read = heard[0]?.value as typeof value
    expect(read).toEqual(value)
    expect(Buffer.isBuffer(read.more)).toBe(true)
    for (const one of [read.few, read.more]) expect(one.buffer.byteLength).toBeLessThan(1 << 16)
  })

  it("is counted by its values, and not by what stands in texts", () => {
    const json = (value: unknown) => Buffer.from(JSON.stringify(value))
    const commas = [",".repeat(100), '\\",[{'.repeat(50), '"', "\\"]
    expect(hasMoreValues(json(commas), 6)).toBe(false)
    expect(hasMoreValues(json([...commas, 1, {}, [], 2]), 6)).toBe(true)
    expect(hasMoreValues(json({ a: { b: { c: { d: [1] } } } }), 5)).toBe(true)
  })

  it.live("of too many values ends its worker, before any is made", () =>
    Effect.gen(function* () {
      const value = Array.from({ length: 1000 }, () => ({}))
      expect(yield* saying(() => [{ t: "done", id: 1, value }], { limits: { values: 999 } })).toMatch(
        /^WORKER_MISBEHAVED: .*a message has too many values$/
      )
      expect(yield* saying(() => [{ t: "done", id: 1, value }], { limits: { values: 2100 } })).toEqual(value)
    })
  )

  it("has no keys that are chosen to be compared each with each", () => {
    const next = (hash: number, text: string) =>
      [...text].reduceRight((h, one) => (h * 33) ^ one.charCodeAt(0), hash)
    /** Two texts that take one hash to the same other one. */
    const twins = (hash: number): readonly [string, string] => {
      const known = new Map<number, string>()
      for (let one = 33; ; one++) {
        for (let other = 33; other < 90; other++) {
          const text = String.fromCharCode(one, other)
          const twin = known.get(next(hash, text))
          if (twin !== undefined) return [twin, text]
          known.set(next(hash, text), text)
        }
      }
    }
    let [hash, keys] = [5381, [""]]
    for (let round = 0; round < 5; round++) {
      const [one, other] = twins(hash)
      keys = keys.flatMap((key) => [one + key, other + key])
      hash = next(hash, one)
    }
    expect(new Set(keys).size).toBe(32)
    expect(new Set(keys.map(Hash.hash)).size).toBe(1)
    const nothing = new Uint8Array()
    expect(() => unload(keys, [[[], "hashset"]], nothing)).toThrow(Malformed)
    expect(() =>
      unload(
        keys.map((key) => [key, 1]),
        [[[], "hashmap"]],
        nothing
      )
    ).toThrow(Malformed)
    expect(() => unload(keys, [[[], "set"]], nothing)).not.toThrow()
    const many = Array.from({ length: 5000 }, (_, at) => at)
    expect(() => unload(many, [[[], "set"]], nothing)).toThrow(Malformed)
  })
})

describe("a worker that", () => {
  it.live("reports and logs without end is ended by how much that is", () =>
    Effect.gen(function* () {
      const message = "x".repeat(1000)
      const progress = (): Message => ({ t: "progress", id: 1, value: { message } })
      const log = (): Message => ({
        t: "log",
        id: 1,
        value: { level: "Trace", message: [message], annotations: {} }
      })
      for (const one of [progress, log]) {
        const all = () => [...times(20, one), DONE]
        expect(yield* saying(all, { limits: { reportBytes: 10_000 } })).toContain(
          "reports and logs without end"
        )
        expect(yield* saying(all)).toBe("well")
      }
    })
  )

  it.live("speaks without end of what is over is ended", () =>
    Effect.gen(function* () {
      for (const t of ["stop", "ack", "put", "shut"]) {
        const all = () => [...times(20, () => ({ t, id: 7, of: 1, n: 1, lane: "stdin" })), DONE]
        expect(yield* saying(all, { limits: { idle: 10 } }), t).toContain("of what is over")
        expect(yield* saying(all), t).toBe("well")
      }
    })
  )

  it.live("does not read what it is sent is ended by how much waits for it", () =>
    Effect.gen(function* () {
      const gives = { payload: Schema.Null, success: Schema.String, failure: Schema.Null }
      const text = Effect.succeed("x".repeat(100_000))
      const later = Effect.async<string>((resume) => void setImmediate(() => resume(text)))
      const giving = (answer: Effect.Effect<string>): Job["served"] =>
        new Map([["app/Service", { operations: { gives }, by: { gives: () => answer } }]])
      const all = () => times(10, (at) => op(at + 1, "gives"))
      const limits = { unreadBytes: 500_000 }
      for (const answer of [text, later]) {
        const unread = saying(all, { served: giving(answer), limits, isDeaf: true })
        expect(yield* unread).toContain("does not read")
      }
      const read = saying(all, { served: giving(later), limits, until: 1_000_000 })
      expect(yield* read).toBe("well")
    })
  )

  const Anything = { payload: Schema.Null, success: Schema.Null, failure: Schema.Null }
  const service = {
    operations: { waits: Anything, takes: { ...Anything, inputs: { stdin: Schema.String } } },
    by: {
      waits: () => Effect.uninterruptible(Effect.never),
      takes: (_: null, { stdin }: { readonly stdin: Stream.Stream<string> }) =>
        Effect.zipRight(Stream.runDrain(Stream.take(stdin, 1)), Effect.never)
    }
  }
  const served: Job["served"] = new Map([["app/Service", service]])
  const op = (id: number, name: string, lanes: ReadonlyArray<string> = []): Message => ({
    t: "op",
    id,
    call: 1,
    key: "app/Service",
    op: name,
    lanes,
    value: null
  })

  it.live("stops what does not stop has begun it all the same", () =>
    Effect.gen(function* () {
      const all = () => [
        ...times(20, () => DONE).flatMap((_, at) => [op(at + 1, "waits"), { t: "stop", id: at + 1, of: 1 }]),
        DONE
      ]
      expect(yield* saying(all, { served, limits: { operations: 10 } })).toContain("too much at once")
      expect(yield* saying(all, { served, limits: { operations: 20 } })).toBe("well")
    })
  )

  it.live("feeds what nobody takes is ended by how much waits", () =>
    Effect.gen(function* () {
      const fed = (): ReadonlyArray<Message> =>
        times(4, (at) => ({ t: "put", id: 1, of: 1, lane: "stdin", value: String(at).repeat(1000) }))
      const all = () => [op(1, "takes", ["stdin"]), ...fed(), DONE]
      expect(yield* saying(all, { served, limits: { operationBytes: 2500 } })).toContain("too much at once")
      expect(yield* saying(all, { served, limits: { operationBytes: 5000 } })).toBe("well")
    })
  )
})
