/**
 * What every place for an audit log must do. Each case is an Effect that needs an `AuditSink` and no test runner, and brings
 * a clock of its own: run them against each layer you write.
 *
 * @since 0.1.0
 */
import { Effect, TestClock } from "effect"
import type { AuditEntry } from "../../audit/AuditEntry.js"
import { type Case, define, defineLasting, type LastingCase, texts } from "./auditCase.js"
import { code, must } from "./contract.js"

export {
  /**
   * @since 0.1.0
   * @category models
   */
  type Case,
  /**
   * @since 0.1.0
   * @category models
   */
  type LastingCase,
  /**
   * @since 0.1.0
   * @category models
   */
  Place
} from "./auditCase.js"

export {
  /**
   * @since 0.1.0
   * @category errors
   */
  ContractBroken
} from "./contract.js"

const numbers = (length: number): ReadonlyArray<string> => Array.from({ length }, (_, index) => String(index))

/** In whatever order its keys stand. */
const inOrder = (entry: AuditEntry | undefined) =>
  Object.entries(entry ?? {}).sort(([one], [other]) => (one < other ? -1 : 1))

/**
 * The cases, each for itself: in any order, and against a log that holds other things too.
 *
 * @since 0.1.0
 * @category cases
 */
export const cases: ReadonlyArray<Case> = [
  ...define("an entry comes back as it was given, whatever its kind", ({ call, decision, gap, kept, sink }) =>
    Effect.gen(function* () {
      const all = [
        yield* decision("1", { scope: "fs.read{in=/data}", by: "agents/ada.md:4, config.yaml:7" }),
        yield* decision("1", {
          allowed: false,
          code: "HOST_NOT_ALLOWED",
          reason: "scope_violation",
          personality: "p"
        }),
        yield* call("1", { code: "execution_failed", ms: 0.001 }),
        yield* gap("a full disk")
      ]
      yield* sink.append(all)
      yield* must("what is kept", (yield* kept()).map(inOrder), all.map(inOrder))
    })
  ),
  ...define("entries come back in the order in which they were given", ({ call, ids, sink }) =>
    Effect.gen(function* () {
      const given = numbers(40)
      const all = yield* Effect.forEach(given, (id) => call(id))
      yield* sink.append([])
      yield* sink.append(all.slice(0, 1))
      yield* sink.append(all.slice(1, 17))
      yield* sink.append(all.slice(17))
      yield* must("what is kept", yield* ids(), given)
    })
  ),
  ...define("a text comes back as it was, whatever characters it holds", ({ call, decision, kept, sink }) =>
    Effect.gen(function* () {
      const all = yield* Effect.forEach(texts, (text) =>
        decision(text, { asked: text, tool: text, by: text })
      )
      yield* sink.append([...all, yield* call("last")])
      const found = yield* kept()
      yield* must("how many are kept", found.length, texts.length + 1)
      for (const [index, given] of all.entries()) {
        yield* must("what is kept", inOrder(found[index]), inOrder(given))
      }
    })
  ),
  ...define("entries that come at once are all kept, each batch together", ({ call, ids, sink }) =>
    Effect.gen(function* () {
      const batches = numbers(50).map((batch) => numbers(5).map((id) => `${batch}/${id}`))
      const each = yield* Effect.forEach(batches, (batch) => Effect.forEach(batch, (id) => call(id)))
      yield* Effect.forEach(each, (batch) => sink.append(batch), {
        concurrency: "unbounded",
        discard: true
      })
      const found = yield* ids()
      const first = found.filter((id) => id.endsWith("/0")).map((id) => id.slice(0, -2))
      yield* must(
        "what is kept",
        found,
        first.flatMap((batch) => numbers(5).map((id) => `${batch}/${id}`))
      )
      yield* must("how many are kept", new Set(found).size, 250)
    })
  ),
  ...define("calls that share a line come back one by one", ({ call, kept, plain }) =>
    Effect.gen(function* () {
      const { lines } = plain.append
      if (lines === undefined) return
      const all = yield* Effect.forEach(numbers(3), (id) => call(id))
      const { call: _, ms, ...shared } = yield* call("")
      const calls = all.map(({ call }) => [call, ms])
      const now = yield* TestClock.currentTimeMillis
      yield* lines(`${JSON.stringify({ ...shared, type: "calls", calls })}\n`, now) ?? Effect.void
      yield* must("what is kept", (yield* kept()).map(inOrder), all.map(inOrder))
    })
  ),
  ...define("a batch may be large", ({ call, ids, sink }) =>
    Effect.gen(function* () {
      const given = numbers(20_000)
      yield* sink.append(yield* Effect.forEach(given, (id) => call(id)))
      const found = yield* ids()
      yield* must("how many are kept", found.length, given.length)
      yield* must("whether they are in order", found.join() === given.join(), true)
    })
  ),
  ...define("only entries of a moment or later are read, over days", ({ call, ids, sink }) =>
    Effect.gen(function* () {
      const moments: Array<number> = []
      for (const [index, pause] of (
        ["1 millis", "1 hour", "1 day", "10 days", "1 millis"] as const
      ).entries()) {
        yield* TestClock.adjust(pause)
        moments.push(yield* TestClock.currentTimeMillis)
        yield* sink.append([yield* call(String(index))])
      }
      for (const [index, moment] of moments.entries()) {
        const rest = numbers(moments.length).slice(index)
        yield* must("from a moment on", yield* ids(sink, moment), rest)
        yield* must("from after it", yield* ids(sink, moment + 0.5), rest.slice(1))
      }
    })
  ),
  ...define("what was decided before and is given later is not left out", ({ call, ids, sink }) =>
    Effect.gen(function* () {
      const early = yield* call("early")
      yield* TestClock.adjust("1 hour")
      const since = yield* TestClock.currentTimeMillis
      yield* sink.append([yield* call("late")])
      yield* sink.append([early, yield* call("later")])
      yield* must("all", yield* ids(), ["late", "early", "later"])
      yield* must("since", yield* ids(sink, since), ["late", "later"])
    })
  ),
  ...define("what is given as entries and as lines is in one order", ({ call, ids, plain, sink }) =>
    Effect.gen(function* () {
      const given = numbers(20)
      for (const [index, id] of given.entries()) {
        const entries = [yield* call(id)]
        yield* (index % 3 === 0 ? plain : sink).append(entries)
        if (index % 7 === 0) yield* must("what is kept by then", yield* ids(), given.slice(0, index + 1))
      }
      yield* must("what is kept", yield* ids(), given)
    })
  )
]

/**
 * The cases about a place that outlasts who writes there, and that may be full.
 *
 * @since 0.1.0
 * @category cases
 */
export const lasting: ReadonlyArray<LastingCase> = [
  ...defineLasting("opening", "what was kept is there for who comes later", ({ call, ids, open, sink }) =>
    Effect.gen(function* () {
      yield* sink.append([yield* call("1")])
      yield* Effect.scoped(
        Effect.gen(function* () {
          const other = yield* open
          yield* must("what another finds", yield* ids(other), ["1"])
          yield* other.append([yield* call("2")])
        })
      )
      yield* sink.append([yield* call("3")])
      yield* must("what is kept", yield* ids(), ["1", "2", "3"])
      yield* must("what the next one finds", yield* ids(yield* open), ["1", "2", "3"])
    })
  ),
  ...defineLasting("opening", "two who write at the same time lose nothing", ({ call, ids, open, sink }) =>
    Effect.gen(function* () {
      const both = [sink, yield* open]
      const given = numbers(100)
      yield* Effect.forEach(
        given,
        (id, index) => Effect.flatMap(call(id), (entry) => both[index % 2]?.append([entry]) ?? Effect.void),
        { concurrency: "unbounded", discard: true }
      )
      yield* must("what is kept", [...(yield* ids())].sort(), [...given].sort())
    })
  ),
  ...defineLasting(
    "filling",
    "a batch that does not fit is kept not at all, and may be given again",
    ({ call, empties, fills, ids, open, sink }) =>
      Effect.gen(function* () {
        yield* sink.append([yield* call("before")])
        const batch = yield* Effect.forEach(numbers(8), (id) => call(id))
        yield* fills
        yield* must("what comes of it", yield* code(sink.append(batch)), "AUDIT_UNWRITABLE")
        yield* must("what is kept then", yield* ids(), ["before"])
        yield* empties
        yield* sink.append(batch)
        const other = yield* open
        yield* other.append([yield* call("after")])
        yield* must("what is kept at the end", yield* ids(), ["before", ...numbers(8), "after"])
      })
  )
]
