/**
 * A turn on the runner that its session lives on: it is opened, run under the runner's own policy, and answered. A call that
 * must not run twice runs only after this runner has claimed it.
 */
import { randomUUID } from "node:crypto"
import { Clock, Context, Duration, Effect, Either, FiberSet } from "effect"
import { VERSION } from "../../audit/AuditEntry.js"
import { AuditSink } from "../../audit/AuditSink.js"
import type { Call, Result } from "../../registry/Call.js"
import { withinBudget } from "../../registry/execution/Budget.js"
import type { DispatchSettings } from "../../registry/execution/Dispatch.js"
import type * as Registry from "../../registry/Registry.js"
import * as ToolResult from "../../registry/ToolResult.js"
import * as Turn from "../../registry/Turn.js"
import * as Isolation from "../../tools/Isolation.js"
import { Progress } from "../../tools/Progress.js"
import { ClusterError } from "../ClusterError.js"
import { type Loaded, type Policies, underRevision } from "../Policies.js"
import { TurnRefused } from "../Session.js"
import type { Claim, Ledger } from "../store/Ledger.js"
import { SKEW } from "../store/Retention.js"
import type { Keyring } from "../wire/Keys.js"
import * as Turns from "../wire/Turns.js"
import type { Running } from "./Running.js"

export interface Served {
  readonly registry: Registry.Registry
  readonly policies: Policies
  readonly backends: (tools: ReadonlyArray<string>) => Effect.Effect<Context.Context<never>, string>
  readonly keys: Keyring
  readonly ledger: Ledger
  readonly retention: Duration.Duration
  /** Fails when another runner has taken over. */
  readonly lost: Effect.Effect<never, ClusterError>
}

/** Whoever gave this answer does not know what the call has done. */
const UNKNOWN = ToolResult.fail(
  "interrupted",
  "the call was begun before, and its answer was lost with the runner that had it, or is not kept any more; whether the call took effect is not known, and it was not made again"
)

const LATE = ToolResult.fail(
  "timeout",
  "the call was not begun in the time that it was given, by the clock of who sent it and that of the runner"
)

/** One turn that is being served. */
interface Serving {
  readonly body: Turns.TurnBody
  readonly key: string
  readonly running: Running
  readonly loaded: Loaded
}

/** A call that must not run twice without anybody knowing: not those of a tool that is the host's and says that it may. */
const isOnce = ({ origins, tools }: Registry.Registry, { name }: Call): boolean => {
  const tool = tools.get(name)
  // A tool that is not here may be on the runner that had the turn before, and have run there.
  if (tool === undefined) return true
  // What a server, a plugin or an isolated module says of its tools is a stranger's word.
  const { module, plugin, server } = origins.get(name) ?? {}
  const isOwn =
    module === undefined && plugin === undefined && server === undefined && Isolation.of(tool) === undefined
  return !(isOwn && (tool.readOnly || tool.idempotent))
}

const turnOf = ({ body, loaded }: Serving): Turn.Turn =>
  Turn.make({
    session: body.session,
    policy: loaded.policy,
    workdir: body.workdir,
    home: loaded.home,
    attachments: body.attachments,
    exclude: body.exclude,
    dryRun: body.dryRun,
    redactTokens: body.redactTokens,
    ...Turns.limitsOf(body),
    // All answers of a turn are cut together, and once.
    budget: Number.POSITIVE_INFINITY
  })

/** What is not run here gets one answer, but for calls that another runner has begun: of those it would not be true. */
const unrun = (
  { keys, ledger, registry }: Served,
  body: Turns.TurnBody,
  key: string,
  result: ToolResult.ToolResult
): Effect.Effect<Omit<Turns.ReplyBody, "v">> =>
  Effect.map(ledger.begun(key), (begun) => ({
    results: withinBudget(
      body.calls,
      body.calls.map((_, at) => {
        const claim = begun.get(at)
        return claim === undefined ? result : (knownOf(keys, key, claim, at) ?? UNKNOWN)
      }),
      { budget: Turns.limitsOf(body).budget, policy: body },
      registry.tools
    ),
    events: []
  }))

const knownOf = (keys: Keyring, key: string, claim: Claim, at: number): ToolResult.ToolResult | undefined =>
  claim._tag === "mine" || claim.result === undefined
    ? undefined
    : Either.getOrUndefined(Turns.openResult(keys, key, at, claim.result))

/** What is answered without being run is in the log as well. */
const logged = (
  { body, loaded: { policy } }: Serving,
  calls: ReadonlyArray<Call>,
  sink: AuditSink.Service | undefined
): Effect.Effect<void> =>
  sink === undefined || calls.length === 0
    ? Effect.void
    : Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.ignore(
          sink.append(
            calls.map(({ id, name }) => ({
              v: VERSION,
              type: "call",
              time: new Date(now).toISOString(),
              session: body.session,
              ...(policy.agent === undefined ? {} : { agent: policy.agent }),
              ...(policy.personality === undefined ? {} : { personality: policy.personality }),
              revision: policy.revision,
              call: id,
              tool: name,
              origin: "host",
              code: "interrupted",
              ms: 0
            }))
          )
        )
      )

/** The calls of a turn: each has its result, or is to be run. */
class Calls {
  readonly results: Array<ToolResult.ToolResult | undefined>

  constructor(
    private readonly served: Served,
    private readonly serving: Serving
  ) {
    this.results = new Array(serving.body.calls.length)
  }

  private get calls(): ReadonlyArray<Call> {
    return this.serving.body.calls
  }

  private get once(): ReadonlyArray<number> {
    if (this.serving.body.dryRun) return []
    return this.calls.flatMap((call, at) => (isOnce(this.served.registry, call) ? [at] : []))
  }

  /** Claims what must not run twice. What another has begun has its result then, or nobody knows it. */
  get claimed(): Effect.Effect<ReadonlyArray<Call>, ClusterError> {
    const { once, serving, served } = this
    if (once.length === 0) return Effect.succeed([])
    const entries = once.map((call) => ({ turn: serving.key, call }))
    return Effect.map(served.ledger.claim(entries, randomUUID()), (claims) =>
      claims.flatMap((claim, index): ReadonlyArray<Call> => {
        const at = once[index] as number
        const known = knownOf(served.keys, serving.key, claim, at)
        if (claim._tag === "begun") this.results[at] = known ?? UNKNOWN
        return claim._tag === "begun" && known === undefined ? [this.calls[at] as Call] : []
      })
    )
  }

  /** Those that are left. */
  get left(): ReadonlyArray<number> {
    return this.calls.flatMap((_, at) => (this.results[at] === undefined ? [at] : []))
  }

  /** Runs what is left; the result of each is kept as it comes, but for the last: the answer of the turn has it. */
  run(
    context: Context.Context<never>
  ): Effect.Effect<ReadonlyArray<Turns.ReplyBody["events"][number]>, ClusterError> {
    const { served, serving, left } = this
    const { running } = serving
    const once = new Set(this.once)
    const turn = turnOf(serving)
    return Effect.scoped(
      Effect.gen(this, function* () {
        const writes = yield* FiberSet.make<void, ClusterError>()
        const fork = yield* FiberSet.runtime(writes)<never>()
        const surroundings = Context.add(context, Progress, {
          report: (event) => Effect.sync(() => running.tell({ _tag: "Progress", event }))
        })
        let open = left.length
        const onResultAt = (index: number, result: ToolResult.ToolResult): void => {
          const at = left[index] as number
          open -= 1
          running.tell({ _tag: "Result", call: at, result })
          if (open > 0 && once.has(at)) {
            const sealed = Turns.sealResult(served.keys, serving.key, at, result)
            if (sealed !== undefined) {
              fork(served.ledger.settle({ turn: serving.key, call: at }, sealed))
            }
          }
        }
        const settings: DispatchSettings = { signal: running.signal, onResultAt }
        const results = yield* Effect.raceFirst(
          Effect.mapInputContext(
            served.registry.execute(
              turn,
              left.map((at) => this.calls[at] as Call),
              settings
            ),
            (_: Context.Context<never>) => surroundings
          ),
          served.lost
        )
        // What came of a call is known only once it is written down, where this runner may still write.
        yield* Effect.raceFirst(
          FiberSet.awaitEmpty(writes),
          Effect.zipRight(FiberSet.join(writes), Effect.never)
        )
        results.forEach((one, index) => {
          this.results[left[index] as number] = one.result
        })
        return turn.transcript.events
      })
    )
  }

  get answers(): ReadonlyArray<Result> {
    const { body } = this.serving
    // What is known from another runner was kept as it came, and takes its share of the budget here.
    return withinBudget(
      this.calls,
      this.calls.map((_, at) => this.results[at] ?? UNKNOWN),
      { budget: Turns.limitsOf(body).budget, policy: body },
      this.served.registry.tools
    )
  }
}

const running = (served: Served, serving: Serving): Effect.Effect<Omit<Turns.ReplyBody, "v">> =>
  Effect.gen(function* () {
    const calls = new Calls(served, serving)
    const names = [...new Set(serving.body.calls.map(({ name }) => name))]
    const context = yield* Effect.either(served.backends(names))
    if (Either.isLeft(context)) {
      const away = ToolResult.fail("not_available", context.left)
      return yield* unrun(served, serving.body, serving.key, away)
    }
    const sink = Context.getOption(context.right, AuditSink)
    const events = yield* Effect.gen(function* () {
      const unknown = yield* calls.claimed
      yield* logged(serving, unknown, sink._tag === "Some" ? sink.value : undefined)
      return calls.left.length === 0 ? [] : yield* calls.run(context.right)
    }).pipe(Effect.catchAll(() => Effect.succeed([])))
    return { results: calls.answers, events }
  })

/** A turn that was sent long ago, or comes from another time, is none: what was heard is not said again. */
const ageOf = ({ at }: Turns.TurnBody, now: number, { retention }: Served): string | undefined => {
  if (now - at > Duration.toMillis(retention)) return "the message is older than the cluster keeps anything"
  return at - now > Duration.toMillis(SKEW)
    ? "the message comes from a clock that is ahead of this runner's; set the clocks right"
    : undefined
}

/** Opens a turn, and answers it. */
export const serve = (
  served: Served,
  entity: string,
  sealed: Turns.Sealed,
  run: Running
): Effect.Effect<string, TurnRefused> =>
  Effect.gen(function* () {
    const opened = Turns.openTurn(served.keys, entity, sealed)
    if (Either.isLeft(opened)) return yield* new TurnRefused({ reason: opened.left })
    const body = opened.right
    const now = yield* Clock.currentTimeMillis
    const { key } = sealed
    const answer = (result: ToolResult.ToolResult) =>
      Effect.map(unrun(served, body, key, result), (reply) => Turns.sealReply(served.keys, key, reply))
    const age = ageOf(body, now, served)
    if (age !== undefined) {
      const { message } = new ClusterError({ code: "MESSAGE_REFUSED", detail: age })
      return yield* answer(ToolResult.fail("not_available", message))
    }
    if (body.until !== null && now > body.until) return yield* answer(LATE)
    const loaded = yield* Effect.either(
      underRevision(served.policies, { agent: body.agent, personality: body.personality }, body.revision)
    )
    if (Either.isLeft(loaded)) return yield* answer(ToolResult.fail("not_available", loaded.left))
    const reply = yield* run.once(running(served, { body, key, running: run, loaded: loaded.right }))
    return Turns.sealReply(served.keys, key, reply)
  })
