/** The table that everything about grants walks. What is threatened: a pair that means another capability, or is rated as less than it is. */
import { describe, expect, it } from "vitest"
import * as Catalog from "../../src/policy/grant/Catalog.js"
import { capabilities, facets } from "../../src/policy/lattice/Facets.js"

const named = (name: string) => Catalog.find(name)

describe("the catalog of grants", () => {
  it("A1: has the seventeen pairs of the guide, and three for secrets, storage and attachments", () => {
    const count = (resource: string) =>
      Catalog.catalog.filter(({ name }) => name.startsWith(`${resource}.`)).length
    expect(Catalog.catalog).toHaveLength(20)
    expect(["records", "agent", "fs", "net", "proc"].map(count)).toEqual([4, 4, 3, 4, 2])
    expect(["secrets", "storage", "attachments"].map(count)).toEqual([1, 1, 1])
    expect(new Set(Catalog.catalog.map(({ name }) => name)).size).toBe(20)
  })

  it("each pair is one capability of the lattice, and each verb of its facets is a pair", () => {
    const known = capabilities.map(({ name }) => name)
    for (const { capability } of Catalog.catalog) expect(known).toContain(capability)
    const wanted = Object.entries(facets)
      // Private addresses are the workspace's to name, and tools of providers are granted by name.
      .filter(([facet]) => facet !== "private" && facet !== "provider")
      .flatMap(([facet, verbs]) => Object.keys(verbs).map((verb) => `${facet}.${verb}`))
      // Sealed use is a grant of reading with a word more.
      .filter((name) => name !== "secrets.seal")
    expect(Catalog.spokenOf("secrets.read")).toEqual(["secrets.read", "secrets.seal"])
    expect(Catalog.catalog.map(({ capability }) => capability).sort()).toEqual(wanted.sort())
  })

  it("a pair and its capability have the same verb", () => {
    for (const { capability, name } of Catalog.catalog) {
      expect(capability.split(".")[1]).toBe(name.split(".")[1])
    }
  })

  it("A2, A5: risks are those of the guide, and agent.create is medium", () => {
    const of = (risk: Catalog.Risk) =>
      Catalog.catalog
        .filter((entry) => entry.risk === risk)
        .map(({ name }) => name)
        .sort()
    expect(of("low")).toEqual(["attachments.read", "records.create", "records.read", "storage.use"])
    expect(of("medium")).toEqual(["agent.create", "agent.update", "fs.read", "net.get", "records.update"])
    expect(of("high")).toEqual([
      "agent.delete",
      "agent.grant",
      "fs.delete",
      "fs.write",
      "net.delete",
      "net.post",
      "net.put",
      "proc.eval",
      "proc.exec",
      "records.delete",
      "secrets.read"
    ])
    expect(Catalog.risks).toEqual(["low", "medium", "high"])
  })

  it("A6: what is not in the catalog is medium", () => {
    expect(Catalog.riskOf("records.zap")).toBe("medium")
    expect(Catalog.riskOf("toString")).toBe("medium")
    expect(Catalog.riskOf("fs.write")).toBe("high")
  })

  it.each([
    ["A7", "records.read", []],
    ["A9", "records.update", ["classes", "paths"]],
    ["S", "records.create", ["classes"]],
    ["S", "records.delete", ["classes"]],
    ["A10", "agent.create", ["id"]],
    ["A10", "agent.grant", ["id"]],
    ["S", "agent.update", ["id", "ids", "paths"]],
    ["S", "agent.delete", ["id", "ids"]],
    ["A12", "fs.read", ["in", "paths"]],
    ["A12", "fs.write", ["in", "paths"]],
    ["A12", "fs.delete", ["in", "paths"]],
    ["A12", "net.get", ["hosts"]],
    ["A12", "net.post", ["hosts"]],
    ["A12", "net.put", ["hosts"]],
    ["A12", "net.delete", ["hosts"]],
    ["A12", "proc.exec", ["in", "cmds", "patterns"]],
    ["A12", "proc.eval", ["in"]],
    ["18, 26", "secrets.read", ["refs", "sealed"]],
    ["18", "storage.use", ["scopes"]],
    ["18", "attachments.read", ["kinds"]]
  ])("%s: %s has the keys %j", (_, name, keys) => {
    expect(named(name)?.keys).toEqual(keys)
  })

  it("A9, A10: a root and an id are one string, all else are lists", () => {
    const strings = Object.entries(Catalog.keys).flatMap(([key, type]) => (type === "string" ? [key] : []))
    expect(strings.sort()).toEqual(["id", "in"])
  })

  it("bare, what is inside is all of it and what is outside is nothing; files and commands need a root", () => {
    for (const { family, name, needsRoot } of Catalog.catalog) {
      expect(family).toBe(/^(records|agent)\./.test(name) ? "internal" : "external")
      expect(needsRoot).toBe(/^(fs|proc)\./.test(name))
    }
  })

  it("O5: a provider's tool is granted by its name, is high, has no keys, and is no pair", () => {
    expect(named("provider.code_execution")).toMatchObject({
      capability: "provider.use",
      risk: "high",
      keys: []
    })
    for (const name of [
      "provider.",
      "provider.*",
      "provider.A",
      "provider.a b",
      "provider.a.b",
      "provider"
    ]) {
      expect(named(name)).toBeUndefined()
    }
    expect(Catalog.catalog.some(({ name }) => name.startsWith("provider"))).toBe(false)
  })
})
