/** The live backends of a server, each loaded and built when a call first needs it, and released with the scope. */
import { Context, Effect, ExecutionStrategy, Fiber, Layer, Scope } from "effect"
import { auditFor } from "../../auditing.js"
import { type BackendSettings, type Loader, loadersFor } from "../../backends.js"
import { CliError } from "../../CliError.js"
import type { Tools } from "../../workspace/Tools.js"
import { categoriesOf } from "../turn/OpenTurn.js"

export interface LazyBackends {
  /** What these tools stand on, with all that was built before. */
  readonly over: (tools: Iterable<string>) => Effect.Effect<Context.Context<never>, CliError>
  /** What was built so far. */
  readonly built: () => Context.Context<never>
}

const broken = (): CliError => new CliError("a backend cannot be started; look at what the machine lacks")

const orBroken = (error: unknown): CliError => (error instanceof CliError ? error : broken())

export const lazyBackends = (
  workspace: Tools,
  settings: BackendSettings
): Effect.Effect<LazyBackends, CliError, Scope.Scope> =>
  Effect.gen(function* () {
    const { layerFor, own } = workspace
    // From now on: what is built when a call needs it outlasts the calls that whoever begins later lets come to their end.
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    const alone = yield* Effect.makeSemaphore(1)
    const loaded = new Set<Loader>()
    let services: Context.Context<never> | undefined
    // At once: a key that is missing is told before anybody is served.
    const audit = yield* Effect.tryPromise({ try: () => auditFor(settings), catch: orBroken })
    // What two of them stand on, such as a database, is built once.
    const memory = yield* Layer.makeMemoMap
    let backends = yield* Layer.buildWithMemoMap(audit, memory, scope)
    let all = backends

    const missing = (tools: ReadonlyArray<string>) => ({
      loaders: [...loadersFor(categoriesOf(tools, workspace))].filter((one) => !loaded.has(one)),
      services: services === undefined && tools.some((name) => own.has(name))
    })

    const build = (tools: ReadonlyArray<string>): Effect.Effect<void, CliError> =>
      Effect.gen(function* () {
        const needed = missing(tools)
        for (const load of needed.loaders) {
          const layer = yield* Effect.tryPromise({ try: () => load(settings), catch: orBroken })
          backends = Context.merge(backends, yield* Layer.buildWithMemoMap(layer, memory, scope))
          loaded.add(load)
        }
        if (needed.services) services = yield* Layer.buildWithScope(layerFor(tools), scope)
        // A backend goes before a service that passes for one.
        all = Context.merge(services ?? Context.empty(), backends) as Context.Context<never>
      })

    return {
      built: () => all,
      over: (given) =>
        Effect.suspend(() => {
          const tools = [...given]
          const isMissing = (): boolean => {
            const { loaders, services } = missing(tools)
            return services || loaders.length > 0
          }
          if (!isMissing()) return Effect.succeed(all)
          // What one client has begun to build is not given up because it leaves. A fiber of its own builds it, for what
          // layers start could not be stopped if it were started where nothing may be interrupted.
          const building = alone.withPermits(1)(
            Effect.suspend(() => (isMissing() ? build(tools) : Effect.void))
          )
          return Effect.map(
            Effect.flatMap(Effect.forkIn(Effect.interruptible(building), scope), Fiber.join),
            () => all
          )
        })
    }
  })
