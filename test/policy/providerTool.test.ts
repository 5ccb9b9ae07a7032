/**
 * Threat: a tool that runs where none of our checks does, offered to an agent that does not hold what it touches, or
 * with a scope that lets it touch more. The ids in brackets name the conformance cases.
 */

import { Either, FastCheck as fc, Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as Catalog from "../../src/policy/grant/Catalog.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import type * as Host from "../../src/policy/lattice/Host.js"
import { HostSet } from "../../src/policy/lattice/HostSet.js"
import * as Policy from "../../src/policy/Policy.js"
import * as ProviderTool from "../../src/policy/provider/ProviderTool.js"
import { times } from "../deep.js"

const { anthropic, offer, openai } = ProviderTool

const held = (json: Authority.Encoded): Authority.Authority => Schema.decodeSync(Authority.FromJson)(json)

/** A grant of `*.x` covers `x` too; these are patterns of the lattice, where it does not. */
const gets = (...hosts: ReadonlyArray<string>): Authority.Authority => held({ network: { get: hosts } })

const args = (outcome: ProviderTool.Offer): unknown =>
  outcome._tag === "Offered" ? outcome.args : outcome.denial.code

const denialOf = (outcome: ProviderTool.Offer) => {
  if (outcome._tag === "Offered") throw new Error("offered")
  return outcome.denial
}

const notesOf = (outcome: ProviderTool.Offer) => {
  if (outcome._tag === "Omitted") throw new Error(outcome.denial.detail)
  const scopes = (notes: ReadonlyArray<ProviderTool.Note>) => notes.map(({ scope }) => scope)
  return { narrowed: scopes(outcome.narrowed), widened: scopes(outcome.widened) }
}

const unscoped = ProviderTool.known.filter(({ scoped }) => !scoped)

describe("[O6] a provider's tool, while the request is made", () => {
  it("becomes the list of domains that are granted, in each provider's form", () => {
    expect(args(offer(anthropic.webSearch, gets("github.com")))).toEqual({ allowed_domains: ["github.com"] })
    expect(args(offer(openai.webSearch, gets("github.com")))).toEqual({
      filters: { allowed_domains: ["github.com"] }
    })
  })

  it("stays out without a grant, and the denial says which", () => {
    expect(offer(anthropic.webSearch, Authority.nothing)).toEqual({
      _tag: "Omitted",
      tool: anthropic.webSearch,
      denial: {
        reason: "capability_absent",
        code: "PROVIDER_TOOL_NOT_ALLOWED",
        detail: "anthropic's tool web_search needs a domain to GET from, and there is none",
        tool: "web_search",
        capability: "network.get",
        asked: "provider web_search",
        held: [],
        remedy: "net.get{hosts=[example.com]}"
      }
    })
  })

  it("stays out when other verbs are granted, for it only fetches", () => {
    const writes = held({ network: { post: ["*"], put: ["*"], delete: ["*"] } })
    expect(denialOf(offer(openai.webSearch, writes)).reason).toBe("capability_absent")
  })

  it("is outside of a grant that is there and empty", () => {
    const bare = Policy.make({ authority: Authority.nothing, mentioned: ["network.get"] })
    expect(denialOf(offer(anthropic.webSearch, bare)).reason).toBe("scope_violation")
  })

  it("is held to what a personality and an agent's record both allow", () => {
    const personality = Policy.make({ authority: gets("github.com", "example.com") })
    const record = Policy.make({ authority: gets("example.com", "example.net") })
    expect(args(offer(anthropic.webSearch, Policy.meet(personality, record)))).toEqual({
      allowed_domains: ["example.com"]
    })
  })

  it("is decided again each time: what is revoked is out of the next request", () => {
    const before = gets("github.com", "example.com")
    expect(args(offer(anthropic.webSearch, before))).toEqual({
      allowed_domains: ["example.com", "github.com"]
    })
    expect(args(offer(anthropic.webSearch, gets("example.com")))).toEqual({
      allowed_domains: ["example.com"]
    })
  })

  it("stays out of a toolset that does not name it, and the bare name is that of a tool that runs here", () => {
    const personality = (...toolset: ReadonlyArray<string>) =>
      Policy.make({ authority: gets("github.com"), toolset })
    const denial = denialOf(offer(anthropic.webFetch, personality("web_fetch")))
    expect([denial.code, denial.remedy]).toEqual([
      "TOOL_NOT_PERMITTED",
      "add provider__web_fetch to the toolset"
    ])
    expect(denialOf(offer(anthropic.webFetch, personality())).code).toBe("TOOL_NOT_PERMITTED")
    expect(args(offer(anthropic.webFetch, personality("provider__web_fetch")))).toEqual({
      allowed_domains: ["github.com"]
    })
  })

  it("answers for each of many, in their order", () => {
    const [search, code] = ProviderTool.offered(
      [anthropic.webSearch, anthropic.codeExecution],
      gets("github.com")
    )
    expect([search._tag, code._tag]).toEqual(["Offered", "Omitted"])
    expect(ProviderTool.offered([], gets("github.com"))).toEqual([])
  })
})

describe("[O5] a provider's tool that cannot be scoped", () => {
  it.each(unscoped)("$provider $name is opened by its own grant and by nothing else", (tool) => {
    const { provider: _, ...others } = Schema.encodeSync(Authority.FromJson)(Authority.everything)
    const refused = offer(tool, held(others))
    expect(denialOf(refused)).toEqual({
      reason: "capability_absent",
      code: "PROVIDER_TOOL_NOT_ALLOWED",
      detail: `${tool.provider}'s tool ${tool.name} is not granted`,
      tool: tool.name,
      capability: "provider.use",
      asked: `provider ${tool.name}`,
      held: [],
      remedy: `provider.${tool.name}`
    })
    expect(args(offer(tool, held({ provider: { use: [tool.name] } })))).toEqual({})
    expect(denialOf(offer(tool, held({ provider: { use: ["another_tool"] } }))).reason).toBe(
      "scope_violation"
    )
  })

  it("has a grant in the catalog that is of the highest risk, and no pair of the catalog gives it", () => {
    for (const { name } of unscoped) expect(Catalog.find(`provider.${name}`)?.risk).toBe("high")
    expect(Catalog.catalog.filter(({ capability }) => capability === "provider.use")).toEqual([])
  })

  it("does not open one that can be: its own scope is asked for", () => {
    const named = held({ provider: { use: ["web_search"] } })
    expect(denialOf(offer(anthropic.webSearch, named)).remedy).toBe("net.get{hosts=[example.com]}")
  })
})

describe("the domains of a provider's list", () => {
  it.each<[string, ReadonlyArray<string>, unknown, unknown]>([
    ["a name", ["github.com"], ["github.com"], { narrowed: [], widened: ["github.com"] }],
    [
      "a domain and all below it",
      ["github.com", "*.github.com"],
      ["github.com"],
      { narrowed: [], widened: [] }
    ],
    [
      "only what is below a domain, beside a name",
      ["*.github.com", "example.com"],
      ["example.com"],
      { narrowed: ["*.github.com"], widened: ["example.com"] }
    ],
    [
      "a domain with an exception below it, beside a name",
      ["x.com", "*.x.com", "!a.b.x.com", "example.com"],
      ["example.com"],
      { narrowed: ["*.x.com", "x.com"], widened: ["example.com"] }
    ],
    [
      "a name among others that are left out",
      ["x.com", "*.x.com", "!*.a.x.com", "b.a.x.com", "example.com"],
      ["example.com"],
      { narrowed: ["*.x.com", "b.a.x.com", "x.com"], widened: ["example.com"] }
    ],
    [
      "a name under which another is left out",
      ["x.com", "*.e.x.com", "!f.e.x.com", "example.com"],
      ["example.com"],
      { narrowed: ["*.e.x.com", "x.com"], widened: ["example.com"] }
    ],
    [
      "what is no domain",
      ["localhost", "93.184.216.34", "[2606:2800:220:1::1]", "_dmarc.example.com", "example.com"],
      ["example.com"],
      {
        narrowed: ["93.184.216.34", "[2606:2800:220:1::1]", "_dmarc.example.com", "localhost"],
        widened: ["example.com"]
      }
    ],
    [
      "names below which everybody has domains",
      ["co.uk", "github.io", "kawasaki.jp", "example.com"],
      ["example.com"],
      { narrowed: ["co.uk", "github.io", "kawasaki.jp"], widened: ["example.com"] }
    ],
    [
      "what is always refused",
      ["metadata.google.internal", "example.com"],
      ["example.com"],
      { narrowed: ["metadata.google.internal"], widened: ["example.com"] }
    ],
    [
      "a name in other letters",
      ["BÜCHER.example."],
      ["xn--bcher-kva.example"],
      { narrowed: [], widened: ["xn--bcher-kva.example"] }
    ]
  ])("of %s", (_, hosts, domains, notes) => {
    const forAnthropic = offer(anthropic.webSearch, gets(...hosts))
    const forOpenai = offer(openai.webSearch, gets(...hosts))
    expect(args(forAnthropic)).toEqual({ allowed_domains: domains })
    expect(args(forOpenai)).toEqual({ filters: { allowed_domains: domains } })
    expect(notesOf(forAnthropic)).toEqual(notes)
    expect(notesOf(forOpenai)).toEqual(notes)
  })

  it("are no list at all when every host is granted", () => {
    expect(args(offer(anthropic.webFetch, gets("*")))).toEqual({})
    expect(args(offer(openai.webSearch, gets("*")))).toEqual({})
  })

  it.each<[string, ReadonlyArray<string>, string, string]>([
    [
      "only what is below a domain",
      ["*.github.com"],
      "of '*.github.com', the provider takes '*.github.com' for github.com too",
      "net.get{hosts=[*.github.com]}"
    ],
    [
      "only what is no domain",
      ["localhost"],
      "of 'localhost', it is no domain",
      "net.get{hosts=[example.com]}"
    ],
    [
      "only a domain with an exception",
      ["*.x.com", "!a.x.com"],
      "of '*.x.com', an exception below it cannot be told to the provider",
      "net.get{hosts=[example.com]}"
    ]
  ])("are never an empty list: with %s the tool stays out", (_, hosts, because, remedy) => {
    const scoped: ReadonlyArray<ProviderTool.ProviderTool> = [
      anthropic.webSearch,
      anthropic.webFetch,
      openai.webSearch
    ]
    for (const tool of scoped) {
      const denial = denialOf(offer(tool, gets(...hosts)))
      expect(denial).toMatchObject({
        reason: "scope_violation",
        code: "PROVIDER_SCOPE_NOT_EXPRESSIBLE",
        capability: "network.get",
        remedy
      })
      expect(denial.detail).toContain(because)
      expect(denial.held).not.toEqual([])
    }
  })

  const names = (count: number) => Array.from({ length: count }, (_, i) => `a${i}.example.com`)

  it("are as many as the provider takes; with more the tool stays out and none is chosen", () => {
    const most = offer(openai.webSearch, gets(...names(100)))
    expect(most._tag).toBe("Offered")
    const denial = denialOf(offer(openai.webSearch, gets(...names(101))))
    expect(denial.detail).toBe(
      "openai's tool web_search cannot be held to what is granted: its list takes 100 domains, and there would be 101"
    )
    expect(denial.remedy).toBe("let net.get come down to at most 100 domains")
    expect(denial.held).toHaveLength(11)
    expect(offer(anthropic.webSearch, gets(...names(101)))._tag).toBe("Offered")
  })
})

describe("every host but some", () => {
  it("is a list of what is blocked, where there is one", () => {
    const outcome = offer(anthropic.webSearch, gets("*", "!bad.com", "!*.bad.com"))
    expect(args(outcome)).toEqual({ blocked_domains: ["bad.com"] })
    expect(notesOf(outcome)).toEqual({ narrowed: [], widened: [] })
  })

  it.each<[string, ReadonlyArray<string>, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["one name blocks what is below it", ["*", "!bad.com"], ["bad.com"], ["*.bad.com"]],
    ["what is below a domain blocks it too", ["*", "!*.bad.com"], ["bad.com"], ["bad.com"]],
    [
      "a domain blocks what is let in again",
      ["*", "!bad.com", "!*.bad.com", "good.bad.com"],
      ["bad.com"],
      ["good.bad.com"]
    ]
  ])("may block more than is left out, and says so: %s", (_, hosts, blocked, narrowed) => {
    const outcome = offer(anthropic.webSearch, gets(...hosts))
    expect(args(outcome)).toEqual({ blocked_domains: blocked })
    expect(notesOf(outcome)).toEqual({ narrowed, widened: [] })
  })

  it("stays out where there is no such list", () => {
    const denial = denialOf(offer(openai.webSearch, gets("*", "!bad.com")))
    expect(denial.code).toBe("PROVIDER_SCOPE_NOT_EXPRESSIBLE")
    expect(denial.detail).toContain("it takes no exceptions")
  })

  it.each(["!localhost", "!10.0.0.1", "!*.internal"])(
    "stays out when %s cannot be blocked as a domain",
    (one) => {
      const denial = denialOf(offer(anthropic.webSearch, gets("*", "!bad.com", one)))
      expect(denial.detail).toContain(`the exception '${one.slice(1)}' is none`)
    }
  )
})

describe("a tool that a host declares", () => {
  const maps = ProviderTool.make({
    provider: "atlas",
    name: "maps",
    needs: gets("tiles.atlas.example", "routes.atlas.example"),
    translate: ProviderTool.domains({
      open: { hosts: [] as ReadonlyArray<string> },
      allow: (hosts) => ({ hosts })
    })
  })

  it("gets what is granted of its need and no more", () => {
    expect(args(offer(maps, gets("*")))).toEqual({ hosts: ["routes.atlas.example", "tiles.atlas.example"] })
    expect(args(offer(maps, gets("tiles.atlas.example", "example.com")))).toEqual({
      hosts: ["tiles.atlas.example"]
    })
  })

  it("is refused with the grant that it wants", () => {
    const denial = denialOf(offer(maps, gets("example.com")))
    expect([denial.reason, denial.remedy, denial.held]).toEqual([
      "scope_violation",
      "net.get{hosts=[routes.atlas.example]}",
      ["example.com"]
    ])
  })

  it("needs each capability that it names: one that searches and runs code is opened by both grants only", () => {
    const both = ProviderTool.make({
      provider: "anthropic",
      name: "web_search",
      type: "web_search_20260209",
      needs: Authority.join(gets("*"), held({ provider: { use: ["code_execution"] } })),
      translate: anthropic.webSearch.translate
    })
    const runs = held({ provider: { use: ["code_execution"] } })
    expect(denialOf(offer(both, gets("github.com"))).remedy).toBe("provider.code_execution")
    expect(denialOf(offer(both, runs)).remedy).toBe("net.get{hosts=[example.com]}")
    expect(args(offer(both, Authority.join(gets("github.com"), runs)))).toEqual({
      allowed_domains: ["github.com"]
    })
  })

  it("needs its own grant besides, when it cannot be scoped or says that it needs nothing", () => {
    const translate: ProviderTool.Translate = () => Either.right({ args: {}, narrowed: [], widened: [] })
    const wide = ProviderTool.make({ provider: "atlas", name: "crawl", needs: gets("*") })
    const idle = ProviderTool.make({ provider: "atlas", name: "crawl", translate })
    const own = held({ provider: { use: ["crawl"] } })
    expect(denialOf(offer(wide, gets("*"))).remedy).toBe("provider.crawl")
    expect(denialOf(offer(wide, own)).capability).toBe("network.get")
    expect(denialOf(offer(wide, Authority.join(own, gets("example.com")))).reason).toBe("scope_violation")
    expect(offer(wide, Authority.join(own, gets("*")))._tag).toBe("Offered")
    expect(denialOf(offer(idle, gets("*"))).remedy).toBe("provider.crawl")
    expect(offer(idle, own)._tag).toBe("Offered")
  })

  it.each(["", "*", "code execution", "Code", "a.b", "x".repeat(65)])("cannot be called '%s'", (name) => {
    expect(() => ProviderTool.make({ provider: "atlas", name })).toThrow(/NAME_INVALID/)
  })

  it("cannot be changed", () => {
    expect(Object.isFrozen(maps)).toBe(true)
  })
})

it("the catalog has each tool of a provider once, with a description, and none that runs here", () => {
  const ids = ProviderTool.known.map(({ name, provider }) => `${provider}.${name}`)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { description } of ProviderTool.known) expect(description).not.toBe("")
  for (const { name, provider } of ProviderTool.runHere) expect(ids).not.toContain(`${provider}.${name}`)
})

describe("whatever a translated list lets in is permitted", () => {
  const label = fc.constantFrom("a", "b", "x_y")
  const base = fc.constantFrom("github.com", "evilgithub.com", "x.co.uk", "localhost")
  const name = fc.oneof(
    { weight: 3, arbitrary: base },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.array(label, { minLength: 1, maxLength: 2 }), base)
        .map(([labels, below]) => [...labels, below].join("."))
    },
    { weight: 1, arbitrary: fc.constantFrom("127.0.0.1", "[::1]", "co.uk") }
  )
  const exact = (host: string): Host.HostPattern => ({ _tag: "Exact", host })
  const below = (suffix: string): Host.HostPattern => ({ _tag: "Below", suffix })
  const patterns: fc.Arbitrary<ReadonlyArray<Host.HostPattern>> = fc.oneof(
    { weight: 4, arbitrary: name.map((host) => [exact(host)]) },
    { weight: 2, arbitrary: name.map((host) => [below(host)]) },
    { weight: 4, arbitrary: name.map((host) => [exact(host), below(host)]) },
    { weight: 1, arbitrary: fc.constant([{ _tag: "Any" } as const]) }
  )
  const some = (maxLength: number) => fc.array(patterns, { maxLength }).map((all) => HostSet.make(all.flat()))
  const hosts = fc
    .tuple(some(3), some(2), some(1))
    .map(([granted, but, again]) => granted.without(but).join([again]))

  /** The rule of both providers: a domain is itself and everything below it. */
  const takesIn = (domain: string, host: string) => host === domain || host.endsWith(`.${domain}`)

  /** Every name that a set speaks of, with what is above and below it. */
  const near = (set: HostSet): ReadonlyArray<string> =>
    set.encode().flatMap((pattern) => {
      const labels = pattern.replace(/^!?(\*\.)?/, "").split(".")
      const above = labels.map((_, index) => labels.slice(index).join("."))
      return ["else.example", ...above, ...above.map((host) => `zz.${host}`)]
    })

  const reach = (tool: ProviderTool.ProviderTool<ProviderTool.DomainLists & ProviderTool.DomainFilters>) =>
    fc.property(hosts, (set) => {
      const outcome = offer(tool, Authority.make({ network: { get: set } }))
      if (outcome._tag === "Omitted") return
      const { blocked_domains, filters, allowed_domains = filters?.allowed_domains } = outcome.args
      expect(allowed_domains?.length).not.toBe(0)
      expect(blocked_domains?.length).not.toBe(0)
      expect(allowed_domains === undefined || blocked_domains === undefined).toBe(true)
      const more = near(set).filter((host) => {
        const reached =
          (allowed_domains === undefined || allowed_domains.some((domain) => takesIn(domain, host))) &&
          blocked_domains?.some((domain) => takesIn(domain, host)) !== true
        const known = outcome.widened.some(({ scope }) => scope !== host && takesIn(scope, host))
        return reached && !set.has(host) && !known
      })
      expect(more).toEqual([])
    })

  it.each([
    ["anthropic", anthropic.webSearch],
    ["openai", openai.webSearch]
  ])("to %s, but for what is below a name that is granted alone", (_, tool) => {
    fc.assert(reach(tool), { numRuns: times(1000) })
  })

  it("and such a name is one that is granted, of which nothing below is left out by name", () => {
    fc.assert(
      fc.property(hosts, (set) => {
        const outcome = offer(anthropic.webSearch, Authority.make({ network: { get: set } }))
        if (outcome._tag === "Omitted") return
        const leftOut = set.encode().filter((one) => one.startsWith("!"))
        for (const { scope } of outcome.widened) {
          expect(set.encode()).toContain(scope)
          expect(leftOut.filter((one) => one === `!${scope}` || one.endsWith(`.${scope}`))).toEqual([])
        }
      }),
      { numRuns: times(1000) }
    )
  })
})
