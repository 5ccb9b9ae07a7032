/** The threat: a tool that gets more, or something else, than the meet of what it declares and what is allowed. */
import { describe, expect, it } from "@effect/vitest"
import {
  Files,
  Network,
  NotAvailable,
  Personality,
  Registry,
  Resolver,
  Secrets,
  Storage,
  Tool
} from "bailiwick"
import { Effect, Either, Layer, Schema } from "effect"
import { callOf, policyOf, turnOf, world } from "./support.js"

const fetcher = Tool.make({
  name: "fetcher",
  description: "fetches and reads",
  parameters: Schema.Struct({ url: Schema.String }),
  capabilities: {
    network: { allowedHosts: ["api.github.com", "api.stripe.com"] },
    secrets: ["KEY"],
    storage: { scope: "session", kind: "kv" },
    fs_reach: { read: ["/data"] }
  },
  execute: ({ url }) => Network.get(url)
})

const bare = Tool.make({
  name: "bare",
  description: "touches nothing",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () => Effect.succeed("bare")
})

describe("Resolver.layer", () => {
  const turn = turnOf(policyOf({ network: { get: ["*.github.com"] }, files: { read: ["/"] } }))

  it.effect("gives the meet of declaration and policy", () =>
    Effect.gen(function* () {
      const status = (url: string) => Effect.either(Tool.run(fetcher, { url }))
      expect((yield* status("https://api.github.com/"))._tag).toBe("Right")
      expect(yield* status("https://api.stripe.com/")).toMatchObject({
        left: { code: "HOST_NOT_ALLOWED", denial: { tool: "fetcher" } }
      })
      expect(yield* status("https://raw.github.com/")).toMatchObject({ left: { code: "HOST_NOT_ALLOWED" } })
    }).pipe(Effect.provide(Resolver.layer(fetcher, turn)), Effect.provide(world()))
  )

  it.effect("A9: fails, typed, naming tool and category, for each category that is not wired", () =>
    Effect.gen(function* () {
      const missing = (tool: Tool.Any) => Effect.flip(Effect.scoped(Layer.build(Resolver.layer(tool, turn))))
      const one = <C>(capabilities: C) =>
        Tool.make({
          name: "one",
          description: "one category",
          parameters: Schema.Struct({}),
          capabilities,
          execute: () => Effect.void
        } as never) as Tool.Any
      // A3, A5, A6, A7: an empty list is still a declaration.
      for (const [category, capabilities] of Object.entries({
        network: { network: { allowedHosts: [] } },
        secrets: { secrets: [] },
        storage: { storage: { scope: "session", kind: "kv" } },
        fs_reach: { fs_reach: {} },
        process: { process: { allowedBinaries: [] } },
        attachments: { attachments: { kinds: [] } },
        records: { records: { verbs: ["read"] } },
        agents: { agents: { verbs: ["grant"] } }
      })) {
        const error = yield* missing(one(capabilities))
        expect(error).toBeInstanceOf(NotAvailable)
        expect(error).toMatchObject({ tool: "one", category })
        expect(error.message).toContain(
          "Tool one declares capabilities but no capability backends are configured"
        )
      }
    })
  )

  it.effect("is empty for a tool that declares nothing", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(Resolver.layer(bare, turn))
      expect(context.unsafeMap.size).toBe(0)
      expect(yield* Effect.provide(Tool.run(bare, {}), context)).toBe("bare")
    }).pipe(Effect.scoped)
  )

  it.effect("T02: intersects literal paths with the policy", () =>
    Effect.gen(function* () {
      const reader = Tool.make({
        name: "reader",
        description: "reads",
        parameters: Schema.Struct({}),
        capabilities: { fs_reach: { read: ["/etc"] } },
        execute: () => Files.read("/etc/x")
      })
      const narrow = turnOf(policyOf({ files: { read: ["/work/"] } }))
      const error = yield* Effect.flip(Effect.provide(Tool.run(reader, {}), Resolver.layer(reader, narrow)))
      expect(error).toMatchObject({ code: "PATH_NOT_REACHABLE" })
    }).pipe(Effect.provide(world({ files: { "/etc/x": "x" } })))
  )

  it.effect("the second constructor has the backends in its type", () =>
    Effect.gen(function* () {
      const layer = Resolver.layerRequiring(fetcher, turn)
      const answer = yield* Tool.run(fetcher, { url: "https://api.github.com/" }).pipe(
        Effect.provide(layer),
        Effect.provide(world({ respond: () => "hello" }))
      )
      expect(answer).toBe("hello")
    })
  )
})

describe("Resolver.plan", () => {
  it("knows what each tool may touch, once per policy", () => {
    const registry = Registry.make(fetcher, bare)
    const policy = policyOf({ network: { get: ["*.github.com"] } }, { toolset: ["fetcher"] })
    const plan = Resolver.plan(registry, policy)
    expect(plan.offered.map(({ name }) => name)).toEqual(["fetcher"])
    expect(plan.of(fetcher)).toBe(plan.of(fetcher))
    expect(plan.of(fetcher)).toMatchObject({ right: { authority: expect.anything() } })
  })
})

describe("validate", () => {
  const declares = (capabilities: object) =>
    Registry.make(
      Tool.make({
        name: "t",
        description: "t",
        parameters: Schema.Struct({}),
        capabilities,
        execute: () => Effect.void
      } as never) as Tool.Any
    )
  const gaps = (capabilities: object, policy: Parameters<typeof policyOf>[0]) =>
    declares(capabilities)
      .validate(policyOf(policy))
      .map(({ capability, scope }) => `${capability} ${scope}`)
  const network = (...hosts: ReadonlyArray<string>) => ({ network: { allowedHosts: hosts } })
  const all = (...hosts: ReadonlyArray<string>) => ({
    network: { get: hosts, post: hosts, put: hosts, delete: hosts }
  })

  it("B1–B9: hosts", () => {
    expect(gaps({}, {})).toEqual([])
    expect(gaps(network("api.github.com"), all("*.github.com"))).toEqual([])
    expect(gaps(network("github.com"), all("*.github.com"))).toEqual(["network github.com"])
    expect(gaps(network("*"), all("a.com"))).toEqual([])
    expect(gaps(network("a.com"), {})).toEqual(["network a.com"])
    expect(gaps(network("API.A.com"), all("api.a.com"))).toEqual([])
  })

  it("B10–B16: paths", () => {
    expect(gaps({ fs_reach: { read: ["/data/files"] } }, { files: { read: ["/data/"] } })).toEqual([])
    expect(gaps({ fs_reach: { read: ["/etc"] } }, { files: { read: ["/data/"] } })).toEqual([
      "fs_reach.read /etc/"
    ])
    expect(
      gaps(
        { fs_reach: { write: ["/secret"] } },
        { files: { write: ["/out/"], delete: ["/out/"], read: ["/"] } }
      )
    ).toEqual(["fs_reach.write /secret/"])
    expect(gaps({ fs_reach: { read: ["/database"] } }, { files: { read: ["/data/"] } })).toHaveLength(1)
    expect(gaps({ fs_reach: { read: ["/etc"] } }, { files: { read: ["/"] } })).toEqual([])
    expect(gaps({ fs_reach: { read: "from-personality" } }, {})).toEqual([])
  })

  it("B21/B22: what the policy leaves to declarations is no gap", () => {
    expect(
      gaps(
        {
          secrets: ["A"],
          storage: { scope: "session", kind: "kv" },
          process: { allowedBinaries: ["git"] },
          attachments: { kinds: "*" }
        },
        {}
      )
    ).toEqual([])
  })

  it("B21: a command that the policy allows is no gap, wherever it may run", () => {
    const places = { workdir: "/w" }
    const gapsUnder = (config: string) =>
      declares({ process: { allowedBinaries: ["echo"] } }).validate(
        Personality.policy(
          Either.getOrThrow(Personality.parse({ config: { file: "/p/config.yaml", text: config } }, places))
        )
      )
    expect(gapsUnder("id: p")).toEqual([])
    expect(gapsUnder('id: p\nprocess: { allow: ["echo"] }')).toEqual([])
    expect(gapsUnder('id: p\nprocess: { allow: ["*"] }')).toEqual([])
    expect(gapsUnder('id: p\nprocess: { allow: ["git"] }')).toMatchObject([{ capability: "process" }])
  })

  it("a command that the policy allows with some arguments is no gap: nobody is advised to allow all of it", () => {
    const git = { process: { allowedBinaries: ["git"] } }
    const exec = (argv: string) => ({ process: { exec: [{ argv, in: "/" }] } })
    expect(declares(git).validate(policyOf(exec("git log *"), { asDeclared: [] }))).toEqual([])
    expect(declares(git).validate(policyOf(exec("git status"), { asDeclared: [] }))).toEqual([])
    expect(declares(git).validate(policyOf(exec("hg:*"), { asDeclared: [] }))).toMatchObject([
      { capability: "process", remedy: expect.stringContaining("git") }
    ])
  })

  it("says tool, capability, message and remedy, and leaves out tools that the toolset does", () => {
    const registry = declares(network("a.com"))
    expect(registry.validate(policyOf({}))).toEqual([
      {
        tool: "t",
        capability: "network",
        scope: "a.com",
        message: "t declares network a.com, which the policy does not allow",
        remedy: "net.get{hosts=[a.com]}"
      }
    ])
    expect(registry.validate(policyOf({}, { toolset: [] }))).toEqual([])
  })
})

describe("the menu", () => {
  it.effect("has what the turn offers, with what a model needs to know", () =>
    Effect.gen(function* () {
      const registry = Registry.make(fetcher, bare)
      const names = (policy: ReturnType<typeof policyOf>) =>
        Effect.map(registry.menu(turnOf(policy)), (items) => items.map(({ name }) => name))
      expect(
        yield* names(policyOf({ network: { get: ["api.github.com"] }, files: { read: ["/data/"] } }))
      ).toEqual(["fetcher", "bare"])
      // Left with nothing of a category that it declares, a tool is not offered.
      expect(yield* names(policyOf({ network: { get: ["api.github.com"] } }))).toEqual(["bare"])
      expect(yield* names(policyOf({}, { toolset: ["fetcher"] }))).toEqual([])
      const [item] = yield* registry.menu(turnOf(policyOf({}, { toolset: ["bare"] })))
      expect(item).toMatchObject({
        name: "bare",
        description: "touches nothing",
        parameters: { type: "object" }
      })
    }).pipe(Effect.provide(world()))
  )
})

describe("explain", () => {
  const reader = Tool.make({
    name: "reader",
    description: "reads",
    parameters: Schema.Struct({ path: Schema.String }),
    capabilities: { fs_reach: { read: "from-personality" } },
    asks: ({ path }) => [{ _tag: "File", action: "read", path }],
    execute: ({ path }) => Effect.zipRight(Effect.die("it ran"), Files.read(path))
  })

  it.effect("says why a call would be allowed or refused, as the call itself would, and runs nothing", () =>
    Effect.gen(function* () {
      const registry = Registry.make(reader, bare)
      const turn = turnOf(policyOf({ files: { read: ["/work/"] } }, { toolset: ["reader"] }))
      const explained = (name: string, args: unknown) =>
        Effect.map(registry.explain(turn, callOf(name, args)), ({ result }) => result)
      expect(yield* explained("reader", { path: "note" })).toEqual({
        ok: true,
        value: {
          allowed: true,
          decisions: [{ capability: "files.read", asked: "read /work/note", allowed: true, scope: "/work/" }],
          may: ["may read /work/"]
        }
      })
      expect(yield* explained("reader", { path: "/etc/x" })).toMatchObject({
        ok: false,
        code: "execution_failed",
        error: "PATH_NOT_REACHABLE: read not permitted for /etc/x",
        denial: { remedy: expect.stringContaining("fs.read") }
      })
      expect(yield* explained("reader", { path: 1 })).toMatchObject({ code: "input_invalid" })
      expect(yield* explained("bare", {})).toMatchObject({
        code: "not_available",
        error: "Tool bare is not permitted for this personality"
      })
      expect(yield* explained("nope", {})).toMatchObject({ error: "Unknown tool: nope" })
    }).pipe(Effect.provide(world()))
  )
})

describe("typed calls", () => {
  it.effect("are typed by the name of the tool", () =>
    Effect.gen(function* () {
      const registry = Registry.make(fetcher, bare)
      const turn = turnOf(policyOf({ network: { get: ["api.github.com"] }, files: { read: ["/data/"] } }))
      const [first, second] = yield* registry.execute(turn, [
        registry.call("fetcher", { url: "https://api.github.com/" }),
        registry.call("bare", {})
      ])
      const text: string = first.result.ok ? first.result.value : "refused"
      expect([text, second.name]).toEqual(["hello", "bare"])
    }).pipe(Effect.provide(world({ respond: () => "hello" })))
  )
})

it.effect("a tool may use all that it declares", () =>
  Effect.gen(function* () {
    const all = Tool.make({
      name: "all",
      description: "uses all",
      parameters: Schema.Struct({}),
      capabilities: { secrets: ["KEY"], storage: { scope: "tool-private", kind: "kv" } },
      execute: () => Effect.zipRight(Secrets.get("KEY"), Storage.set("a", "b"))
    })
    const [answer] = yield* Registry.make(all).execute(turnOf(), [callOf(all)])
    expect(answer.result).toEqual({ ok: true, value: null })
  }).pipe(Effect.provide(world({ secrets: { KEY: "value" } })))
)
