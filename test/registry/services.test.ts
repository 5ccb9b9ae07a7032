// Application services: a tool sees those that it lists and no other, and tenants never share what was kept for a turn.
import { describe, expect, it } from "@effect/vitest"
import { type FilesBackend, NotAvailable, Registry, Resolver, Tool } from "bailiwick"
import { Context, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { callOf, reader, turnOf, world } from "./support.js"

const base = { description: "d", parameters: Schema.Struct({}) } as const

class Db extends Context.Tag("app/Db")<
  Db,
  { readonly tenant: string; readonly rows: Effect.Effect<number> }
>() {}
class Mail extends Context.Tag("app/Mail")<Mail, { readonly send: Effect.Effect<void> }>() {}
class Level extends Context.Reference<Level>()("app/Level", { defaultValue: () => 1 }) {}
const Name = Context.GenericTag<"app/Name", string>("app/Name")

const dbOf = (tenant: string): Db["Type"] => ({ tenant, rows: Effect.succeed(tenant.length) })

const whose = (options: { readonly name?: string; readonly cache?: boolean } = {}) =>
  Tool.make({
    ...base,
    name: "whose",
    ...options,
    capabilities: {},
    services: [Db],
    execute: () => Effect.map(Db, ({ tenant }) => tenant)
  })

const levelled = Tool.make({
  ...base,
  name: "levelled",
  capabilities: {},
  services: [Level],
  execute: () => Level
})

const mailing = Tool.make({
  ...base,
  name: "mailing",
  capabilities: {},
  services: [Mail],
  execute: () => Effect.flatMap(Mail, ({ send }) => send)
})

/** All that a tool has in its Context, by key. */
const keys = Effect.map(Effect.context<never>(), ({ unsafeMap }) => [...unsafeMap.keys()].sort())

const answer = <E, R>(
  run: Effect.Effect<ReadonlyArray<{ readonly result: { readonly ok: boolean } }>, E, R>
): Effect.Effect<unknown, E, R> =>
  Effect.map(run, ([first]) => {
    const result = first?.result as { readonly value?: unknown; readonly error?: unknown } | undefined
    return result?.value ?? result?.error
  })

describe("a tool in a registry", () => {
  it.effect("is given the services that it lists", () =>
    Effect.gen(function* () {
      const registry = Registry.make(whose(), reader)
      expect(yield* answer(registry.execute(turnOf(), [callOf("whose")]))).toBe("acme")
      expect((yield* registry.menu(turnOf())).map(({ name, surface }) => [name, surface])).toEqual([
        ["whose", ["services: app/Db"]]
      ])
    }).pipe(Effect.provideService(Db, dbOf("acme")))
  )

  it.effect("has nothing else of its host in any of its parts, and nothing of another tool's services", () =>
    Effect.gen(function* () {
      const seen: Array<ReadonlyArray<string>> = []
      const curious = Tool.make({
        ...base,
        name: "curious",
        capabilities: { fs_reach: { read: ["/"] } },
        services: [Db],
        isAvailable: () => Effect.map(keys, (found) => seen.push(found) > 0),
        execute: () => keys as Effect.Effect<ReadonlyArray<string>>
      })
      const registry = Registry.make(curious, mailing)
      const expected = ["app/Db", "bailiwick/Files"]
      expect(yield* answer(registry.execute(turnOf(), [callOf(curious)]))).toEqual(expected)
      expect(seen).toEqual([expected])
    }).pipe(
      Effect.provideService(Db, dbOf("acme")),
      Effect.provideService(Mail, { send: Effect.void }),
      Effect.provideService(Name, "host"),
      Effect.provide(world())
    )
  )

  it.effect(
    "has a reference's own value where nobody gives another, and the host's where somebody does",
    () =>
      Effect.gen(function* () {
        const registry = Registry.make(levelled)
        const run = () => answer(registry.execute(turnOf(), [callOf(levelled)]))
        expect(yield* run()).toBe(1)
        expect(yield* Effect.provideService(run(), Level, 9)).toBe(9)
        const deaf = Tool.make({ ...base, name: "deaf", capabilities: {}, execute: () => Level })
        const other = Registry.make(deaf)
        const heard = answer(other.execute(turnOf(), [callOf(deaf)]))
        expect(yield* Effect.provideService(heard, Level, 9)).toBe(1)
      })
  )

  it.effect("may be given a service that is a plain value, and even undefined", () =>
    Effect.gen(function* () {
      const Nothing = Context.GenericTag<"app/Nothing", undefined>("app/Nothing")
      const plain = Tool.make({
        ...base,
        name: "plain",
        capabilities: {},
        services: [Name, Nothing],
        execute: () => Effect.all([Name, Nothing])
      })
      const registry = Registry.make(plain)
      const run = answer(registry.execute(turnOf(), [callOf(plain)]))
      expect(
        yield* run.pipe(Effect.provideService(Name, "n"), Effect.provideService(Nothing, undefined))
      ).toEqual(["n", undefined])
    })
  )
})

describe("a service that the host does not provide", () => {
  const message =
    "Tool whose lists the service app/Db, which this program does not provide; provide its layer where tools are run: on the command line, export it as 'layer' from a module under 'tools' in bailiwick.yaml"
  const registry: Registry.Registry = Registry.make(...([whose(), levelled] as ReadonlyArray<Tool.Any>))

  it.effect("makes its tool not available, by its key, and no other tool", () =>
    Effect.gen(function* () {
      const turn = turnOf()
      const results = yield* registry.execute(turn, [callOf("whose"), callOf("levelled")])
      expect(results.map(({ result }) => result)).toEqual([
        { ok: false, code: "not_available", error: message },
        { ok: true, value: 1 }
      ])
      const explained = yield* registry.explain(turn, callOf("whose"))
      expect(explained.result).toEqual({ ok: false, code: "not_available", error: message })
      expect((yield* registry.menu(turn)).map(({ name }) => name)).toEqual(["levelled"])
      expect(yield* registry.missing(turn)).toEqual([{ name: "whose", why: message, needs: [] }])
    })
  )

  it.effect("may be there for the next call of the same turn", () =>
    Effect.gen(function* () {
      const turn = turnOf()
      const run = answer(registry.execute(turn, [callOf("whose")]))
      expect(yield* run).toBe(message)
      expect(yield* Effect.provideService(run, Db, dbOf("acme"))).toBe("acme")
      expect(yield* run).toBe(message)
    })
  )

  it.effect("is asked for when a tool is registered later, too", () =>
    Effect.gen(function* () {
      const open = Registry.make(levelled)
      const turn = turnOf()
      const run = answer(open.execute(turn, [callOf("whose")]))
      const withDb = Effect.provideService(run, Db, dbOf("acme"))
      expect(yield* withDb).toBe("Unknown tool: whose")
      yield* open.register(whose())
      expect(yield* run).toBe(message)
      expect(yield* withDb).toBe("acme")
    }).pipe(Effect.scoped)
  )

  it.effect("fails a layer, typed", () =>
    Effect.gen(function* () {
      const layer = Resolver.layer(whose() as Tool.Any, turnOf()) as Layer.Layer<never, NotAvailable>
      const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      expect(error).toBeInstanceOf(NotAvailable)
      expect({ ...error }).toMatchObject({
        tool: "whose",
        category: "services",
        service: "app/Db",
        detail: message
      })
      const run = Tool.run(whose(), {}).pipe(Effect.provide(Resolver.layer(whose(), turnOf())))
      expect(yield* Effect.provideService(run, Db, dbOf("acme"))).toBe("acme")
    })
  )
})

describe("two tenants", () => {
  it.effect("have each their own services, in one turn and side by side", () =>
    Effect.gen(function* () {
      const registry = Registry.make(whose())
      const turn = turnOf()
      const as = (tenant: string) => {
        const db = dbOf(tenant)
        return () => Effect.provideService(answer(registry.execute(turn, [callOf("whose")])), Db, db)
      }
      const [acme, zenith] = [as("acme"), as("zenith")]
      expect(yield* Effect.all([acme(), zenith(), acme(), zenith()])).toEqual([
        "acme",
        "zenith",
        "acme",
        "zenith"
      ])
      const many = Array.from({ length: 40 }, (_, at) => `tenant ${at}`)
      expect(yield* Effect.forEach(many, (name) => as(name)(), { concurrency: "unbounded" })).toEqual(many)
      expect(yield* acme()).toBe("acme")
    })
  )

  it.effect("are not given one another's answers from before", () =>
    Effect.gen(function* () {
      let ran = 0
      const cached = Tool.make({
        ...base,
        name: "cached",
        cache: true,
        capabilities: {},
        services: [Db, Level, Name],
        execute: () =>
          Effect.map(Effect.all([Db, Level, Name]), ([{ tenant }, level, name]) => [
            ++ran,
            tenant,
            level,
            name
          ])
      })
      const registry = Registry.make(cached)
      const turn = turnOf()
      const as = (db: Db["Type"], level: number, name: string) =>
        answer(registry.execute(turn, [callOf(cached)])).pipe(
          Effect.provideService(Db, db),
          Effect.provideService(Level, level),
          Effect.provideService(Name, name)
        )
      const [acme, zenith, twin] = [dbOf("acme"), dbOf("zenith"), dbOf("acme")]
      expect(yield* as(acme, 1, "a")).toEqual([1, "acme", 1, "a"])
      expect(yield* as(zenith, 1, "a")).toEqual([2, "zenith", 1, "a"])
      expect(yield* as(acme, 1, "a")).toEqual([1, "acme", 1, "a"])
      expect(yield* as(twin, 1, "a")).toEqual([3, "acme", 1, "a"])
      expect(yield* as(acme, 2, "a")).toEqual([4, "acme", 2, "a"])
      expect(yield* as(acme, 1, "b")).toEqual([5, "acme", 1, "b"])
      expect(yield* as(zenith, 1, "a")).toEqual([2, "zenith", 1, "a"])
      yield* registry.endSession(turn.session)
      expect(yield* as(acme, 1, "a")).toEqual([6, "acme", 1, "a"])
    })
  )

  it.effect("tell a reference that nobody gave from one that was given as nothing", () =>
    Effect.gen(function* () {
      class Limit extends Context.Reference<Limit>()("app/Limit", {
        defaultValue: (): number | undefined => 5
      }) {}
      const limited = Tool.make({
        ...base,
        name: "limited",
        cache: true,
        capabilities: {},
        services: [Limit],
        execute: () => Effect.map(Limit, (limit) => `limit ${limit}`)
      })
      const registry = Registry.make(limited)
      const turn = turnOf()
      const run = answer(registry.execute(turn, [callOf(limited)]))
      expect(yield* Effect.provideService(run, Limit, undefined)).toBe("limit undefined")
      expect(yield* run).toBe("limit 5")
    })
  )

  it.effect("do not hide one another's running calls from whoever cancels a turn", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const waiting = Tool.make({
        ...base,
        name: "waiting",
        capabilities: {},
        services: [Db],
        execute: () =>
          Effect.flatMap(Db, ({ tenant }) =>
            tenant === "slow"
              ? Effect.zipRight(Deferred.succeed(started, undefined), Effect.never)
              : Effect.void
          )
      })
      const registry = Registry.make(waiting)
      const turn = turnOf()
      const as = (tenant: string) =>
        Effect.provideService(registry.execute(turn, [callOf(waiting)]), Db, dbOf(tenant))
      const slow = yield* Effect.fork(as("slow"))
      yield* Deferred.await(started)
      for (let at = 0; at < 20; at++) yield* as(`quick ${at}`)
      expect(yield* registry.cancel(turn)).toBe(true)
      expect(yield* answer(Fiber.join(slow))).toBe("the call was interrupted")
    })
  )
})

it.effect("Registry.requiring is the same registry, with the backends in its type", () =>
  Effect.gen(function* () {
    const registry = Registry.requiring(reader)
    const run: Effect.Effect<unknown, never, FilesBackend> = answer(
      registry.execute(turnOf(), [registry.call("reader", { path: "/work/a" })])
    )
    expect(yield* Effect.provide(run, world({ files: { "/work/a": "apples" } }))).toBe("apples")
  })
)
