// Services of the application: what a tool uses it lists, and whoever runs it provides.
import { CommandExecutor, FileSystem, HttpClient, KeyValueStore, Path, Terminal } from "@effect/platform"
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { describe, expect, test } from "tstyche"
import { Files } from "../src/capabilities/files/Files.js"
import { FilesBackend } from "../src/capabilities/files/FilesBackend.js"
import { Network } from "../src/capabilities/network/Network.js"
import type { NetworkBackend } from "../src/capabilities/network/NetworkBackend.js"
import { StorageBackend } from "../src/capabilities/storage/StorageBackend.js"
import type { NotAvailable } from "../src/registry/NotAvailable.js"
import * as Registry from "../src/registry/Registry.js"
import * as Resolver from "../src/registry/Resolver.js"
import type { Turn } from "../src/registry/Turn.js"
import * as Tool from "../src/tools/Tool.js"

const base = { name: "t", description: "d", parameters: Schema.Struct({ x: Schema.String }) } as const

class Db extends Context.Tag("app/Db")<Db, { readonly q: Effect.Effect<number> }>() {}
class Mail extends Effect.Service<Mail>()("app/Mail", { succeed: { send: Effect.void } }) {}
class Level extends Context.Reference<Level>()("app/Level", { defaultValue: () => 1 }) {}
interface Clockwork {
  readonly tick: Effect.Effect<number>
}
const Clockwork = Context.GenericTag<Clockwork>("app/Clockwork")
const Queue = Context.GenericTag<"app/Queue", { readonly push: Effect.Effect<void> }>("app/Queue")

const query = () => Effect.flatMap(Db, (db) => db.q)
const send = () => Effect.flatMap(Mail, (mail) => mail.send)
const tick = () => Effect.flatMap(Clockwork, (clockwork) => clockwork.tick)
const push = () => Effect.flatMap(Queue, (queue) => queue.push)
const nothing = () => Effect.void

declare const turn: Turn

describe("what execute uses and the tool does not list", () => {
  test("is named", () => {
    Tool.make({
      ...base,
      // @ts-expect-error is not assignable to type '"'app/Db' is not a capability: add its tag to services, or do without it"'.
      capabilities: {},
      execute: query
    })
    Tool.make({
      ...base,
      // @ts-expect-error is not assignable to type '"'app/Mail' is not a capability: add its tag to services, or do without it"'.
      capabilities: {},
      services: [Db],
      execute: () => Effect.zipRight(query(), send())
    })
    Tool.make({
      ...base,
      // @ts-expect-error is not assignable to type '"'app/Queue' is not a capability: add its tag to services, or do without it"'.
      capabilities: {},
      execute: push
    })
  })

  test("is said without a name where its type has none", () => {
    Tool.make({
      ...base,
      // @ts-expect-error "execute requires a service that is not a capability: add its tag to services, or do without it"
      capabilities: {},
      execute: tick
    })
  })

  test("is not to be listed when it is the platform's, a backend, or a scope", () => {
    Tool.make({
      ...base,
      // @ts-expect-error "'@effect/platform/HttpClient' is a platform service: provide layerHttpClient of bailiwick/platform inside execute"
      capabilities: {},
      execute: () => Effect.asVoid(HttpClient.HttpClient)
    })
    Tool.make({
      ...base,
      // @ts-expect-error "'bailiwick/FilesBackend' is a backend of the host: declare the capability that stands on it"
      capabilities: {},
      execute: () => Effect.asVoid(FilesBackend)
    })
    Tool.make({
      ...base,
      // @ts-expect-error "'effect/Scope' is not a capability service: close the scope with Effect.scoped"
      capabilities: {},
      services: [Db],
      execute: () => Effect.addFinalizer(() => Effect.void)
    })
  })

  test("is said beside capabilities", () => {
    Tool.make({
      ...base,
      // @ts-expect-error "capability not declared: network.allowedHosts needs 'a.com'"
      capabilities: {},
      services: [Db],
      execute: () => Effect.zipRight(query(), Network.get("https://a.com/"))
    })
  })
})

describe("what the tool lists", () => {
  test("is required of whoever runs it, whatever kind of tag it is", () => {
    const tool = Tool.make({
      ...base,
      capabilities: { network: { allowedHosts: ["a.com"] } },
      services: [Db, Mail, Level, Clockwork, Queue],
      execute: () =>
        Effect.all([query(), send(), tick(), push(), Level, Network.get("https://a.com/")], { discard: true })
    })
    expect<Tool.AppServices<typeof tool>>().type.toBe<Db | Mail | Clockwork | "app/Queue">()
    expect<Tool.Services<typeof tool>>().type.toBe<
      Network | Network.Host<"a.com"> | Db | Mail | Clockwork | "app/Queue"
    >()
    const mocked = Tool.run(tool, { x: "" }).pipe(
      Effect.provide([Network.mock(() => ""), Layer.succeed(Db, { q: Effect.succeed(1) }), Mail.Default])
    )
    expect<Effect.Effect.Context<typeof mocked>>().type.toBe<Clockwork | "app/Queue">()
  })

  test("is checked where execute reads its arguments, and where it has branches", () => {
    Tool.exact({
      ...base,
      capabilities: {},
      services: [Db, Mail],
      execute: ({ x }) => (x === "" ? Effect.map(Db, () => x.length) : Effect.as(send(), 1))
    })
    Tool.exact({
      ...base,
      capabilities: {},
      // @ts-expect-error is not assignable to type '"declared but never used: services 'app/Mail'"'.
      services: [Db, Mail],
      execute: ({ x }) =>
        Effect.gen(function* () {
          return x.length + (yield* query())
        })
    })
    Tool.make({
      ...base,
      // @ts-expect-error is not assignable to type '"'app/Mail' is not a capability: add its tag to services, or do without it"'.
      capabilities: {},
      services: [Db],
      execute: ({ x }) => (x === "" ? query() : send())
    })
  })

  test("takes nothing away from a tool that lists none", () => {
    const tool = Tool.make({ ...base, capabilities: {}, execute: nothing })
    expect(tool).type.toBe<
      Tool.Tool<"t", { readonly x: string }, void, never, {}, never, typeof base.parameters>
    >()
    expect<Tool.AppServices<typeof tool>>().type.toBe<never>()
    expect<Tool.AppServices<Tool.Any>>().type.toBe<never>()
    expect(tool).type.toBeAssignableTo<Tool.Any>()
  })

  test("may be a tag that execute does not use, unless the tool is exact", () => {
    Tool.make({ ...base, capabilities: {}, services: [Db], execute: nothing })
    Tool.exact({
      ...base,
      capabilities: {},
      // @ts-expect-error is not assignable to type '"declared but never used: services 'app/Mail'"'.
      services: [Db, Mail],
      execute: query
    })
    Tool.exact({
      ...base,
      capabilities: {},
      // @ts-expect-error is not assignable to type '"declared but never used: services"'.
      services: [Clockwork],
      execute: nothing
    })
    Tool.exact({
      ...base,
      capabilities: {},
      services: [Db, Mail, Clockwork, Queue, Level],
      execute: () => Effect.all([query(), send(), tick(), push()], { discard: true })
    })
  })
})

describe("a list", () => {
  test("with a capability or a backend", () => {
    // @ts-expect-error is not assignable to type '"'network' is a capability: declare it in capabilities"'.
    Tool.make({ ...base, capabilities: {}, services: [Network], execute: nothing })
    // @ts-expect-error is not assignable to type '"'fs_reach' is a capability: declare it in capabilities"'.
    Tool.make({ ...base, capabilities: {}, services: [Db, Files], execute: query })
    // @ts-expect-error "'bailiwick/StorageBackend' is a backend of the host: declare the capability that stands on it"
    Tool.make({ ...base, capabilities: {}, services: [StorageBackend], execute: nothing })
    // @ts-expect-error "'fs_reach' is a capability: declare it in capabilities"
    Tool.exact({ ...base, capabilities: {}, services: [Files], execute: ({ x }) => Files.read(x) })
  })

  test("with a key that is kept", () => {
    class Own extends Context.Tag("bailiwick/Own")<Own, number>() {}
    // @ts-expect-error "'bailiwick/Own' is a key that Bailiwick keeps for itself: give the tag another"
    Tool.make({ ...base, capabilities: {}, services: [Own], execute: nothing })
    class Clock extends Context.Tag("effect/Clock")<Clock, number>() {}
    // @ts-expect-error "'effect/Clock' is a service of Effect itself: do without it"
    Tool.make({ ...base, capabilities: {}, services: [Clock], execute: nothing })
    class Scoped extends Context.Tag("effect/Scope")<Scoped, number>() {}
    // @ts-expect-error "'effect/Scope' is not a capability service: close the scope with Effect.scoped"
    Tool.make({ ...base, capabilities: {}, services: [Scoped], execute: nothing })
  })

  test("with a service of the platform", () => {
    // @ts-expect-error "'@effect/platform/FileSystem' is a platform service: provide layerFileSystem of bailiwick/platform inside execute"
    Tool.make({ ...base, capabilities: {}, services: [FileSystem.FileSystem], execute: nothing })
    // @ts-expect-error "'@effect/platform/HttpClient' is a platform service: provide layerHttpClient of bailiwick/platform inside execute"
    Tool.make({ ...base, capabilities: {}, services: [HttpClient.HttpClient], execute: nothing })
    // @ts-expect-error "'@effect/platform/KeyValueStore' is a platform service: provide layerKeyValueStore of bailiwick/platform inside execute"
    Tool.make({ ...base, capabilities: {}, services: [KeyValueStore.KeyValueStore], execute: nothing })
    // @ts-expect-error "'@effect/platform/CommandExecutor' is a platform service: provide layerCommandExecutor of bailiwick/platform inside execute"
    Tool.make({ ...base, capabilities: {}, services: [CommandExecutor.CommandExecutor], execute: nothing })
    // @ts-expect-error "'@effect/platform/Path' is a platform service: provide Path.layer of @effect/platform inside execute"
    Tool.make({ ...base, capabilities: {}, services: [Path.Path], execute: nothing })
    // @ts-expect-error "'@effect/platform/Terminal' is a platform service: provide a layer of bailiwick/platform inside execute"
    Tool.make({ ...base, capabilities: {}, services: [Terminal.Terminal], execute: nothing })
  })

  test("with a tag twice", () => {
    // @ts-expect-error "'app/Db' is listed twice: list it once"
    Tool.make({ ...base, capabilities: {}, services: [Db, Mail, Db], execute: query })
    // @ts-expect-error "a service is listed twice: list it once"
    Tool.make({ ...base, capabilities: {}, services: [Clockwork, Clockwork], execute: tick })
  })

  test("that nobody can read", () => {
    const tags = [Db, Mail]
    // @ts-expect-error "services are not literal: write their tags inline"
    Tool.make({ ...base, capabilities: {}, services: tags, execute: query })
    const some = (yes: boolean) => (yes ? ([Db] as const) : ([Mail] as const))
    // @ts-expect-error "services are not literal: write their tags inline"
    Tool.make({ ...base, capabilities: {}, services: some(true), execute: query })
    const one = (yes: boolean) => (yes ? Db : Mail)
    // @ts-expect-error "several tags may stand here: list each of them"
    Tool.make({ ...base, capabilities: {}, services: [one(true)], execute: query })
    const many: ReadonlyArray<Context.Tag<any, any>> = []
    // @ts-expect-error "services are not literal: write their tags inline"
    Tool.make({ ...base, capabilities: {}, services: many, execute: query })
    const fixed = [Db, Mail] as const
    Tool.make({ ...base, capabilities: {}, services: fixed, execute: query })
  })

  test("of type any, in whole or in part", () => {
    Tool.make({
      ...base,
      // @ts-expect-error "services are 'any': write their tags inline"
      capabilities: {},
      services: JSON.parse("[]"),
      execute: query
    })
    // @ts-expect-error Type 'any' is not assignable to type 'never'.
    Tool.make({ ...base, capabilities: {}, services: [JSON.parse("1")], execute: query })
  })

  test("with a tag that capabilities fit", () => {
    const wide = Context.GenericTag<object, number>("app/Wide")
    Tool.make({
      ...base,
      capabilities: {},
      // @ts-expect-error "the identifier of this tag stands for capabilities too: give the tag a class of its own"
      services: [wide],
      execute: () => Network.get("https://a.com/")
    })
    const lost: Context.Tag<any, any> = wide
    // @ts-expect-error "the identifier of this tag stands for capabilities too: give the tag a class of its own"
    Tool.make({ ...base, capabilities: {}, services: [lost], execute: query })
    const unknown = Context.GenericTag<unknown, number>("app/Unknown")
    // @ts-expect-error "the identifier of this tag stands for capabilities too: give the tag a class of its own"
    Tool.make({ ...base, capabilities: {}, services: [unknown], execute: query })
  })

  test("with a tag that is a capability's requirement by another name", () => {
    const host = Context.GenericTag<Network.Host<"evil.com">, number>("app/Host")
    Tool.make({
      ...base,
      capabilities: {},
      // @ts-expect-error "the identifier of this tag stands for capabilities too: give the tag a class of its own"
      services: [host],
      execute: () => Network.get("https://evil.com/")
    })
    const refused = Context.GenericTag<Network.Refused<"ftp://a.com">, number>("app/Refused")
    Tool.make({
      ...base,
      capabilities: {},
      // @ts-expect-error "the identifier of this tag stands for capabilities too: give the tag a class of its own"
      services: [refused],
      execute: () => Network.get("ftp://a.com")
    })
  })

  test("of something else is left to the compiler", () => {
    // @ts-expect-error Type 'string' is not assignable to type 'AnyTag'.
    Tool.make({ ...base, capabilities: {}, services: ["app/Db"], execute: nothing })
  })
})

const count = Tool.make({ ...base, name: "count", capabilities: {}, services: [Db], execute: query })
const post = Tool.make({
  ...base,
  name: "post",
  capabilities: { network: { allowedHosts: ["a.com"] } },
  services: [Mail, Db],
  execute: send
})
const plain = Tool.make({
  ...base,
  name: "plain",
  capabilities: { fs_reach: { read: ["/data"] } },
  execute: nothing
})

type NeededBy<X> = X extends Effect.Effect<unknown, unknown, infer R> ? R : never

describe("a registry", () => {
  test("requires the services of all its tools, and nothing when there are none", () => {
    const registry = Registry.make(count, post, plain)
    expect<NeededBy<ReturnType<typeof registry.execute>>>().type.toBe<Db | Mail>()
    expect<NeededBy<ReturnType<typeof registry.menu>>>().type.toBe<Db | Mail>()
    expect<NeededBy<ReturnType<typeof registry.missing>>>().type.toBe<Db | Mail>()
    expect<NeededBy<ReturnType<typeof registry.explain>>>().type.toBe<Db | Mail>()
    const none = Registry.make(plain)
    expect<NeededBy<ReturnType<typeof none.execute>>>().type.toBe<never>()
    expect<Registry.Registry<typeof count>>().type.toBe<Registry.Registry<typeof count, Db>>()
  })

  test("asks for the backends as well, where a program wants that", () => {
    const registry = Registry.requiring(count, post, plain)
    expect<NeededBy<ReturnType<typeof registry.execute>>>().type.toBe<
      Db | Mail | NetworkBackend | FilesBackend
    >()
    expect<NeededBy<ReturnType<typeof registry.menu>>>().type.toBe<
      Db | Mail | NetworkBackend | FilesBackend
    >()
    const none = Registry.requiring(Tool.make({ ...base, capabilities: {}, execute: nothing }))
    expect<NeededBy<ReturnType<typeof none.explain>>>().type.toBe<never>()
  })

  test("of tools that are not known requires nothing, and takes no registry that does", () => {
    const tools: ReadonlyArray<Tool.Any> = [count]
    const registry: Registry.Registry = Registry.make(...tools)
    expect<NeededBy<ReturnType<typeof registry.execute>>>().type.toBe<never>()
    expect(Registry.make(plain)).type.toBeAssignableTo<Registry.Registry>()
    expect(Registry.make(count)).type.not.toBeAssignableTo<Registry.Registry>()
    expect(Registry.make(count)).type.toBeAssignableTo<Registry.Registry<Tool.Any, Db | Mail>>()
  })

  test("takes any tool later, and its type does not change", () => {
    expect(Registry.make(plain).register(count)).type.toBeAssignableTo<
      Effect.Effect<void, unknown, Scope.Scope>
    >()
  })
})

test("a layer requires the services and gives them through", () => {
  expect(Resolver.layer(count, turn)).type.toBe<Layer.Layer<Db, NotAvailable, Db>>()
  const layer = Resolver.layerRequiring(post, turn)
  expect<Layer.Layer.Context<typeof layer>>().type.toBe<NetworkBackend | Db | Mail>()
  const program = Effect.provide(Tool.run(post, { x: "" }), layer)
  expect<Effect.Effect.Context<typeof program>>().type.toBe<NetworkBackend | Db | Mail>()
})
