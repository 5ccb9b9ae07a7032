/** Threat: a file that does not end, one that fails half-way, a writer that is killed, more than there is room for. */
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Queue, Scope, Stream, TestClock } from "effect"
import { AttachmentsBackend } from "../../../src/capabilities/attachments/AttachmentsBackend.js"
import { AttachmentCache } from "../../../src/layers/node/attachments/AttachmentCache.js"
import * as NodeAttachments from "../../../src/layers/node/attachments/NodeAttachments.js"
import * as Owner from "../../../src/layers/node/disk/Owner.js"
import * as Registry from "../../../src/registry/Registry.js"
import { temporary } from "./temporary.js"

const opened = (directory: string, options: Partial<AttachmentCache.Options> = {}) =>
  Effect.provide(AttachmentCache, AttachmentCache.layer({ directory, ...options }))

const bytes = (size: number) => new Uint8Array(size).fill(65)
const pieces = (count: number, size: number) => Stream.range(1, count).pipe(Stream.map(() => bytes(size)))
const plain = { session: "s1", mimeType: "text/plain" }

const everything = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true }).map(String)

describe("a stream", () => {
  it.scoped("is kept whole, and is what its start shows", () =>
    Effect.gen(function* () {
      const cache = yield* opened(yield* temporary)
      const start = Buffer.from([0xff, 0xd8, 0xff])
      // One byte at a time, so that no single piece tells what it is.
      const photo = Stream.concat(
        Stream.fromIterable([...start].map((one) => Uint8Array.of(one))),
        pieces(100, 999)
      )
      const cached = yield* cache.writeStream(photo, {
        session: "s1",
        filename: "a.png",
        mimeType: "image/png"
      })
      expect(cached).toMatchObject({
        type: "image",
        mimeType: "image/jpeg",
        filename: "a.png",
        sizeBytes: 99_903
      })
      expect(cached.url.endsWith(".jpg")).toBe(true)
      expect(readFileSync(fileURLToPath(cached.url)).subarray(0, 4)).toEqual(
        Buffer.from([0xff, 0xd8, 0xff, 65])
      )
      expect(yield* cache.resolve("s1", cached.url)).toBe(fileURLToPath(cached.url))
    })
  )

  it.scoped("that is empty is an empty file", () =>
    Effect.gen(function* () {
      const cache = yield* opened(yield* temporary)
      expect((yield* cache.writeStream(Stream.empty, plain)).sizeBytes).toBe(0)
    })
  )

  it.scoped("that is too long, fails, is interrupted or mislabelled leaves nothing", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const cache = yield* opened(directory, { maxBytes: 10_000 })
      const endless = Stream.forever(Stream.make(bytes(100)))
      expect((yield* Effect.flip(cache.writeStream(endless, plain))).message).toContain(
        "more than 10000 bytes"
      )
      const broken = Stream.concat(pieces(3, 100), Stream.fail("broken" as const))
      expect(yield* Effect.flip(cache.writeStream(broken, plain))).toBe("broken")
      const page = Stream.make(new TextEncoder().encode("<html>hello"))
      const mislabelled = { session: "s1", mimeType: "image/png", mislabelled: "refuse" } as const
      expect((yield* Effect.flip(cache.writeStream(page, mislabelled))).message).toContain("is text/html")
      const begun = yield* Deferred.make<void>()
      const stuck = Stream.concat(
        pieces(2, 100),
        Stream.fromEffect(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))
      )
      const fiber = yield* Effect.fork(cache.writeStream(stuck, plain))
      yield* Deferred.await(begun)
      expect((yield* cache.usage("s1")).session).toBe(200)
      yield* Fiber.interrupt(fiber)
      expect(everything(directory)).toEqual([])
      expect(yield* cache.usage("s1")).toEqual({ session: 0, total: 0 })
    })
  )

  it.scoped("a defect in it leaves nothing either", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const cache = yield* opened(directory)
      const exit = yield* Effect.exit(
        cache.writeStream(Stream.concat(pieces(1, 10), Stream.die("no")), plain)
      )
      expect(Exit.isFailure(exit)).toBe(true)
      expect(everything(directory)).toEqual([])
    })
  )
})

describe("room", () => {
  it.scoped("is counted for a session and for all, over what is there and what is coming", () =>
    Effect.gen(function* () {
      const cache = yield* opened(yield* temporary, { sessionBytes: 1000, totalBytes: 1500 })
      const write = (session: string, size: number) =>
        cache.write(bytes(size), { session, mimeType: "text/plain" })
      yield* write("a", 900)
      expect((yield* Effect.flip(write("a", 101))).message).toContain(
        "this session would be more than 1000 bytes"
      )
      yield* write("b", 600)
      expect((yield* Effect.flip(write("c", 1))).message).toContain(
        "all attachments would be more than 1500 bytes"
      )
      expect(yield* cache.usage("a")).toEqual({ session: 900, total: 1500 })
      yield* cache.clear("a")
      expect(yield* cache.usage("a")).toEqual({ session: 0, total: 600 })
      yield* write("c", 900)
    })
  )

  it.scoped("many at once stay within it", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const cache = yield* opened(directory, { sessionBytes: 1000 })
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => index),
        () => Effect.exit(cache.writeStream(pieces(10, 10), plain)),
        { concurrency: "unbounded" }
      )
      const kept = outcomes.filter(Exit.isSuccess).length
      expect(kept).toBeGreaterThan(0)
      expect(kept).toBeLessThanOrEqual(10)
      expect(yield* cache.usage("s1")).toEqual({ session: kept * 100, total: kept * 100 })
      expect(everything(directory).filter((name) => name.endsWith(".txt"))).toHaveLength(kept)
    })
  )

  it.scoped("what is there already is counted when the cache is opened again", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* (yield* opened(directory)).write(bytes(500), plain)
      const again = yield* opened(directory, { sessionBytes: 600 })
      expect((yield* again.usage("s1")).session).toBe(500)
      yield* Effect.flip(again.write(bytes(101), plain))
    })
  )

  it.scoped("a message that is received again replaces what is left of it", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const cache = yield* opened(directory)
      yield* cache.write(bytes(10), { ...plain, messageId: "m1" })
      const other = yield* cache.write(bytes(20), { ...plain, messageId: "m2" })
      expect(yield* cache.forget("s1", "m1")).toBe(1)
      expect(yield* cache.usage("s1")).toEqual({ session: 20, total: 20 })
      expect(yield* cache.resolve("s1", other.url)).toBe(fileURLToPath(other.url))
      expect(yield* cache.forget("nobody", "m1")).toBe(0)
    })
  )
})

describe("who was killed", () => {
  /** The name of a process that has ended. */
  const dead = (): string => {
    const { pid } = spawnSync(process.execPath, ["-e", ""])
    const [id = "", place = ""] = Owner.name().split(".")
    return `${id}.${place}.${pid}.1`
  }

  it.scoped(
    "leaves drafts that are removed when the cache is opened or pruned; those of the living stay",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporary
        const namespace = join(directory, "a".repeat(64))
        const leave = () => {
          mkdirSync(namespace, { recursive: true })
          writeFileSync(join(namespace, `.${dead()}`), "half")
        }
        const living = `.${Owner.name()}`
        leave()
        writeFileSync(join(namespace, living), "half")
        const cache = yield* opened(directory)
        expect(readdirSync(namespace)).toEqual([living])
        leave()
        expect(yield* cache.pruneOlderThan("1 day")).toBe(0)
        expect(readdirSync(namespace)).toEqual([living])
      })
  )
})

describe("the schedule", () => {
  it.scoped("prunes at once and then every hour, goes on after a failure, and ends with its layer", () =>
    Effect.gen(function* () {
      const pruned = yield* Queue.unbounded<unknown>()
      const base = yield* opened(yield* temporary)
      let times = 0
      const counting = Layer.succeed(AttachmentCache, {
        ...base,
        pruneOlderThan: (age) =>
          Effect.zipRight(
            Queue.offer(pruned, age),
            times++ === 0 ? Effect.as(base.resolve("s", "nowhere"), 0) : Effect.succeed(0)
          )
      })
      const scope = yield* Scope.make()
      yield* Layer.buildWithScope(
        Layer.provide(AttachmentCache.layerPruning({ olderThan: "1 day" }), counting),
        scope
      )
      expect(yield* Queue.take(pruned)).toBe("1 day")
      yield* TestClock.adjust("59 minutes")
      expect(yield* Queue.size(pruned)).toBe(0)
      yield* TestClock.adjust("1 minute")
      yield* Queue.take(pruned)
      yield* TestClock.adjust("3 hours")
      expect(yield* Queue.size(pruned)).toBe(3)
      yield* Queue.takeAll(pruned)
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("3 hours")
      expect(yield* Queue.size(pruned)).toBe(0)
    })
  )
})

describe("the end of a session", () => {
  it.scoped("clears its files, by its scope and by the registry", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const cache = yield* opened(directory)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.provideService(AttachmentCache.session("s1"), AttachmentCache, cache)
          yield* cache.write(bytes(10), plain)
          expect(everything(directory)).not.toEqual([])
        })
      )
      expect(everything(directory)).toEqual([])
      yield* cache.write(bytes(10), plain)
      const other = yield* cache.write(bytes(10), { ...plain, session: "s2" })
      const backend = yield* Effect.provide(AttachmentsBackend, NodeAttachments.layer({ directory }))
      yield* Effect.provideService(Registry.make().endSession("s1"), AttachmentsBackend, backend)
      expect(everything(directory).filter((name) => name.endsWith(".txt"))).toHaveLength(1)
      expect(yield* cache.resolve("s2", other.url)).toBe(fileURLToPath(other.url))
      expect(yield* cache.usage("s1")).toEqual({ session: 0, total: 10 })
    })
  )
})

it.scoped("a file finds its place however often the cache is pruned meanwhile", () =>
  Effect.gen(function* () {
    const cache = yield* opened(yield* temporary)
    const kept = yield* Effect.all(
      [
        Effect.forEach(
          Array.from({ length: 400 }, (_, index) => String(index)),
          (messageId) =>
            Effect.zipRight(cache.write(bytes(9), { ...plain, messageId }), cache.forget("s1", messageId)),
          { concurrency: 4 }
        ),
        Effect.forEach(Array.from({ length: 400 }), () => cache.pruneOlderThan("1 hour"), { concurrency: 4 })
      ],
      { concurrency: 2 }
    )
    expect(new Set(kept[0])).toEqual(new Set([1]))
  })
)
