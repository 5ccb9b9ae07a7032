/**
 * A personality over a registry: which tools it offers, what is wanting between the two, and what a switch in the
 * middle of a session changes. The threat: a plugin or a server brings a tool that no operator has allowed, or a call
 * is decided under a policy that is not that of its turn.
 */
import { describe, expect, it } from "@effect/vitest"
import { Files, Personality, Policy, Registry, Resolver, Storage, Tool, Turn } from "bailiwick"
import { Deferred, Effect, Either, Fiber, Option, Schema } from "effect"
import * as MemoryStorage from "../../src/capabilities/storage/MemoryStorage.js"
import { callOf, reader, turnOf, world } from "./support.js"

const named = (name: string) =>
  Tool.make({
    name,
    description: name,
    parameters: Schema.Struct({}),
    capabilities: {},
    execute: () => Effect.succeed(name)
  })

const personality = (text: string): Personality.Personality =>
  Either.getOrThrowWith(
    Personality.parse({ config: { file: "/ws/p.yaml", text } }, { workdir: "/work", home: "/home/u" }),
    (error) => new Error(error.message)
  )

const policyOf = (...lines: ReadonlyArray<string>) =>
  Personality.policy(personality(["id: p", ...lines].join("\n")))

/** Two of the host, two of plugins, three of servers. */
const withPlugins = Effect.gen(function* () {
  const registry: Registry.Registry = Registry.make(named("own"), named("other"))
  yield* registry.register(named("acme_one"), { plugin: "acme" })
  yield* registry.register(named("widget"), { plugin: "@corp/widgets" })
  yield* registry.register(named("mcp__gh__list_repos"), { server: "gh" })
  yield* registry.register(named("mcp__my_db__query__all"), { server: "my_db" })
  return registry
})

const OWN = ["own", "other"]
const ACME = ["acme_one"]
const WIDGETS = ["widget"]
const GH = ["mcp__gh__list_repos"]
const DB = ["mcp__my_db__query__all"]

describe("the tools of plugins and servers", () => {
  it.scoped("are known by what they were registered for, and not by their names", () =>
    Effect.map(withPlugins, ({ origins }) => {
      expect([...origins]).toEqual([
        ["acme_one", { plugin: "acme" }],
        ["widget", { plugin: "@corp/widgets" }],
        ["mcp__gh__list_repos", { server: "gh" }],
        ["mcp__my_db__query__all", { server: "my_db" }]
      ])
    })
  )

  it.scoped.each<[name: string, origin: Registry.RegisterOptions]>([
    ["mcp__gh__list_repos", {}],
    ["mcp__gh__list_repos", { plugin: "acme" }],
    ["mcp__gh__list_repos", { server: "db" }],
    ["mcp__gh__list_repos", { server: "gh", plugin: "acme" }],
    ["list_repos", { server: "gh" }],
    ["mcp__a__b__c", { server: "a__b" }],
    ["acme_two", { plugin: "a:b" }],
    ["acme_two", { plugin: "" }]
  ])("%s is not registered for %o: nobody poses as another", ([name, origin]) =>
    Effect.gen(function* () {
      const registry: Registry.Registry = Registry.make(named("own"))
      const refused = yield* Effect.either(registry.register(named(name), origin))
      expect(Either.isLeft(refused) && refused.left.code).toBe("TOOL_MALFORMED")
      expect([...registry.tools.keys()]).toEqual(["own"])
    })
  )

  it.effect("what is private to a tool is private to where it came from", () =>
    Effect.gen(function* () {
      const turn = Turn.make({ session: "s1", policy: policyOf(), workdir: "/w", home: "/home/u" })
      const remember = (text: string) =>
        Tool.make({
          name: "remember",
          description: "keeps what it is told, and says what it knew",
          parameters: Schema.Struct({}),
          capabilities: { storage: { kind: "kv", scope: "tool-private" } },
          execute: () =>
            Effect.gen(function* () {
              const known = yield* Storage.get("it")
              yield* Storage.set("it", text)
              return Option.getOrElse(known, () => "nothing")
            })
        })
      const told = (text: string, origin?: Registry.RegisterOptions) =>
        Effect.scoped(
          Effect.gen(function* () {
            const registry: Registry.Registry = Registry.make()
            yield* registry.register(remember(text), origin)
            const [answer] = yield* registry.execute(turn, [{ id: "1", name: "remember", args: {} }])
            return answer?.result.ok === true ? answer.result.value : answer?.result
          })
        )
      expect(yield* told("of the host")).toBe("nothing")
      expect(yield* told("of acme", { plugin: "acme" })).toBe("nothing")
      expect(yield* told("of corp", { plugin: "@corp/acme" })).toBe("nothing")
      expect(yield* told("again", { plugin: "acme" })).toBe("of acme")
      expect(yield* told("again")).toBe("of the host")
    }).pipe(Effect.provide(MemoryStorage.layer()))
  )

  it.scoped.each<[ReadonlyArray<string>, ReadonlyArray<string>]>([
    [[], [...OWN, ...ACME, ...WIDGETS, ...GH, ...DB]],
    [["toolset: []"], []],
    [["toolset: [own]"], ["own"]],
    [["toolset: [own, acme_one]"], ["own", "acme_one"]],
    [["toolset: [own, mcp__gh__list_repos]"], ["own", ...GH]],
    [["plugins: []"], [...OWN, ...GH, ...DB]],
    [["plugins: [acme]"], [...OWN, ...ACME, ...GH, ...DB]],
    [['plugins: ["@corp/widgets"]'], [...OWN, ...WIDGETS, ...GH, ...DB]],
    [["mcp_servers: []"], [...OWN, ...ACME, ...WIDGETS]],
    [["mcp_servers: [gh]"], [...OWN, ...ACME, ...WIDGETS, ...GH]],
    [["mcp_servers: [my_db]"], [...OWN, ...ACME, ...WIDGETS, ...DB]],
    [
      ["toolset: [own]", "plugins: [acme]"],
      ["own", ...ACME]
    ],
    [["toolset: []", "mcp_servers: [gh]"], GH],
    [
      ["toolset: [other]", "plugins: [acme]", "mcp_servers: [acme]"],
      ["other", ...ACME]
    ],
    [["plugins: []", "mcp_servers: []"], OWN],
    [["toolset: [acme_one]", "plugins: []"], ACME],
    [["plugins: [acm, Acme]"], [...OWN, ...GH, ...DB]]
  ])("%j offers %j", ([lines, offered]) =>
    Effect.gen(function* () {
      const registry = yield* withPlugins
      const policy = policyOf(...lines)
      const menu = yield* registry.menu(turnOf(policy))
      expect(menu.map(({ name }) => name)).toEqual(offered)
      expect(Resolver.plan(registry, policy).offered.map(({ name }) => name)).toEqual(offered)
      const called = yield* registry.execute(
        turnOf(policy),
        [...registry.tools.keys()].map((name) => callOf(name, {}, name))
      )
      expect(called.filter(({ result }) => result.ok).map(({ name }) => name)).toEqual(offered)
    })
  )

  it.scoped("P3: what is not offered is refused, with what to write", () =>
    Effect.gen(function* () {
      const registry = yield* withPlugins
      const refusal = (policy: Policy.Policy, name: string) =>
        Effect.map(registry.execute(turnOf(policy), [callOf(name)]), ([answer]) => answer.result)
      expect(yield* refusal(policyOf("toolset: []"), "own")).toMatchObject({
        ok: false,
        code: "not_available",
        error: "Tool own is not permitted for this personality",
        denial: { remedy: "add own to the toolset" }
      })
      expect(yield* refusal(policyOf("toolset: []"), "acme_one")).toMatchObject({
        error: "Tool acme_one is not permitted for this personality",
        denial: { remedy: "add acme_one to the toolset, or acme to plugins" }
      })
      expect(yield* refusal(policyOf("mcp_servers: []"), "mcp__gh__list_repos")).toMatchObject({
        denial: { remedy: "add gh to mcp_servers" }
      })
      const agent = Policy.make({ agent: "agents/a", authority: policyOf().authority, toolset: [] })
      expect(yield* refusal(agent, "own")).toMatchObject({
        error: "Tool own is not permitted for this agent"
      })
    })
  )

  it.scoped("P28: a plugin cannot take a built-in's name, and its mark goes when it does", () =>
    Effect.gen(function* () {
      const registry: Registry.Registry = Registry.make(named("own"))
      const taken = yield* Effect.flip(registry.register(named("Own"), { plugin: "acme" }))
      expect(taken.code).toBe("NAME_TAKEN")
      const offers = (policy: Policy.Policy) =>
        Effect.map(registry.menu(turnOf(policy)), (items) => items.map(({ name }) => name))
      expect(yield* offers(policyOf("plugins: []"))).toEqual(["own"])
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* registry.register(named("late"), { plugin: "acme" })
          expect(yield* offers(policyOf("plugins: []"))).toEqual(["own"])
        })
      )
      yield* registry.register(named("late"))
      expect(yield* offers(policyOf("plugins: []"))).toEqual(["own", "late"])
    })
  )

  it("a server is what was said, and not what the name tells", () => {
    const offers = (line: string, tool: Policy.Offered) => Policy.offers(policyOf(line), tool)
    expect(offers("mcp_servers: [x]", { name: "mcp__x__y", server: "y" })).toBe(false)
    expect(offers("mcp_servers: [x]", { name: "mcp__x__y", plugin: "p", server: "y" })).toBe(false)
    expect(offers("mcp_servers: [x]", { name: "mcp__x__y", server: "x" })).toBe(true)
    expect(offers("mcp_servers: [x]", { name: "mcp_x" })).toBe(true)
  })

  it("of two policies that meet, both must offer", () => {
    const tools = [
      { name: "own" },
      { name: "acme_one", plugin: "acme" },
      { name: "mcp__gh__x", server: "gh" }
    ]
    const offered = (a: Policy.Policy, b: Policy.Policy) =>
      [Policy.meet(a, b), Policy.meet(b, a)].map((policy) =>
        tools.filter((tool) => Policy.offers(policy, tool)).map(({ name }) => name)
      )
    const twice = (...names: ReadonlyArray<string>) => [names, names]
    expect(offered(policyOf(), policyOf())).toEqual(twice("own", "acme_one", "mcp__gh__x"))
    expect(offered(policyOf("toolset: [own]"), policyOf("plugins: [acme]"))).toEqual(twice("own"))
    expect(offered(policyOf("toolset: []", "plugins: [acme]"), policyOf("toolset: [acme_one]"))).toEqual(
      twice("acme_one")
    )
    expect(offered(policyOf("plugins: []"), policyOf("mcp_servers: []"))).toEqual(twice("own"))
  })

  it("the lists are part of the revision", () => {
    const revisions = [[], ["plugins: []"], ["mcp_servers: []"], ["toolset: []"], ["plugins: [a]"]].map(
      (lines) => policyOf(...lines).revision
    )
    expect(new Set(revisions).size).toBe(revisions.length)
  })
})

describe("validateToolsForPersonality", () => {
  const declares = (name: string, capabilities: object) =>
    Tool.make({
      name,
      description: name,
      parameters: Schema.Struct({}),
      capabilities,
      execute: () => Effect.void
    } as never) as Tool.Any

  const wide = declares("wide", {
    network: { allowedHosts: ["a.example"] },
    fs_reach: { read: ["/etc"], write: ["/out"] },
    process: { allowedBinaries: ["git"] },
    secrets: ["A"],
    storage: { scope: "session", kind: "kv" },
    attachments: { kinds: ["image"] },
    records: { verbs: ["create"], classes: ["note"] },
    agents: { verbs: ["grant"], ids: ["agents/x"] }
  })

  const closed = personality(
    "id: p\nfs_reach: { read: [/a, /b] }\nprocess: {}\nsecrets: {}\nstorage: {}\nattachments: {}"
  )

  it("B5–B12: says what a tool declares and the personality lacks, in its own keys", () => {
    const found = Registry.validateToolsForPersonality(Registry.make(wide), closed)
    expect(found.map(({ capability, remedy }) => [capability, remedy])).toEqual([
      ["network", 'add "a.example" to safety.network.allow'],
      ["fs_reach.read", 'add "/etc" to fs_reach.read'],
      ["fs_reach.write", 'add "/out" to fs_reach.write'],
      ["process", 'add "git" to process.allow'],
      ["secrets", 'add "A" to secrets.allow'],
      ["storage", 'add "session" to storage.scopes'],
      ["attachments", 'add "image" to attachments.kinds'],
      ["records.create", "add 'records.create{classes=[note]}' to grants"],
      ["agents.grant", "add 'agent.grant{id=agents/x}' to grants"]
    ])
    expect(found[0]).toMatchObject({
      tool: "wide",
      message: "wide declares network a.example, which the policy does not allow"
    })
  })

  it("what each remedy says, written down, leaves nothing wanting", () => {
    const remedied = personality(`id: p
fs_reach: { read: [/a, /b, /etc], write: [/out] }
safety: { network: { allow: ["a.example"] } }
process: { allow: [git] }
secrets: { allow: [A] }
storage: { scopes: [session] }
attachments: { kinds: [image] }
grants: ["records.create{classes=[note]}", "agent.grant{id=agents/x}"]
`)
    expect(Registry.validateToolsForPersonality(Registry.make(wide), remedied)).toEqual([])
  })

  it("B1, B8, B21: nothing is wanting of what is not declared, or left to declarations", () => {
    expect(Registry.validateToolsForPersonality(Registry.make(named("own")), personality("id: p"))).toEqual(
      []
    )
    const left = declares("left", { secrets: ["A"], process: { allowedBinaries: ["git"] } })
    expect(Registry.validateToolsForPersonality(Registry.make(left), personality("id: p"))).toEqual([])
  })

  it.scoped("names that nothing here has are findings, with the closest", () =>
    Effect.gen(function* () {
      const registry = yield* withPlugins
      const found = Registry.validateToolsForPersonality(
        registry,
        personality(
          "id: p\ntoolset: [own, othr, nothing_like_it]\nplugins: [acme, acne]\nmcp_servers: [gh, ghh]"
        )
      )
      expect(
        found.map(({ capability, message, remedy, tool }) => [tool, capability, message, remedy])
      ).toEqual([
        ["othr", "toolset", "'toolset' of p names 'othr', which is no tool here", "write 'other'"],
        [
          "nothing_like_it",
          "toolset",
          "'toolset' of p names 'nothing_like_it', which is no tool here",
          "register it, or delete the entry"
        ],
        ["acne", "plugins", "'plugins' of p names 'acne', which is no plugin here", "write 'acme'"],
        ["ghh", "mcp_servers", "'mcp_servers' of p names 'ghh', which is no MCP server here", "write 'gh'"]
      ])
    })
  )

  it("a tool that the personality does not offer is not its concern, but may be asked about alone", () => {
    const without = personality("id: p\ntoolset: []")
    expect(Registry.validateToolsForPersonality(Registry.make(wide), without)).toEqual([])
    expect(Registry.validateRegistration(wide, without).map(({ capability }) => capability)).toContain(
      "network"
    )
  })
})

describe("a switch of personality in the middle of a session", () => {
  const remember = Tool.make({
    name: "remember",
    description: "keeps a value for the personality",
    parameters: Schema.Struct({ value: Schema.optional(Schema.String) }),
    capabilities: { storage: { scope: "personality", kind: "kv" } },
    execute: ({ value }) =>
      Effect.gen(function* () {
        if (value !== undefined) yield* Storage.set("k", value)
        return Option.getOrNull(yield* Storage.get("k"))
      })
  })

  const turnAs = (text: string) =>
    Turn.make({ session: "s", workdir: "/work", policy: Personality.policy(personality(text)) })

  const A = "id: a\nfs_reach: { read: [/a] }"
  const B = "id: b\nfs_reach: { read: [/b] }"
  const files = { "/a/x": "of a", "/b/x": "of b" }

  it.effect("T12/H14: takes effect at the next turn, and storage follows", () =>
    Effect.gen(function* () {
      const registry = Registry.make(remember, reader)
      const run = (turn: Turn.Turn, value?: string) =>
        Effect.map(
          registry.execute(turn, [
            callOf(remember, value === undefined ? {} : { value }, "k"),
            callOf(reader, { path: "/a/x" }, "a"),
            callOf(reader, { path: "/b/x" }, "b")
          ]),
          (all) => {
            expect(all.map(({ revision }) => revision)).toEqual(all.map(() => turn.policy.revision))
            return all.map(({ result }) => (result.ok ? result.value : result.error.split(":")[0]))
          }
        )
      const [first, second] = [turnAs(A), turnAs(B)]
      expect(yield* run(first, "kept by a")).toEqual(["kept by a", "of a", "PATH_NOT_REACHABLE"])
      expect(yield* run(second)).toEqual([null, "PATH_NOT_REACHABLE", "of b"])
      expect(yield* run(turnAs(A))).toEqual(["kept by a", "of a", "PATH_NOT_REACHABLE"])
      for (const { policy, transcript } of [first, second]) {
        expect(transcript.events.length).toBeGreaterThan(0)
        expect(new Set(transcript.events.map(({ revision }) => revision))).toEqual(new Set([policy.revision]))
      }
      expect(first.policy.revision).not.toBe(second.policy.revision)
    }).pipe(Effect.provide(world({ files })))
  )

  it.effect("H14: a turn that runs keeps the policy that it began with", () =>
    Effect.gen(function* () {
      const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Tool.make({
        name: "slow",
        description: "reads later",
        parameters: Schema.Struct({}),
        capabilities: { fs_reach: { read: "from-personality" } },
        execute: () =>
          Effect.gen(function* () {
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(go)
            const outside = yield* Effect.either(Files.read("/b/x"))
            return [yield* Files.read("/a/x"), Either.isLeft(outside)] as const
          })
      })
      const registry = Registry.make(slow, reader)
      const turn = turnAs(A)
      const running = yield* Effect.fork(registry.execute(turn, [callOf(slow)]))
      yield* Deferred.await(begun)
      const [next] = yield* registry.execute(turnAs(B), [callOf(reader, { path: "/a/x" })])
      expect(next.result).toMatchObject({ ok: false, denial: { code: "PATH_NOT_REACHABLE" } })
      yield* Deferred.succeed(go, undefined)
      const [answer] = yield* Fiber.join(running)
      expect(answer.result).toEqual({ ok: true, value: ["of a", true] })
      expect([answer.revision, next.revision === answer.revision]).toEqual([turn.policy.revision, false])
    }).pipe(Effect.provide(world({ files })))
  )
})
