/** Where grants of files and commands are rooted. What is threatened: a root that widens, and a path that leaves it. */
import { describe, expect, it } from "vitest"
import type * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { codes, held, record, verdict } from "./agents.js"

const fs = (scope: string, asked: string, places: AgentRecord.Places = {}) =>
  verdict(record(`capabilities: [fs.read: ${scope}]`, places), `read ${asked}`)

describe("the chain of roots", () => {
  it("G1: a bare grant takes the agent's", () => {
    expect(verdict(record("sandbox: /w\ncapabilities: [fs.read, fs.delete]"), "read /w/f")).toBe("allowed")
    expect(verdict(record("sandbox: /w\ncapabilities: [fs.delete]"), "delete /w/f")).toBe("allowed")
    expect(verdict(record("sandbox: /w\ncapabilities: [fs.delete]"), "delete /x/f")).toBe("scope_violation")
  })

  it("G2: a bare grant takes the workspace's, where the agent has none", () => {
    const agent = record("capabilities: [fs.read]", { sandbox: "/w" })
    expect(verdict(agent, "read /w/f")).toBe("allowed")
    expect(verdict(agent, "read /x/f")).toBe("scope_violation")
  })

  it("G3: a grant's own root wins over a wider one; what the shorthand of the sandbox gives is another grant", () => {
    expect(fs("{in: /w/n}", "/w/x", { sandbox: "/w" })).toBe("scope_violation")
    const agent = record("sandbox: /w\ncapabilities: [fs.delete: {in: /w/n}]")
    expect(verdict(agent, "delete /w/x")).toBe("scope_violation")
    expect(verdict(agent, "delete /w/n/x")).toBe("allowed")
  })

  it("G3: a grant's own root that lies elsewhere gives nothing, neither there nor here", () => {
    for (const path of ["/w/x", "/n/x"])
      expect(fs("{in: /n}", path, { sandbox: "/w" })).toBe("scope_violation")
    const [only] = record("capabilities: [fs.read: {in: /n}]", { sandbox: "/w" }).held
    expect(only?.inert).toMatchObject({ reason: "outside the root", remedy: "write a directory below /w" })
  })

  it("G4, G5, G11: an agent's root below the workspace's, the same, or alone, is its own", () => {
    for (const [own, common] of [
      ["/w/lib", "/w"],
      ["/w", "/w"],
      ["/any", undefined]
    ] as const) {
      const agent = record(`sandbox: ${own}`, { sandbox: common })
      expect(agent.root).toBe(own)
      expect(agent.warnings).toEqual([])
    }
  })

  it("G6, G7: a root elsewhere is clamped to the workspace's, with a warning, and what it named is denied", () => {
    const agent = record("sandbox: /etc", { sandbox: "~/Work" })
    expect(agent.root).toBe("/home/u/Work")
    expect(agent.warnings).toMatchObject([
      {
        code: "SANDBOX_CLAMPED",
        detail:
          "the sandbox of 'agents/scout' is '/etc', and the workspace's is '~/Work': it is clamped to that, because a sandbox can only narrow"
      }
    ])
    expect(verdict(agent, "read /etc/passwd")).toBe("scope_violation")
    expect(verdict(agent, "read /home/u/Work/x")).toBe("allowed")
  })

  it("G7: explicit roots are clamped as well", () => {
    const agent = record("capabilities: [fs.read: {in: /}, proc.exec: {in: /}, proc.eval: {in: /}]", {
      sandbox: "/w"
    })
    expect(codes(agent)).toEqual(["ROOT_CLAMPED", "ROOT_CLAMPED", "ROOT_CLAMPED"])
    for (const asked of ["read /etc/x", "exec ls in /etc", "eval in /etc"]) {
      expect(verdict(agent, asked)).toBe("scope_violation")
    }
    for (const asked of ["read /w/x", "exec ls in /w", "eval in /w/x"])
      expect(verdict(agent, asked)).toBe("allowed")
  })

  it("G9: a name that starts alike is no directory below", () => {
    expect(record("sandbox: /w-evil", { sandbox: "/w" }).root).toBe("/w")
    expect(fs("{in: /w-evil}", "/w-evil/x", { sandbox: "/w" })).toBe("scope_violation")
  })

  it("G14: paths without a root at any level are inert, with the fix", () => {
    const agent = record("capabilities: [fs.read: {paths: ['/tmp/*']}]")
    expect(verdict(agent, "read /tmp/x")).toBe("scope_violation")
    expect(agent.held[0]?.inert).toMatchObject({
      reason: "no root",
      remedy: "write 'fs.read{in=~/project,paths=[/tmp/*]}', or 'sandbox:' in the record or in bailiwick.yaml"
    })
  })

  it("G16: hosts need no root", () => {
    expect(verdict(record("capabilities: [net.get: {hosts: [a.example]}]"), "GET https://a.example/")).toBe(
      "allowed"
    )
  })

  it("G19: the root of all is wide, and written down", () => {
    expect(verdict(record('sandbox: "/"'), "read /etc/x")).toBe("allowed")
  })

  it("a sandbox that cannot be read bounds to nothing, and lets nothing fall back to the workspace's", () => {
    for (const sandbox of ["42", "[/w/a]", "relative", "/w/../etc", '"/w/*"', "~other/x"]) {
      const agent = record(
        `sandbox: ${sandbox}\ncapabilities: [fs.delete, fs.read: {in: /w/a}, fs.write: {in: /}, proc.exec: {cmds: [git]}, proc.eval]`,
        { sandbox: "/w" }
      )
      expect(Authority.isNothing(agent.authority)).toBe(true)
      expect(agent.warnings.length).toBeGreaterThan(0)
      expect(agent.held.every(({ inert }) => inert?.detail.includes("cannot be read"))).toBe(true)
    }
  })

  it("a workspace's sandbox that cannot be read bounds to nothing", () => {
    const agent = record("sandbox: /w\ncapabilities: [fs.delete]", { sandbox: "relative" })
    expect(Authority.isNothing(agent.authority)).toBe(true)
    expect(record("sandbox: /", { sandbox: "" }).authority.scopes.files.read.isEmpty).toBe(true)
  })

  it("a home that is unknown is a warning, and grants nothing", () => {
    const agent = record("capabilities: [fs.read: {in: ~/p}]", { home: undefined })
    expect(Authority.isNothing(agent.authority)).toBe(true)
    expect(codes(agent)).toEqual(["PATH_INVALID"])
  })

  it("a root that is a link holds as it is written and where it leads, and is clamped by both", () => {
    const real = (path: string) => path.replace(/^\/link/, "/real").replace(/^\/w\/out/, "/etc")
    const agent = record("capabilities: [fs.read: {in: /link, paths: ['x/**']}]", { real })
    for (const path of ["/link/x/y", "/real/x/y"]) expect(verdict(agent, `read ${path}`)).toBe("allowed")
    expect(verdict(agent, "read /real/y")).toBe("scope_violation")
    const out = record("capabilities: [fs.read: {in: /w/out}]", { real, sandbox: "/w" })
    for (const path of ["/w/out/x", "/etc/x"]) expect(verdict(out, `read ${path}`)).toBe("scope_violation")
  })
})

describe("paths below the root", () => {
  it("H3, H4: outside of the root is outside, and a name that starts alike too", () => {
    for (const path of ["/etc/hosts", "/w2/x", "/"]) expect(fs("{in: /w}", path)).toBe("scope_violation")
    for (const path of ["/w", "/w/x", "/w/x/y"]) expect(fs("{in: /w}", path)).toBe("allowed")
  })

  it("H6, H7: './lib/**' and 'lib/**' are what is below lib, at any depth", () => {
    for (const pattern of ["./lib/**", "lib/**"]) {
      const scope = `{in: /w, paths: ["${pattern}"]}`
      for (const path of ["/w/lib/foo.ex", "/w/lib/a/b.ex"]) expect(fs(scope, path)).toBe("allowed")
      for (const path of ["/w/test/foo.ex", "/w/lib", "/lib/x"])
        expect(fs(scope, path)).toBe("scope_violation")
    }
  })

  it("H9: '?' is one character of a name", () => {
    const scope = '{in: /w, paths: ["lib/?"]}'
    expect(fs(scope, "/w/lib/a")).toBe("allowed")
    for (const path of ["/w/lib/ab", "/w/lib", "/w/lib/a/b"]) expect(fs(scope, path)).toBe("scope_violation")
  })

  it("H15: an absolute path outside of the root is rejected when it is read, with the whole grant", () => {
    const agent = record('capabilities: [fs.read: {in: /w, paths: ["/etc/**", "lib/**"]}]')
    expect(held(agent)).toEqual([])
    expect(agent.warnings).toMatchObject([
      { code: "PATH_INVALID", detail: "the path '/etc/**' is outside of '/w'" }
    ])
    for (const path of ["../etc", "a/../../etc", "/w/../etc"]) {
      expect(codes(record(`capabilities: [fs.read: {in: /w, paths: ["${path}"]}]`))).toEqual(["PATH_INVALID"])
    }
  })

  it("H16: an absolute path inside of the root is accepted", () => {
    expect(fs('{in: /w, paths: ["/w/lib/**"]}', "/w/lib/x")).toBe("allowed")
  })

  it("H18: '~' is the home", () => {
    expect(fs("{in: ~/p}", "/home/u/p/f")).toBe("allowed")
    expect(fs('{in: "~"}', "/home/u/x")).toBe("allowed")
    expect(fs('{in: /home/u, paths: ["~/p/**"]}', "/home/u/p/f")).toBe("allowed")
    expect(codes(record('capabilities: [fs.read: {in: /w, paths: ["~/p"]}]'))).toEqual(["PATH_INVALID"])
  })

  it("H26: a path that starts with '**' does not leave the root", () => {
    for (const pattern of ["**/*.md", "**"]) {
      const scope = `{in: /w, paths: ["${pattern}"]}`
      expect(fs(scope, "/etc/x.md")).toBe("scope_violation")
      expect(fs(scope, "/w/a/x.md")).toBe("allowed")
    }
  })
})
