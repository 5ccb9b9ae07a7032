/** What is remembered of a turn while it runs: the Contexts of its tools, its binaries, and what must not be shown. */
import { Clock, Context, Duration, Effect, type Either, type Fiber, type Runtime } from "effect"
import { passing } from "../../audit/Asked.js"
import { AuditSink } from "../../audit/AuditSink.js"
import type { ProcessBackend } from "../../capabilities/process/ProcessBackend.js"
import * as Revealed from "../../capabilities/secrets/Revealed.js"
import { SecretsBackend } from "../../capabilities/secrets/SecretsBackend.js"
import type { Holder } from "../../policy/gate/Asking.js"
import { isOf } from "../../policy/gate/Call.js"
import type { Decision } from "../../policy/lattice/Decision.js"
import type * as Request from "../../policy/lattice/Request.js"
import { getOrSet } from "../../policy/Memo.js"
import { sandboxOf } from "../../policy/Policy.js"
import type { Origin } from "../../policy/ToolOrigin.js"
import * as Isolation from "../../tools/Isolation.js"
import type * as Tool from "../../tools/Tool.js"
import * as Backends from "../Backends.js"
import type { NotAvailable } from "../NotAvailable.js"
import type { Plan, Planned } from "../Plan.js"
import { withDiscreetProgress } from "../scrub/Reports.js"
import { Scrubber } from "../scrub/Scrubber.js"
import type { Event } from "../Transcript.js"
import type { Turn } from "../Turn.js"
import { type Batch, bare, type Inherited } from "./batch.js"
import { Entries } from "./entries.js"
import { type Recorder, recorderOf } from "./Recorder.js"
import { contextOf } from "./services.js"
import { Surroundings } from "./surroundings.js"

/** For whom a turn is, as events and logs have it. */
interface Who {
  readonly session: string
  readonly revision: string
  readonly agent?: string
}

/** Decisions in the log: who asked for what, and what came of it; never contents. */
const logDecision = (
  who: Who & { readonly tool: string },
  decision: Decision,
  asked: string
): Effect.Effect<void> => {
  if (decision.allowed) {
    const { capability, scope } = decision
    return Effect.annotateLogs(Effect.logDebug("allowed"), { ...who, capability, asked, scope })
  }
  const { capability, code, reason, remedy } = decision.denial
  return Effect.annotateLogs(Effect.logWarning("refused"), {
    ...who,
    capability,
    asked,
    code,
    reason,
    remedy
  })
}

/** One for each place that secrets come from: whatever it has given out, to whomever, is not shown again. */
const scrubbers = new WeakMap<object, Scrubber>()

const scrubberOf = (backends: Context.Context<never>): Scrubber => {
  const backend = backends.unsafeMap.get(SecretsBackend.key) as object | undefined
  if (backend === undefined) return new Scrubber()
  return getOrSet(scrubbers, backend, () => {
    const scrubber = new Scrubber()
    Revealed.of(backend).listen((value) => scrubber.add(value))
    return scrubber
  })
}

type AnyBatch = Pick<Batch<never>, "cancel">

/** What is kept of a turn for afterwards: the entries, and what has them kept. */
export interface Kept {
  readonly entries: Entries
  readonly recorder: Recorder
}

/** A tool that may be called in the turn, with all that a call of it needs: nothing of it is looked up again. */
export interface Ready {
  readonly planned: Planned
  readonly context: Context.Context<never>
  /** With the Context in it. */
  readonly runtime: Runtime.Runtime<never>
  readonly deadlineMillis: number
  /** By which its calls are known. */
  readonly owner: object
  /** What it was registered for when it was offered. */
  readonly origin: Origin | undefined
}

export class Session {
  readonly scrubber: Scrubber
  private readonly revealed: (value: string) => void
  /** Of what secrets were given out, and of nothing that is only guessed at: it is for answers that a tool works with. */
  private readonly scrubbing: (further: ReadonlyArray<string>) => Scrubber
  /** What it takes of the program that it was made in. */
  readonly backends: Context.Context<never>
  /** What services are made of. */
  private readonly given: Context.Context<never>
  private readonly contexts = new WeakMap<Tool.Any, Either.Either<Context.Context<never>, NotAvailable>>()
  private readonly owners = new WeakMap<Tool.Any, object>()
  private readonly known = new WeakMap<Tool.Any, Ready>()
  private readonly pins = new Map<string, ProcessBackend.Pinned>()
  /** Nothing, where nobody wants it, or nothing is done. */
  readonly kept: Kept | undefined

  constructor(
    readonly turn: Turn,
    readonly plan: Plan,
    ambient: Context.Context<never>,
    /** The keys of the application services that it was made with. */
    private readonly listed: ReadonlyArray<string>,
    /** Whether something is done in it, and not only asked. */
    acts = true
  ) {
    this.backends = Backends.from(ambient, listed)
    this.kept = acts && !turn.dryRun ? this.keeping() : undefined
    const shared = scrubberOf(this.backends)
    this.scrubber = shared.forTurn(turn.redactTokens)
    this.revealed = (value) => shared.add(value)
    this.scrubbing = (further) => shared.with(further)
    this.given = withDiscreetProgress(this.backends, this.scrubber)
  }

  private keeping(): Kept | undefined {
    const sink = this.backends.unsafeMap.get(AuditSink.key) as AuditSink.Service | undefined
    if (sink === undefined) return undefined
    const { plan, turn } = this
    const entries = new Entries(turn, (name) => (plan.knows(name) ? plan.originOf(name) : undefined))
    return { entries, recorder: recorderOf(sink) }
  }

  private clock: Clock.Clock | undefined

  /** Tells of a decision whoever wants to hear of it. */
  heard(event: Omit<Event, "sequence" | "type">, request?: Request.Request): void {
    this.turn.transcript.add(event)
    this.keep(event, request)
  }

  /** Puts it in the audit log, where there is one. */
  private keep(event: Omit<Event, "sequence" | "type">, request?: Request.Request): void {
    this.kept?.recorder.add(this.kept.entries.decision(event, request, this.clock))
  }

  get who(): Who {
    const {
      policy: { agent, revision },
      session
    } = this.turn
    return agent === undefined ? { session, revision } : { session, agent, revision }
  }

  /** A tool in this turn, by which its calls are known. */
  private ownerOf(tool: Tool.Any): object {
    return getOrSet(this.owners, tool, () => ({}))
  }

  /** A tool that was ready before, and still is offered as what it was registered for then. */
  ready(tool: Tool.Any): Ready | undefined {
    const ready = this.known.get(tool)
    return ready !== undefined && ready.origin === this.plan.registered(tool.name) ? ready : undefined
  }

  /** Makes a tool ready that is offered. */
  readied(planned: Planned, context: Context.Context<never>): Ready {
    const { tool } = planned
    const ready: Ready = {
      planned,
      context,
      runtime: bare(context),
      deadlineMillis: Duration.toMillis(tool.deadline ?? this.turn.deadline),
      owner: this.ownerOf(tool),
      origin: this.plan.registered(tool.name)
    }
    // One that can say that it cannot work is asked each time.
    if (tool.isAvailable === undefined) this.known.set(tool, ready)
    return ready
  }

  /** What is given to a tool is for its own calls, while they run, unless it is given for longer. */
  holderOf({ authority, tool }: Pick<Planned, "authority" | "tool">, isAlive?: Holder["isAlive"]): Holder {
    const { policy, session } = this.turn
    const { name } = tool
    const owner = this.ownerOf(tool)
    return {
      isAlive: isAlive ?? ((call) => call !== undefined && isOf(call, owner)),
      tool: name,
      origin: this.plan.originOf(name),
      session,
      authority,
      floor: policy.floor,
      sandbox: sandboxOf(policy),
      granter: { agent: policy.agent, authority: policy.authority, floor: policy.floor },
      mentioned: policy.mentioned,
      log: (decision, asked) => this.logged(name, decision, asked),
      passes: (target, { capability, scope }, call) =>
        this.keep({
          ...this.who,
          tool: name,
          ...(call === undefined ? {} : { callId: call }),
          capability,
          asked: this.shown(passing(target)),
          allowed: true,
          ...(scope === undefined ? {} : { scope: this.shown(scope) })
        }),
      observe: (decision, asked, call, request) => {
        const { capability } = decision.allowed ? decision : decision.denial
        const shared = {
          ...this.who,
          tool: name,
          ...(call === undefined ? {} : { callId: call }),
          capability,
          asked: this.shown(asked),
          allowed: decision.allowed
        }
        if (decision.allowed) this.heard({ ...shared, scope: decision.scope }, request)
        else {
          const { code, detail, reason, remedy } = decision.denial
          this.heard({
            ...shared,
            reason,
            code,
            detail: this.shown(detail),
            remedy: this.shown(remedy)
          })
        }
      }
    }
  }

  logged(tool: string, decision: Decision, asked: string): Effect.Effect<void> {
    return logDecision({ tool, ...this.who }, decision, this.shown(asked))
  }

  /** Puts in the log what a tool broke with. */
  broke(tool: string, call: string, text: string): Effect.Effect<void> {
    return Effect.annotateLogs(Effect.logError(`${tool} broke`, this.shown(text)), {
      tool,
      ...this.who,
      call
    })
  }

  /** Text as it may leave: to the transcript and to logs. */
  shown(text: string): string {
    return this.scrubber.guarded(text)
  }

  /** The Context of a tool, if it was made before. */
  contextOf(tool: Tool.Any): Either.Either<Context.Context<never>, NotAvailable> | undefined {
    return this.contexts.get(tool)
  }

  make(
    planned: Planned,
    isAlive?: Holder["isAlive"]
  ): Effect.Effect<Either.Either<Context.Context<never>, NotAvailable>> {
    return Effect.map(
      Effect.either(
        contextOf({
          holder: this.holderOf(planned, isAlive),
          declared: planned.tool.capabilities,
          listed: planned.tool.services,
          turn: this.turn,
          backends: this.given,
          pins: this.pins,
          revealed: this.revealed,
          hidden: (value) => this.scrubber.add(value),
          registered: this.plan.registered(planned.tool.name),
          isolation: Isolation.of(planned.tool),
          shown: (text) => this.shown(text),
          discreet: (value) => this.scrubber.value(value),
          scrubbing: (further) => this.scrubbing(further)
        })
      ),
      (made) => {
        this.contexts.set(planned.tool, made)
        this.known.delete(planned.tool)
        return made
      }
    )
  }

  private inherited: Surroundings | undefined

  /** What tools inherit of a fiber; worked out once for as long as it stays the same. */
  surroundingsOf(fiber: Fiber.RuntimeFiber<unknown, unknown>): Inherited {
    if (this.inherited?.areOf(fiber) !== true) this.inherited = new Surroundings(fiber, this.scrubber)
    return this.inherited.given
  }

  private readonly batches = new Set<AnyBatch>()

  /** Lets a batch be cancelled while it runs. */
  running(batch: AnyBatch, signal: AbortSignal | undefined): () => void {
    const abort = () => batch.cancel()
    this.batches.add(batch)
    signal?.addEventListener("abort", abort)
    return () => {
      this.batches.delete(batch)
      signal?.removeEventListener("abort", abort)
    }
  }

  /** Cancels one call, or all of them. */
  cancel(id?: string): boolean {
    return [...this.batches].map((batch) => batch.cancel(id)).includes(true)
  }

  get isRunning(): boolean {
    return this.batches.size > 0
  }

  private seen: Context.Context<never> | undefined

  /**
   * Whether the session was made for what a program provides, of the application services too; mostly it is the very
   * same Context as before.
   */
  serves(ambient: Context.Context<never>, listed: ReadonlyArray<string>): boolean {
    if (this.listed !== listed) return false
    if (this.seen === ambient) return true
    if (!Backends.same(this.backends, ambient, listed)) return false
    this.seen = ambient
    return true
  }

  clockOf({ currentDefaultServices }: Fiber.RuntimeFiber<unknown, unknown>): Clock.Clock {
    this.clock = Context.get(currentDefaultServices, Clock.Clock)
    return this.clock
  }
}
