/** What is remembered of a turn while it runs: the Contexts of its tools, its binaries, and what must not be shown. */
import { Clock, Context, Effect, type Either, type Fiber, type FiberRefs } from "effect"
import type { ProcessBackend } from "../../capabilities/process/ProcessBackend.js"
import { SecretsBackend } from "../../capabilities/secrets/SecretsBackend.js"
import type { Holder } from "../../policy/gate/Proof.js"
import type { Decision } from "../../policy/lattice/Decision.js"
import type * as Tool from "../../tools/Tool.js"
import * as Backends from "../Backends.js"
import type { NotAvailable } from "../NotAvailable.js"
import type { Plan, Planned } from "../Plan.js"
import { Scrubber } from "../scrub/Scrubber.js"
import type { Turn } from "../Turn.js"
import type { Batch } from "./batch.js"
import { contextOf } from "./services.js"
import { Surroundings } from "./surroundings.js"

/** Decisions in the log: who asked for what, and what came of it; never contents. */

const logDecision = (
  who: { readonly tool: string; readonly session: string; readonly revision: string },
  decision: Decision,
  asked: string
): Effect.Effect<void> => {
  if (decision.allowed) {
    const { capability, scope } = decision
    return Effect.annotateLogs(Effect.logDebug("allowed"), { ...who, capability, asked, scope })
  }
  const { capability, code, reason, remedy } = decision.denial
  return Effect.annotateLogs(Effect.logInfo("refused"), { ...who, capability, asked, code, reason, remedy })
}

/** One for each place that secrets come from: whatever it has given out, to whichever turn, is not shown again. */
const scrubbers = new WeakMap<object, Scrubber>()

const scrubberOf = (backends: Context.Context<never>): Scrubber => {
  const backend = backends.unsafeMap.get(SecretsBackend.key) as object | undefined
  if (backend === undefined) return new Scrubber()
  const known = scrubbers.get(backend) ?? new Scrubber()
  scrubbers.set(backend, known)
  return known
}

type AnyBatch = Pick<Batch<never>, "cancel">

export class Session {
  readonly scrubber: Scrubber
  private readonly contexts = new WeakMap<Tool.Any, Either.Either<Context.Context<never>, NotAvailable>>()
  private readonly pins = new Map<string, ProcessBackend.Pinned>()

  constructor(
    readonly turn: Turn,
    readonly plan: Plan,
    readonly backends: Context.Context<never>
  ) {
    this.scrubber = scrubberOf(backends)
  }

  holderOf({ authority, tool: { name } }: Pick<Planned, "authority" | "tool">): Holder {
    const { policy, session } = this.turn
    return {
      tool: name,
      session,
      authority,
      floor: policy.floor,
      granter: { agent: policy.agent, authority: policy.authority },
      mentioned: policy.mentioned,
      log: (decision, asked) => this.logged(name, decision, asked),
      observe: (decision, asked, call) => {
        const { capability } = decision.allowed ? decision : decision.denial
        const shared = {
          session,
          revision: policy.revision,
          tool: name,
          ...(call === undefined ? {} : { callId: call }),
          capability,
          asked: this.shown(asked),
          allowed: decision.allowed
        }
        if (decision.allowed) this.turn.transcript.add({ ...shared, scope: decision.scope })
        else {
          const { code, detail, reason, remedy } = decision.denial
          this.turn.transcript.add({
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
    const { policy, session } = this.turn
    return logDecision({ tool, session, revision: policy.revision }, decision, this.shown(asked))
  }

  /** Text as it may leave: to the transcript and to logs. */
  shown(text: string): string {
    return Scrubber.patterns(this.scrubber.isEmpty ? text : this.scrubber.text(text))
  }

  /** The Context of a tool, if it was made before. */
  contextOf(tool: Tool.Any): Either.Either<Context.Context<never>, NotAvailable> | undefined {
    return this.contexts.get(tool)
  }

  make(planned: Planned): Effect.Effect<Either.Either<Context.Context<never>, NotAvailable>> {
    return Effect.map(
      Effect.either(
        contextOf({
          holder: this.holderOf(planned),
          declared: planned.tool.capabilities,
          turn: this.turn,
          backends: this.backends,
          pins: this.pins,
          revealed: (value) => this.scrubber.add(value)
        })
      ),
      (made) => {
        this.contexts.set(planned.tool, made)
        return made
      }
    )
  }

  private inherited: Surroundings | undefined

  /** What tools inherit of a fiber; worked out once for as long as it stays the same. */
  surroundingsOf(fiber: Fiber.RuntimeFiber<unknown, unknown>): FiberRefs.FiberRefs {
    if (this.inherited?.areOf(fiber) !== true) this.inherited = new Surroundings(fiber, this.scrubber)
    return this.inherited.fiberRefs
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

  private seen: Context.Context<never> | undefined

  /** Whether the session was made for what a program provides; mostly it is the very same Context as before. */
  serves(ambient: Context.Context<never>): boolean {
    if (this.seen === ambient) return true
    if (!Backends.same(this.backends, ambient)) return false
    this.seen = ambient
    return true
  }

  clockOf({ currentDefaultServices }: Fiber.RuntimeFiber<unknown, unknown>): Clock.Clock {
    return Context.get(currentDefaultServices, Clock.Clock)
  }
}
