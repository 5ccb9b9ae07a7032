/** One case of the contract of audit logs, and what it is written with. */
import { Chunk, Context, Effect, type Scope, Stream, TestClock, TestContext } from "effect"
import type { AuditEntry, Call, Decision, Gap } from "../../audit/AuditEntry.js"
import { Encoder } from "../../audit/AuditLine.js"
import { type AuditError, AuditSink } from "../../audit/AuditSink.js"
import { type ContractBroken, type Case as Shared, unique } from "./contract.js"

/**
 * @since 0.1.0
 * @category models
 */
export type Case = Shared<AuditSink, AuditError>

/**
 * The place of the log under test, which outlasts who writes there.
 *
 * @since 0.1.0
 * @category models
 */
export class Place extends Context.Tag("bailiwick/testing/AuditPlace")<
  Place,
  {
    /** Another sink on the same place. */
    readonly open: Effect.Effect<AuditSink.Service, never, Scope.Scope>
    /** Has the place take a part of what is written next, and refuse the rest; and take everything again. */
    readonly fills: Effect.Effect<void>
    readonly empties: Effect.Effect<void>
  }
>() {}

/**
 * `about` says what the place must allow for the case to apply.
 *
 * @since 0.1.0
 * @category models
 */
export interface LastingCase extends Shared<AuditSink | Place, AuditError> {
  readonly about: "opening" | "filling"
}

type Broken = AuditError | ContractBroken

export interface Bench {
  readonly sink: AuditSink.Service
  /** The same, which is given entries in any case. */
  readonly plain: AuditSink.Service
  /** Entries of this case, at the moment that the clock shows. */
  readonly call: (id: string, rest?: Partial<Call>) => Effect.Effect<Call>
  readonly decision: (id: string, rest?: Partial<Decision>) => Effect.Effect<Decision>
  readonly gap: (why: string) => Effect.Effect<Gap>
  /** What a log holds of this case; others may be in it, too. */
  readonly kept: (
    sink?: AuditSink.Service,
    since?: number
  ) => Effect.Effect<ReadonlyArray<AuditEntry>, AuditError>
  /** The same by the ids of the calls. */
  readonly ids: (sink?: AuditSink.Service, since?: number) => Effect.Effect<ReadonlyArray<string>, AuditError>
}

const now = Effect.map(TestClock.currentTimeMillis, (millis) => new Date(millis).toISOString())

/** How entries are given: as they are, or as lines where a sink takes those. */
type Way = "entries" | "lines"

const by = (way: Way, sink: AuditSink.Service): AuditSink.Service => {
  const { lines } = sink.append
  if (way === "entries" || lines === undefined) return sink
  const encoder = new Encoder()
  const append: AuditSink.Append = (entries) =>
    Effect.flatMap(TestClock.currentTimeMillis, (now) => lines(encoder.lines(entries), now) ?? Effect.void)
  return { ...sink, append }
}

const benchBy = (way: Way) =>
  Effect.map(AuditSink, (plain): Bench => {
    const sink = by(way, plain)
    const session = unique()
    const isOurs = (entry: AuditEntry): boolean =>
      entry.type === "gap" ? entry.why.startsWith(session) : entry.session === session
    const who = (id: string, time: string) => ({
      v: 1 as const,
      time,
      session,
      agent: "ada",
      revision: "r",
      call: id,
      tool: "read_file",
      origin: "host"
    })
    const kept: Bench["kept"] = (from = sink, since) =>
      Effect.map(Stream.runCollect(Stream.filter(from.entries(since), isOurs)), Chunk.toReadonlyArray)
    return {
      sink,
      plain,
      kept,
      ids: (from, since) =>
        Effect.map(kept(from, since), (all) => all.map((entry) => (entry.type === "gap" ? "" : entry.call))),
      call: (id, rest) =>
        Effect.map(now, (time): Call => ({ ...who(id, time), type: "call", code: "ok", ms: 1.5, ...rest })),
      decision: (id, rest) =>
        Effect.map(
          now,
          (time): Decision => ({
            ...who(id, time),
            type: "decision",
            capability: "fs.read",
            asked: "read /data/a",
            allowed: true,
            ...rest
          })
        ),
      gap: (why) =>
        Effect.map(now, (time): Gap => ({ v: 1, time, type: "gap", lost: 3, why: `${session} ${why}` }))
    }
  })

const named = (name: string, way: Way): string => (way === "entries" ? name : `${name}; given as lines`)

const ways: ReadonlyArray<Way> = ["entries", "lines"]

/** The case for entries, and the same for lines. */
export const define = (
  name: string,
  body: (bench: Bench) => Effect.Effect<void, Broken>
): ReadonlyArray<Case> =>
  ways.map((way) => ({
    name: named(name, way),
    run: Effect.provide(Effect.flatMap(benchBy(way), body), TestContext.TestContext)
  }))

export const defineLasting = (
  about: LastingCase["about"],
  name: string,
  body: (bench: Bench & Context.Tag.Service<typeof Place>) => Effect.Effect<void, Broken, Scope.Scope>
): ReadonlyArray<LastingCase> =>
  ways.map((way) => ({
    name: named(name, way),
    about,
    run: Effect.gen(function* () {
      const place = yield* Place
      const open = Effect.map(place.open, (sink) => by(way, sink))
      yield* body({ ...(yield* benchBy(way)), ...place, open })
    }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext))
  }))

/** Everything that a text of strangers may hold and that some store takes for something else. */
export const texts: ReadonlyArray<string> = [
  "",
  "\0",
  "line\nline\r\nline",
  '{"v":1,"time":"',
  '"}\n{"v":1}\n',
  "\u2028 \u2029 \u0085",
  "half \ud83d and half \ude00",
  "\u202e\u001b[31m\u009b",
  "\ufeff\ufffd\u{1f600}",
  "__proto__",
  "\\u0000 \\",
  "x".repeat(100_000),
  "\u{1f600}\n".repeat(20_000)
]
