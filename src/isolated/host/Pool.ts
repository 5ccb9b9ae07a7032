/**
 * The workers of one module: for each call one that nobody has used, or one for a turn. None is ever used in two sessions,
 * and none of one module by another.
 *
 * @since 0.1.0
 */
import { Effect, type Scope } from "effect"
import { getOrSet } from "../../policy/Memo.js"
import type { Settings } from "../../policy/Sandbox.js"
import { IsolatedError } from "./IsolatedError.js"
import type { Limits } from "./Limits.js"
import { Spares } from "./Spares.js"
import type { Worker } from "./Worker.js"

/**
 * Starts a worker that has said what it is, and is as it should be.
 *
 * @since 0.1.0
 * @category models
 */
export type Start = (sandbox: Settings) => Effect.Effect<Worker, IsolatedError>

/**
 * @since 0.1.0
 * @category models
 */
export interface Taking {
  readonly turn: object | undefined
  readonly sandbox: Settings
}

/**
 * Does a job with a worker, in a fiber. `left` says that the worker has nothing more to do with it.
 *
 * @since 0.1.0
 * @category models
 */
export type Job<A, E> = (worker: Worker, left: () => void) => Effect.Effect<A, E>

interface OfTurn {
  readonly worker: Promise<Worker>
  /** The same, once it is there. */
  ready: Worker | undefined
  users: number
  timer: NodeJS.Timeout | undefined
  /** Its first call has ended. */
  begun: (() => void) | undefined
}

const known = new WeakMap<Settings, string>()

/** Every call of a turn has the same settings. */
const termsOf = (settings: Settings): string =>
  getOrSet(known, settings, () => `${settings.mode === "preferred"} ${settings.limits.memoryBytes}`)

/**
 * @since 0.1.0
 * @category models
 */
export class Pool {
  private readonly unused = new Map<string, Spares>()
  private readonly ofTurns = new Map<object, Map<string, OfTurn>>()
  private readonly all = new Set<Worker>()
  private isClosed = false

  constructor(
    private readonly start: Start,
    private readonly per: "call" | "turn",
    private readonly spares: number,
    private readonly limits: Limits
  ) {}

  static make(
    start: Start,
    per: "call" | "turn",
    spares: number,
    limits: Limits
  ): Effect.Effect<Pool, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.sync(() => new Pool(start, per, spares, limits)),
      (pool) => Effect.sync(() => pool.close())
    )
  }

  /** One that was started for another reason, and has done nothing yet. */
  adopt(worker: Worker, sandbox: Settings): void {
    this.keep(worker)
    if (!worker.isAlive) return
    this.sparesOf(sandbox).add(Promise.resolve(worker))
  }

  private keep(worker: Worker): Worker {
    this.all.add(worker)
    worker.onEnd(() => this.all.delete(worker))
    if (this.isClosed) worker.end("WORKER_ENDED", "the toolkit was closed")
    return worker
  }

  private sparesOf(sandbox: Settings): Spares {
    return getOrSet(this.unused, termsOf(sandbox), () => new Spares(() => this.started(sandbox), this.spares))
  }

  private started(sandbox: Settings): Promise<Worker> {
    const starting = Effect.runPromise(Effect.either(this.start(sandbox))).then((made) => {
      if (made._tag === "Left") throw made.left
      return this.keep(made.right)
    })
    // Whoever takes it hears of it.
    starting.catch(() => {})
    return starting
  }

  /** Uses a worker, and ends it, or keeps it for its turn. */
  use<A, E>({ sandbox, turn }: Taking, job: Job<A, E>): Effect.Effect<A, E | IsolatedError> {
    if (this.isClosed) return Effect.fail(closed())
    return this.per === "call" || turn === undefined
      ? this.forCall(sandbox, job)
      : this.forTurn(turn, sandbox, job)
  }

  private forCall<A, E>(sandbox: Settings, job: Job<A, E>): Effect.Effect<A, E | IsolatedError> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(this.fresh(sandbox)), (worker) => {
        const ended = this.sparesOf(sandbox).begins()
        const end = () => {
          worker.end("WORKER_ENDED", "its call has ended")
        }
        const last = Effect.sync(() => {
          end()
          ended()
        })
        return Effect.ensuring(restore(job(worker, end)), last)
      })
    )
  }

  /** One that nobody has used. Who is interrupted while it starts leaves it to the next. */
  private fresh(sandbox: Settings, isAgain = false): Effect.Effect<Worker, IsolatedError> {
    return Effect.suspend(() => {
      const spares = this.sparesOf(sandbox)
      const spare = isAgain ? undefined : spares.shift()
      const taken = spare ?? spares.started()
      return Effect.flatMap(
        Effect.onInterrupt(waited(taken), () => Effect.sync(() => spares.leave(taken))),
        (worker) => {
          worker.wake()
          if (worker.isAlive) return Effect.succeed(worker)
          // One that ended while it waited was nobody's; one that ends as soon as it is there would do so again.
          return spare === undefined ? Effect.fail(worker.why ?? closed()) : this.fresh(sandbox, true)
        }
      )
    })
  }

  private forTurn<A, E>(
    turn: object,
    sandbox: Settings,
    job: Job<A, E>
  ): Effect.Effect<A, E | IsolatedError> {
    const own = this.ofTurn(turn, sandbox)
    const { ready } = own
    if (ready?.isAlive === true) return job(ready, this.entered(turn, own))
    return Effect.uninterruptibleMask((restore) => {
      const left = this.entered(turn, own)
      const waiting = Effect.flatMap(waited(own.worker), (worker) => job(worker, left))
      return Effect.ensuring(restore(waiting), Effect.sync(left))
    })
  }

  /** Somebody uses it, until they say that they have left. */
  private entered(turn: object, own: OfTurn): () => void {
    own.users++
    if (own.timer !== undefined) clearTimeout(own.timer)
    own.timer = undefined
    let isIn = true
    return () => {
      if (!isIn) return
      isIn = false
      own.begun?.()
      own.begun = undefined
      if (--own.users > 0) return
      own.timer = setTimeout(() => this.dismiss(turn), this.limits.idleMillis)
      own.timer.unref()
    }
  }

  private ofTurn(turn: object, sandbox: Settings): OfTurn {
    const terms = termsOf(sandbox)
    const all = this.ofTurns.get(turn) ?? new Map<string, OfTurn>()
    this.ofTurns.set(turn, all)
    const known = all.get(terms)
    if (known !== undefined) return known
    const spares = this.sparesOf(sandbox)
    const worker = spares.shift() ?? spares.started()
    const made: OfTurn = { worker, ready: undefined, users: 0, timer: undefined, begun: undefined }
    all.set(terms, made)
    const forget = () => {
      if (all.get(terms) === made) all.delete(terms)
    }
    worker.then((one) => {
      made.ready = one
      const begun = spares.begins()
      if (made.users > 0) made.begun = begun
      else begun()
      one.wake()
      one.onEnd(forget)
    }, forget)
    return made
  }

  private dismiss(turn: object): void {
    const all = this.ofTurns.get(turn)
    for (const [terms, { users, worker }] of all ?? []) {
      if (users > 0) continue
      all?.delete(terms)
      worker.then(
        (one) => one.end("WORKER_ENDED", "its turn has ended"),
        () => {}
      )
    }
    if (all?.size === 0) this.ofTurns.delete(turn)
  }

  close(): void {
    this.isClosed = true
    for (const all of this.ofTurns.values()) for (const { timer } of all.values()) clearTimeout(timer)
    this.ofTurns.clear()
    for (const spares of this.unused.values()) spares.close()
    for (const worker of [...this.all]) worker.end("WORKER_ENDED", "the toolkit was closed")
  }
}

const closed = () =>
  new IsolatedError({
    code: "WORKER_ENDED",
    detail:
      "the toolkit of this tool was closed with its scope; call the tool within the scope that the toolkit was made in"
  })

const waited = (starting: Promise<Worker>): Effect.Effect<Worker, IsolatedError> =>
  Effect.tryPromise({ try: () => starting, catch: (error) => error as IsolatedError })
