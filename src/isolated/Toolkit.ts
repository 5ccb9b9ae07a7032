/**
 * The tools of a module, each in a process of its own inside of the sandbox. The module is never loaded here: what its tools
 * are comes from a description that the process gives, and is read as a stranger's.
 *
 * @since 0.1.0
 */
import { Effect, type FiberRefs, type Scope } from "effect"
import * as Enclosure from "../layers/node/sandbox/enclosure/Enclosure.js"
import { getOrSet } from "../policy/Memo.js"
import * as Sandbox from "../policy/Sandbox.js"
import type { Enclosed, Isolation } from "../tools/Isolation.js"
import type * as Tool from "../tools/Tool.js"
import * as Code from "./code/Code.js"
import { type Described, digestOf, readHello } from "./host/Description.js"
import { IsolatedError } from "./host/IsolatedError.js"
import { servicesOf, toolOf } from "./host/IsolatedTool.js"
import { defaults, type Limits } from "./host/Limits.js"
import { Pool, type Start } from "./host/Pool.js"
import { Worker } from "./host/Worker.js"

/**
 * The tools that a module exports, under the names that it exports them by: as such, or in lists.
 *
 * @since 0.1.0
 * @category models
 */
export type ToolsOf<M> = {
  readonly [K in keyof M as M[K] extends Tool.Any | ReadonlyArray<Tool.Any> ? K : never]: M[K]
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * A process for each call, which nobody has used before; or one for all calls of a turn, which is faster, and in which the
   * tools of the module can disturb one another.
   */
  readonly per?: "call" | "turn" | undefined
  /** How many processes wait to be used. */
  readonly spares?: number | undefined
  /** Tags of the application services that the tools list, each with its `operations`. */
  readonly services?: ReadonlyArray<Tool.AnyTag> | undefined
  /** What was accepted of its tools: these are there, and one that its process describes otherwise is not called. */
  readonly pinned?: ReadonlyArray<Described> | undefined
  /** Directories that the module may be made of, besides those of packages; any, if nothing is said. */
  readonly within?: ReadonlyArray<string> | undefined
  /** Where what is made of the module is kept: the state directory, if nothing is said. */
  readonly directory?: string | undefined
  /** Whether a start-up snapshot is made of the module, where that can be. It is, unless this is `false`. */
  readonly snapshot?: boolean | undefined
  /** Whether the process that describes the tools must be held. For calls, the policy says it. */
  readonly sandbox?: "required" | "preferred" | undefined
  /** The absolute path of bubblewrap, where it is not to be looked for. */
  readonly bwrap?: string | undefined
  readonly limits?: Partial<Limits> | undefined
}

const DEFAULT_SPARES = 1

/** What JavaScript may give, and no type refused. */
const termsOf = ({ per = "call", spares = DEFAULT_SPARES }: Options) => {
  if (per !== "call" && per !== "turn") throw new RangeError("'per' is neither 'call' nor 'turn'")
  if (!Number.isSafeInteger(spares) || spares < 0) {
    throw new RangeError("'spares' is not a whole number from 0 on")
  }
  return { per, spares }
}

const nameOf = (module: URL): string => module.pathname.split("/").slice(-2).join("/")

const heldWords = ({ remedy, why }: { readonly why: string; readonly remedy: string }) =>
  new IsolatedError({
    code: "NOT_HELD",
    detail: `an isolated tool runs in a process that the kernel must hold, and ${why}; ${remedy}, or let a policy say 'sandbox: preferred'`
  })

/** What a worker said, or why it said nothing. */
const greeting = (worker: Worker, limits: Limits): Effect.Effect<unknown, IsolatedError> =>
  Effect.async((resume) => {
    const timer = setTimeout(
      () => worker.end("MODULE_NOT_LOADED", `it said nothing within ${limits.startMillis} ms`),
      limits.startMillis
    )
    void worker.hello.then((hello) => {
      clearTimeout(timer)
      resume(
        worker.why === undefined
          ? Effect.succeed(hello)
          : Effect.zipRight(
              Effect.annotateLogs(Effect.logDebug(worker.errorOutput), { from: "an isolated tool" }),
              Effect.fail(worker.why)
            )
      )
    })
    return Effect.sync(() => {
      clearTimeout(timer)
      worker.end("WORKER_ENDED", "nobody waited for it")
    })
  })

interface Making {
  /** Made when the first process is started. */
  readonly code: Effect.Effect<Code.Code, IsolatedError>
  readonly name: string
  readonly limits: Limits
  readonly holding: Effect.Effect<Enclosure.Holding>
}

/** Starts a process, held: unheld only where nothing can hold it, and somebody agreed to that. */
const launched = (
  holding: Making["holding"],
  name: string,
  enclosed: Effect.Effect<Enclosure.Enclosed, IsolatedError>,
  mode: Sandbox.Mode | undefined
): Effect.Effect<Enclosure.Started, IsolatedError> =>
  Effect.flatMap(holding, (found) => {
    if (!found.held && mode !== "preferred") return Effect.fail(heldWords(found))
    const warning = found.held
      ? Effect.void
      : Effect.logWarning(`nothing holds the process of ${name}, because ${found.why}; ${found.remedy}`)
    const started = Effect.flatMap(enclosed, (one) =>
      Effect.try({
        try: () => (found.held ? Enclosure.start(found, one) : Enclosure.startUnheld(one)),
        catch: (error) =>
          new IsolatedError({
            code: "MODULE_NOT_LOADED",
            detail: `the process of ${name} was not started: ${error instanceof Error ? error.message : "it broke"}`
          })
      })
    )
    return Effect.zipRight(warning, started)
  })

const spawned = (
  { code, holding, limits, name }: Making,
  { limits: written, mode }: Sandbox.Settings
): Effect.Effect<Worker, IsolatedError> => {
  const enclosed = Effect.map(code, (made) => made.enclosed(written.memoryBytes ?? limits.memoryBytes))
  return Effect.map(launched(holding, name, enclosed, mode), (started) => new Worker(started, limits, name))
}

/** What a worker says of its tools; one that says what cannot be accepted is ended. */
const described = (making: Making, worker: Worker) =>
  Effect.tapError(
    Effect.flatMap(greeting(worker, making.limits), (hello) => readHello(hello, making.limits)),
    () => Effect.sync(() => worker.end("WORKER_ENDED", "what it says of its tools cannot be accepted"))
  )

const makingOf = (module: URL, options: Options): Effect.Effect<Making, IsolatedError> =>
  Effect.gen(function* () {
    const limits = { ...defaults, ...options.limits }
    const holding = yield* Effect.cached(Enclosure.holding(options.bwrap))
    const name = nameOf(module)
    const made = Code.make(module, options, (enclosed) =>
      launched(holding, name, Effect.succeed(enclosed), options.sandbox)
    )
    const code = yield* Effect.cached(
      Effect.tap(made, ({ form, why }) =>
        why === undefined ? Effect.void : Effect.logDebug(`${name} is started from its ${form}: ${why}`)
      )
    )
    return { code, limits, holding, name }
  })

/** What workers said of their tools. */
class Said {
  private readonly digests = new WeakMap<Worker, ReadonlySet<string>>()

  hear(worker: Worker, tools: ReadonlyArray<Described>): Worker {
    this.digests.set(worker, new Set(tools.map(digestOf)))
    return worker
  }

  private readonly known = new WeakMap<Described, string>()

  /** Whether a worker describes this tool as it was accepted. */
  readonly isSame = (worker: Worker, one: Described): boolean =>
    this.digests.get(worker)?.has(getOrSet(this.known, one, () => digestOf(one))) === true
}

/** A worker that has said what its tools are. */
const starting =
  (making: Making, said: Said, refs: FiberRefs.FiberRefs): Start =>
  (sandbox) =>
    Effect.gen(function* () {
      // It is started on its own, and is logged where whoever made the toolkit logs.
      yield* Effect.setFiberRefs(refs)
      const worker = yield* spawned(making, sandbox)
      return said.hear(worker, yield* described(making, worker))
    })

const enclosedBy =
  (holding: Making["holding"], { memoryBytes }: Limits, per: Enclosed["per"]): Isolation["enclosed"] =>
  ({ limits: written, mode }) =>
    Effect.map(holding, (found) => ({
      mode: mode === "preferred" ? mode : "required",
      held: found.held,
      ...(found.held ? {} : { why: found.why }),
      per,
      reads: Enclosure.read(),
      limits: { ...Enclosure.limits, memoryBytes: written.memoryBytes ?? memoryBytes }
    }))

const firstSettings = ({ sandbox }: Options): Sandbox.Settings =>
  sandbox === "preferred" ? Sandbox.from("preferred") : Sandbox.unwritten

/**
 * Starts the module once, and says what its tools are, for whoever is to accept that.
 *
 * @since 0.1.0
 * @category constructors
 */
export const describe = (
  module: URL,
  options: Options = {}
): Effect.Effect<ReadonlyArray<Described>, IsolatedError> =>
  Effect.gen(function* () {
    const making = yield* makingOf(module, options)
    const worker = yield* spawned(making, firstSettings(options))
    return yield* Effect.ensuring(
      described(making, worker),
      Effect.sync(() => worker.end("WORKER_ENDED", "it has described itself"))
    )
  })

const kitOf = (tools: ReadonlyArray<readonly [Described, Tool.Any]>): object => {
  const kit = new Map<string, Tool.Any | Array<Tool.Any>>()
  for (const [{ at, exported }, tool] of tools) {
    const list = kit.get(exported)
    if (at === undefined) kit.set(exported, tool)
    else if (Array.isArray(list)) list.push(tool)
    else kit.set(exported, [tool])
  }
  return Object.freeze(Object.fromEntries(kit))
}

/**
 * The tools of a module, each with its description. Where they are pinned, nothing is started before one is called.
 *
 * @since 0.1.0
 * @category constructors
 */
export const tools = (
  module: URL,
  options: Options = {}
): Effect.Effect<ReadonlyArray<readonly [Described, Tool.Any]>, IsolatedError, Scope.Scope> =>
  Effect.gen(function* () {
    const { per, spares } = termsOf(options)
    const making = yield* makingOf(module, options)
    const { limits, name } = making
    const settings = firstSettings(options)
    let accepted = options.pinned
    const said = new Said()
    let first: Worker | undefined
    if (accepted === undefined) {
      first = yield* spawned(making, settings)
      accepted = yield* described(making, first)
      said.hear(first, accepted)
    }
    const pool = yield* Pool.make(starting(making, said, yield* Effect.getFiberRefs), per, spares, limits)
    if (first !== undefined) pool.adopt(first, settings)
    const services = yield* servicesOf(accepted, options.services ?? [])
    const { holding } = making
    const enclosed = enclosedBy(holding, limits, per)
    const given = { pool, limits, name, services, holding, enclosed, isSame: said.isSame }
    const made = new Map<string, Tool.Any>()
    for (const one of accepted) if (!made.has(one.name)) made.set(one.name, yield* toolOf(given, one))
    return accepted.flatMap((one): ReadonlyArray<readonly [Described, Tool.Any]> => {
      const tool = made.get(one.name)
      return tool === undefined ? [] : [[one, tool]]
    })
  })

/**
 * The tools of a module, typed as the module has them, each run in a process of its own. Give them to a registry.
 *
 * @since 0.1.0
 * @category constructors
 */
export const toolkit = <M>(
  module: URL,
  options: Options = {}
): Effect.Effect<ToolsOf<M>, IsolatedError, Scope.Scope> =>
  // The module's own type says what it exports; that it is so, nobody can tell before it is called.
  Effect.map(tools(module, options), (all) => kitOf(all) as ToolsOf<M>)
