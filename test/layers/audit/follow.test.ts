/** What is added to a log is heard of as it is added, from one file into the next. */
import { appendFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { AuditSink } from "bailiwick"
import { Audit, AuditFiles } from "bailiwick/node"
import { Context, Effect, Fiber, Layer, Queue, Stream } from "effect"
import { callAt } from "./entries.js"
import { scratch } from "./scratch.js"

const opened = (options: Omit<Audit.Options, "chain">) =>
  Effect.map(Layer.build(Audit.layer(options)), Context.get(AuditSink))

/** What a follower hears, one by one. */
const heard = (directory: string, options: AuditFiles.FollowOptions = {}) =>
  Effect.gen(function* () {
    const queue = yield* Queue.unbounded<string>()
    const fiber = yield* AuditFiles.follow(directory, { every: "5 millis", ...options }).pipe(
      Stream.runForEach((entry) => Queue.offer(queue, entry.type === "gap" ? "" : entry.call)),
      Effect.forkScoped
    )
    return { next: (count: number) => Effect.map(Queue.takeN(queue, count), (ids) => [...ids]), fiber, queue }
  })

it.scopedLive("entries are heard of in order, in whatever file they are", () =>
  Effect.gen(function* () {
    const directory = join(yield* scratch, "later")
    const { next } = yield* heard(directory)
    const sink = yield* opened({ directory, fileBytes: 400 })
    const ids = Array.from({ length: 40 }, (_, index) => String(index))
    for (const id of ids) {
      yield* sink.append([callAt(Date.now(), id)])
      expect(yield* next(1)).toEqual([id])
    }
  })
)

it.scopedLive("two who write are both heard, also behind a file that was just left", () =>
  Effect.gen(function* () {
    const directory = yield* scratch
    const [one, other] = [
      yield* opened({ directory, fileBytes: 400 }),
      yield* opened({ directory, fileBytes: 400 })
    ]
    const { next } = yield* heard(directory)
    const ids = Array.from({ length: 100 }, (_, index) => String(index))
    yield* Effect.forEach(
      ids,
      (id, index) => (index % 3 === 0 ? one : other).append([callAt(Date.now(), id)]),
      {
        discard: true
      }
    )
    expect([...(yield* next(100))].sort()).toEqual([...ids].sort())
  })
)

it.scopedLive("only what comes later is heard by who begins at the end, and a line when it is whole", () =>
  Effect.gen(function* () {
    const directory = yield* scratch
    const sink = yield* opened({ directory })
    const early = Date.now() - 1000
    yield* sink.append([callAt(early, "before")])
    const { next, queue } = yield* heard(directory, { from: "end" })
    const all = yield* heard(directory, { since: early + 1 })
    // It has begun once it hears something; nothing is expected of when.
    const marks = yield* Effect.fork(
      Effect.forEach(
        Array.from({ length: 1000 }, (_, index) => `mark ${index}`),
        (id) => Effect.zipLeft(sink.append([callAt(Date.now(), id)]), Effect.sleep("5 millis"))
      )
    )
    const [first = ""] = yield* next(1)
    expect(first).toMatch(/^mark/)
    yield* Fiber.interrupt(marks)
    expect((yield* all.next(1))[0]).toBe("mark 0")
    yield* Queue.takeAll(queue)
    const line = `${JSON.stringify(callAt(early, "late"))}\n`
    const file = join(directory, `${new Date().toISOString().slice(0, 10)}.jsonl`)
    appendFileSync(file, line.slice(0, 30))
    appendFileSync(file, line.slice(30))
    const found = yield* Stream.fromQueue(queue).pipe(
      Stream.filter((id) => !id.startsWith("mark")),
      Stream.runHead
    )
    expect(found).toMatchObject({ value: "late" })
  })
)

it.scopedLive("a file that became shorter, or is another, is heard from its beginning", () =>
  Effect.gen(function* () {
    const directory = yield* scratch
    const file = join(directory, "2026-11-18.jsonl")
    const lines = (...ids: ReadonlyArray<string>) =>
      ids.map((id) => `${JSON.stringify(callAt(0, id))}\n`).join("")
    writeFileSync(file, lines("1", "2"))
    const { next } = yield* heard(directory)
    expect(yield* next(2)).toEqual(["1", "2"])
    writeFileSync(file, lines("3"))
    expect(yield* next(1)).toEqual(["3"])
    writeFileSync(join(directory, "other"), lines("4", "5"))
    renameSync(join(directory, "other"), file)
    expect(yield* next(2)).toEqual(["4", "5"])
  })
)

it.scopedLive(
  "following ends when it is interrupted, and with an error where there is a file in place of the directory",
  () =>
    Effect.gen(function* () {
      const place = yield* scratch
      const { fiber } = yield* heard(join(place, "nothing"))
      yield* Fiber.interrupt(fiber)
      appendFileSync(join(place, "file"), "")
      const error = yield* Effect.flip(Stream.runDrain(AuditFiles.follow(join(place, "file"))))
      expect(error.message).toMatch(/^AUDIT_UNREADABLE: .*file cannot be read: it is no directory/)
    })
)
