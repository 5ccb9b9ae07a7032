// A tool lists the application services that it uses. What the compiler says of a list, the run time says again.
import { CommandExecutor, FileSystem, HttpClient, KeyValueStore, Path, Socket } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Files, FilesBackend, Network, RecordsBackend, Tool } from "bailiwick"
import { Clock, Context, Effect, Layer, Option, Schema, Scope, Tracer } from "effect"

const base = { name: "t", description: "d", parameters: Schema.Struct({}) } as const

class Db extends Context.Tag("app/Db")<Db, { readonly q: Effect.Effect<number> }>() {}
class Mail extends Effect.Service<Mail>()("app/Mail", { succeed: { send: Effect.void } }) {}
class Level extends Context.Reference<Level>()("app/Level", { defaultValue: () => 1 }) {}
const Queue = Context.GenericTag<"app/Queue", { readonly size: number }>("app/Queue")

const both = Tool.make({
  ...base,
  capabilities: { network: { allowedHosts: ["a.com"] } },
  services: [Db, Mail, Level, Queue],
  execute: () =>
    Effect.gen(function* () {
      yield* Effect.flatMap(Mail, (mail) => mail.send)
      const { size } = yield* Queue
      return [yield* Effect.flatMap(Db, (db) => db.q), yield* Level, size]
    })
})

const untyped = Tool.make as (options: unknown) => Tool.Any
const refusedWith = (services: unknown): string => {
  try {
    untyped({ ...base, capabilities: {}, execute: () => Effect.void, services })
  } catch (error) {
    return error instanceof Tool.ToolDefinitionError ? error.message : "another error"
  }
  return "accepted"
}

describe("a tool that lists services", () => {
  it("has their keys, frozen, and shows them on its surface", () => {
    expect(both.services).toEqual(["app/Db", "app/Mail", "app/Level", "app/Queue"])
    expect(() => (both.services as Array<string>).push("app/Other")).toThrow(TypeError)
    expect(Tool.surface(both)).toEqual(["network: a.com", "services: app/Db, app/Mail, app/Level, app/Queue"])
    const none = Tool.make({ ...base, capabilities: {}, execute: () => Effect.void })
    expect(none.services).toEqual([])
    expect(Tool.surface(none)).toEqual([])
  })

  it("does not follow a list that its author changes later", () => {
    const tags: Array<unknown> = [Db]
    const made = untyped({ ...base, capabilities: {}, services: tags, execute: () => Effect.void })
    tags.push(Mail)
    expect(made.services).toEqual(["app/Db"])
  })

  it.effect("runs on plain layers", () =>
    Effect.gen(function* () {
      expect(yield* Tool.run(both, {})).toEqual([7, 1, 2])
      expect(yield* Effect.provideService(Tool.run(both, {}), Level, 5)).toEqual([7, 5, 2])
    }).pipe(
      Effect.provide([Network.mock(() => ""), Mail.Default, Layer.succeed(Db, { q: Effect.succeed(7) })]),
      Effect.provideService(Queue, { size: 2 })
    )
  )

  it.effect("sees its own and no other of whoever runs it", () =>
    Effect.gen(function* () {
      const curious = Tool.make({
        ...base,
        capabilities: {},
        services: [Db],
        execute: () =>
          Effect.map(Effect.context<never>() as Effect.Effect<Context.Context<Db>>, ({ unsafeMap }) => [
            ...unsafeMap.keys()
          ])
      })
      expect(yield* Tool.run(curious, {})).toEqual(["app/Db"])
    }).pipe(
      Effect.provideService(Db, { q: Effect.succeed(1) }),
      Effect.provideService(Queue, { size: 1 }),
      Effect.provide([Mail.Default, Files.mock({})])
    )
  )

  it.effect("finds an unlisted service nowhere, whatever a cast says", () =>
    Effect.gen(function* () {
      const stealing = Tool.make({
        ...base,
        capabilities: {},
        services: [Db],
        execute: () =>
          Effect.map(Effect.serviceOption(Mail) as Effect.Effect<Option.Option<Mail>>, Option.isSome)
      })
      expect(yield* Tool.run(stealing, {})).toBe(false)
    }).pipe(Effect.provideService(Db, { q: Effect.succeed(1) }), Effect.provide(Mail.Default))
  )
})

describe("a list is refused, in words", () => {
  const wrong = (words: string) => `SERVICES_INVALID: tool 't' has wrong services: ${words}`

  it("when it is no list of tags", () => {
    for (const services of [null, 1, "app/Db", Db, { 0: Db, length: 1 }]) {
      expect(refusedWith(services)).toBe(wrong("services are not a list of tags"))
    }
    for (const one of ["app/Db", null, {}, Mail.Default, { q: 1 }]) {
      expect(refusedWith([Db, one])).toBe(
        wrong("services hold what is not a tag: list tags, not services or layers")
      )
    }
    // A hole in a list is no tag.
    expect(refusedWith(new Array(2))).toContain("what is not a tag")
  })

  it("when a key cannot be shown to whoever decides about the tool", () => {
    for (const key of ["", " ", "a\nb", "app/\u200bDb", "app/\u001b[2J", "x".repeat(257), " app/Db"]) {
      expect(refusedWith([Context.GenericTag(key)])).toBe(
        wrong("services hold a tag without a key of visible characters")
      )
    }
    expect(refusedWith([Object.assign(Context.GenericTag("a"), { key: 1 })])).toContain("without a key")
    expect(refusedWith([Context.GenericTag("the database")])).toBe("accepted")
  })

  it("when a service stands in it twice, under whatever tag", () => {
    const again = Context.GenericTag("app/Db")
    expect(refusedWith([Db, again])).toBe(wrong("'app/Db' is listed twice: list it once"))
  })

  it("when it holds a capability, a backend, or a key that looks like one", () => {
    expect(refusedWith([Network])).toBe(wrong("'network' is a capability: declare it in capabilities"))
    expect(refusedWith([Files])).toBe(wrong("'fs_reach' is a capability: declare it in capabilities"))
    expect(refusedWith([Context.GenericTag("bailiwick/Network")])).toBe(
      wrong("'network' is a capability: declare it in capabilities")
    )
    for (const { key } of [FilesBackend, RecordsBackend]) {
      expect(refusedWith([Context.GenericTag(key)])).toBe(
        wrong(`'${key}' is a backend of the host: declare the capability that stands on it`)
      )
    }
    expect(refusedWith([Context.GenericTag("bailiwick/Progress")])).toBe(
      wrong("'bailiwick/Progress' is a key that Bailiwick keeps for itself: give the tag another")
    )
  })

  it("when it holds a service of the platform: the bridge is named", () => {
    const bridges = [
      [HttpClient.HttpClient, "layerHttpClient of bailiwick/platform"],
      [FileSystem.FileSystem, "layerFileSystem of bailiwick/platform"],
      [KeyValueStore.KeyValueStore, "layerKeyValueStore of bailiwick/platform"],
      [CommandExecutor.CommandExecutor, "layerCommandExecutor of bailiwick/platform"],
      [Path.Path, "Path.layer of @effect/platform"],
      [Socket.Socket, "a layer of bailiwick/platform"]
    ] as const
    for (const [tag, bridge] of bridges) {
      expect(refusedWith([tag])).toBe(
        wrong(`'${tag.key}' is a platform service: provide ${bridge} inside execute`)
      )
    }
  })

  it("when it holds a service of Effect", () => {
    expect(refusedWith([Scope.Scope])).toBe(
      wrong("'effect/Scope' is not a capability service: close the scope with Effect.scoped")
    )
    for (const tag of [Clock.Clock, Tracer.Tracer]) {
      expect(refusedWith([tag])).toBe(wrong(`'${tag.key}' is a service of Effect itself: do without it`))
    }
  })
})
