// Declarations that are not known in full where the tool is written: generic, one of two, or known at run time only.
import { type Context, Effect, Schema } from "effect"
import { describe, expect, test } from "tstyche"
import type { ServicesOf } from "../src/capabilities/Capabilities.js"
import { Files } from "../src/capabilities/files/Files.js"
import { Network } from "../src/capabilities/network/Network.js"
import type { NetworkError } from "../src/capabilities/network/NetworkOperations.js"
import { Process } from "../src/capabilities/process/Process.js"
import { Secrets } from "../src/capabilities/secrets/Secrets.js"
import * as Tool from "../src/tools/Tool.js"

const base = { name: "t", description: "d", parameters: Schema.Struct({ x: Schema.String }) } as const

declare const dev: boolean
declare const config: { readonly hosts: ReadonlyArray<string>; readonly dir: string; readonly key: string }

describe("a factory that is generic", () => {
  test("in a host", () => {
    const factory = <const H extends string>(host: H) =>
      Tool.make({
        ...base,
        capabilities: { network: { allowedHosts: [host, "a.com"] } },
        execute: ({ x }) =>
          Effect.zip(Network.get("https://a.com/"), Network.get(`https://${host}/${encodeURIComponent(x)}`))
      })
    const made = factory("b.com")
    expect(made.capabilities.network.allowedHosts).type.toBe<readonly ["b.com", "a.com"]>()
    expect<Tool.Services<typeof made>>().type.toBe<Network | Network.Host<"a.com"> | Network.Host<"b.com">>()
  })

  test("in a list of hosts", () => {
    const factory = <const H extends ReadonlyArray<string>>(hosts: H) =>
      Tool.make({
        ...base,
        capabilities: { network: { allowedHosts: hosts } },
        execute: ({ x }) => Network.get(x)
      })
    expect(factory(["a.com"]).capabilities.network.allowedHosts).type.toBe<readonly ["a.com"]>()
  })

  test("in a secret, a binary or a path", () => {
    const secret = <const N extends string>(name: N) =>
      Tool.make({ ...base, capabilities: { secrets: [name] }, execute: () => Secrets.get(name) })
    expect(secret("A").capabilities).type.toBe<{ readonly secrets: readonly ["A"] }>()
    const binary = <const B extends string>(name: B) =>
      Tool.make({
        ...base,
        capabilities: { process: { allowedBinaries: [name] } },
        execute: ({ x }) => Process.spawn(name, [x])
      })
    expect<Tool.Services<ReturnType<typeof binary<"git">>>>().type.toBe<Process | Process.Binary<"git">>()
    const path = <const P extends string>(dir: P) =>
      Tool.make({
        ...base,
        capabilities: { fs_reach: { read: [dir, `/data/${dir}`], write: [dir] } },
        execute: ({ x }) =>
          Effect.all([Files.read(`${dir}/${x}`), Files.read(`/data/${dir}/x`), Files.write(`${dir}/x`, x)])
      })
    expect(path("/a").capabilities.fs_reach.write).type.toBe<readonly ["/a"]>()
  })

  test("in what an effect requires or fails with", () => {
    const retried = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.retry(effect, { times: 2 })
    Tool.make({
      ...base,
      capabilities: { network: { allowedHosts: ["a.com"] } },
      execute: () => retried(Network.get("https://a.com/"))
    })
    const open = <R extends Network.Everything>(effect: Effect.Effect<string, NetworkError, R>) =>
      Tool.make({ ...base, capabilities: { network: { allowedHosts: ["*"] } }, execute: () => effect })
    expect(open).type.toBeCallableWith(Network.get("https://a.com/"))
    const declared = <const C extends { readonly network: { readonly allowedHosts: ReadonlyArray<string> } }>(
      capabilities: C,
      effect: Effect.Effect<string, NetworkError, ServicesOf<C>>
    ) => Tool.make({ ...base, capabilities, execute: () => effect })
    expect(declared).type.toBeCallableWith(
      { network: { allowedHosts: ["a.com"] } },
      Network.get("https://a.com/")
    )
    const failing = <E>(failure: Schema.Schema<E>, effect: Effect.Effect<string, E>) =>
      Tool.make({ ...base, failure, capabilities: {}, execute: () => effect })
    expect<Tool.Failure<ReturnType<typeof failing<"no">>>>().type.toBe<"no">()
  })

  test("in a service or in parameters", () => {
    const counted = <I, S extends { readonly n: number }>(tag: Context.Tag<I, S>) =>
      Tool.make({
        ...base,
        capabilities: {},
        services: [tag],
        execute: () => Effect.map(tag, ({ n }) => n)
      })
    expect<Tool.AppServices<ReturnType<typeof counted<"Db", { readonly n: number }>>>>().type.toBe<"Db">()
    const echo = <A extends object, I extends object>(parameters: Schema.Schema<A, I>) =>
      Tool.make({ ...base, parameters, capabilities: {}, execute: (args) => Effect.succeed(args) })
    expect(echo(base.parameters)).type.toBeAssignableTo<Tool.Any>()
    const fields = <F extends Schema.Struct.Fields>(all: F) =>
      Tool.make({ ...base, parameters: Schema.Struct(all), capabilities: {}, execute: Effect.succeed })
    expect(fields({ n: Schema.Number })).type.toBeAssignableTo<Tool.Any>()
  })

  test("may use no category that it does not declare", () => {
    const host = <const H extends string>(host: H) =>
      Tool.make({
        ...base,
        capabilities: {},
        // @ts-expect-error 'Execute<"in a generic function execute may need more than is declared: declare the category, or constrain the type parameter, as in 'R extends Network.Everything' or 'E extends NetworkError'",
        execute: () => Network.get(`https://${host}/x`)
      })
    const other = <const H extends string>(host: H) =>
      Tool.make({
        ...base,
        capabilities: { network: { allowedHosts: [host] } },
        // @ts-expect-error 'Execute<"in a generic function execute may need more than is declared: declare the category, or constrain the type parameter, as in 'R extends Network.Everything' or 'E extends NetworkError'",
        execute: () => Network.get("https://evil.com/")
      })
    const shell = <const B extends string>(name: B) =>
      Tool.make({
        ...base,
        capabilities: { process: { allowedBinaries: [name] } },
        // @ts-expect-error 'Execute<"in a generic function execute may need more than is declared: declare the category, or constrain the type parameter, as in 'R extends Network.Everything' or 'E extends NetworkError'",
        execute: ({ x }) => Process.shell(x)
      })
    expect([host, other, shell]).type.not.toBe<never>()
  })

  test("may not take an effect that requires or fails with anything", () => {
    const requires = <R>(effect: Effect.Effect<string, NetworkError, R>) =>
      Tool.make({
        ...base,
        capabilities: { network: { allowedHosts: ["*"] } },
        // @ts-expect-error 'Execute<"in a generic function execute may need more than is declared: declare the category, or constrain the type parameter, as in 'R extends Network.Everything' or 'E extends NetworkError'",
        execute: () => effect
      })
    const fails = <E>(effect: Effect.Effect<string, E>) =>
      Tool.make({
        ...base,
        capabilities: {},
        // @ts-expect-error 'Execute<"in a generic function execute may need more than is declared: declare the category, or constrain the type parameter, as in 'R extends Network.Everything' or 'E extends NetworkError'",
        execute: () => effect
      })
    const unlisted = <I, S>(tag: Context.Tag<I, S>) =>
      Tool.make({
        ...base,
        capabilities: {},
        // @ts-expect-error 'Execute<"in a generic function execute may need more than is declared: declare the category, or constrain the type parameter, as in 'R extends Network.Everything' or 'E extends NetworkError'",
        execute: () => tag
      })
    expect([requires, fails, unlisted]).type.not.toBe<never>()
  })

  test("may not list a tag of anything", () => {
    const factory = <T extends Context.Tag<any, { readonly n: number }>>(tag: T) =>
      Tool.make({
        ...base,
        // @ts-expect-error is not assignable to type '"execute requires 'any': capability use cannot be checked"'.
        capabilities: {},
        services: [tag],
        execute: () => Effect.zip(Secrets.get("A"), tag)
      })
    expect(factory).type.not.toBe<never>()
  })

  test("may not misspell its declaration", () => {
    const factory = <const H extends string>(host: H) =>
      Tool.make({
        ...base,
        // @ts-expect-error 'Declared<"capabilities are wrong, and the function is generic: see how their categories and keys are spelt, and that none is optional",
        capabilities: { network: { allowedHost: [host] } },
        execute: () => Network.get(`https://${host}/x`)
      })
    expect(factory).type.not.toBe<never>()
  })
})

describe("a declaration that is one of two", () => {
  test("covers what either lists, and nothing else", () => {
    const tool = Tool.make({
      ...base,
      capabilities: { network: { allowedHosts: dev ? ["localhost"] : ["a.com", "b.com"] } },
      execute: () => Network.get(dev ? "http://localhost/x" : "https://b.com/x")
    })
    expect<Tool.Services<typeof tool>>().type.toBe<
      Network | Network.Host<"localhost"> | Network.Host<"a.com"> | Network.Host<"b.com">
    >()
    Tool.make({
      ...base,
      capabilities: { fs_reach: { read: dev ? ["/a"] : "from-personality" } },
      execute: () => Files.read("/a/b")
    })
    Tool.make({
      ...base,
      // @ts-expect-error is not assignable to type '"capability not declared: network.allowedHosts needs 'c.com'"'.
      capabilities: { network: { allowedHosts: dev ? ["localhost"] : ["a.com"] } },
      execute: () => Network.get("https://c.com/")
    })
  })
})

describe("a declaration that only the run time knows", () => {
  test("needs its category, and covers what is in it", () => {
    const tool = Tool.make({
      ...base,
      capabilities: {
        network: { allowedHosts: ["a.com", ...Tool.dynamic(config.hosts)] },
        secrets: [Tool.dynamic(config.key)],
        fs_reach: { read: [Tool.dynamic(config.dir)], write: Tool.dynamic([config.dir]) },
        process: { allowedBinaries: Tool.dynamic(["git"]) }
      },
      execute: ({ x }) =>
        Effect.all([
          Network.get(`https://${x}/`),
          Network.get("https://b.com/"),
          Secrets.get(x),
          Files.read("/a/b"),
          Files.write("/a/b", x),
          Process.spawn("git")
        ])
    })
    expect(tool.capabilities.secrets).type.toBe<readonly [Tool.Dynamic]>()
    Tool.make({
      ...base,
      // @ts-expect-error is not assignable to type '"capability not declared: secrets needs 'A'"'.
      capabilities: { network: { allowedHosts: Tool.dynamic(config.hosts) } },
      execute: () => Secrets.get("A")
    })
  })

  test("gives no shell, and is to be used where it must be", () => {
    Tool.make({
      ...base,
      // @ts-expect-error is not assignable to type '"capability not declared: process.allowedBinaries needs '*' (a shell can run anything)"'.
      capabilities: { process: { allowedBinaries: Tool.dynamic(["sh"]) } },
      execute: ({ x }) => Process.shell(x)
    })
    Tool.exact({
      ...base,
      // @ts-expect-error is not assignable to type '"declared but never used: secrets of Tool.dynamic"'.
      capabilities: { secrets: Tool.dynamic([config.key]) },
      execute: () => Effect.void
    })
  })

  test("is not written as a pattern", () => {
    Tool.make({
      ...base,
      // @ts-expect-error "capabilities are not literal: write them inline, add 'as const', or give Tool.dynamic what only the run time knows"
      capabilities: { network: { allowedHosts: [`${config.key}.com`] } },
      execute: ({ x }) => Network.get(x)
    })
    Tool.make({
      ...base,
      // @ts-expect-error "capabilities are not literal: write them inline, add 'as const', or give Tool.dynamic what only the run time knows"
      capabilities: { fs_reach: { read: [`/data/${config.key}`] } },
      execute: ({ x }) => Files.read(x)
    })
    Tool.make({
      ...base,
      // @ts-expect-error "capabilities are not literal: write them inline, add 'as const', or give Tool.dynamic what only the run time knows"
      capabilities: { secrets: [JSON.parse("{}")] },
      execute: ({ x }) => Secrets.get(x)
    })
  })
})
