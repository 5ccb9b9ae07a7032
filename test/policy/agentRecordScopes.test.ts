/** What scopes of commands, hosts, records and agents let in, and what only looks alike. */
import { describe, expect, it } from "vitest"
import * as Request from "../../src/policy/lattice/Request.js"
import { codes, record, verdict } from "./agents.js"

const agentWith = (entry: string) => record(`capabilities: [${entry}]`)

const exec = (scope: string, ...argv: ReadonlyArray<string>) =>
  verdict(agentWith(`proc.exec: ${scope}`), Request.exec(argv, "/w"))

const get = (hosts: string, url: string) =>
  verdict(agentWith(`net.get: {hosts: ${hosts}}`), Request.http("GET", url))

const DENIED = "scope_violation"

describe("commands", () => {
  it("I1, I2: a command of the list, with any arguments; no other", () => {
    expect(exec("{in: /w, cmds: [rg, jq]}", "rg", "foo", "src/")).toBe("allowed")
    expect(exec("{in: /w, cmds: [rg]}", "curl")).toBe(DENIED)
  })

  it("I3, I4: the command is compared as it is written, by case and by path", () => {
    expect(exec("{in: /w, cmds: [rg]}", "/usr/bin/rg")).toBe(DENIED)
    expect(exec("{in: /w, cmds: [git]}", "Git")).toBe(DENIED)
  })

  it("I5: on purpose, '*' in cmds is an error, and the grant gives nothing", () => {
    expect(exec('{in: /w, cmds: ["*"]}', "rg")).toBe(DENIED)
    expect(codes(agentWith('proc.exec: {in: /w, cmds: ["*"]}'))).toEqual(["SCOPE_VALUE_INVALID"])
  })

  it("I6: a pattern is the whole command line", () => {
    const scope = "{in: /w, patterns: [npm test]}"
    expect(exec(scope, "npm", "test")).toBe("allowed")
    expect(exec(scope, "npm", "install")).toBe(DENIED)
    expect(exec(scope, "npm", "test", "--watch")).toBe(DENIED)
  })

  it("I10: on purpose, ':*' after two words is an error, and the grant gives nothing", () => {
    expect(exec('{in: /w, patterns: ["git status:*"]}', "git", "status", "--short")).toBe(DENIED)
    expect(exec('{in: /w, patterns: ["git:*"]}', "git", "status", "--short")).toBe("allowed")
  })

  it("I13: an inner '*' is one word, a closing one is any number of them, none included", () => {
    const scope = '{in: /w, patterns: ["git * --stat *"]}'
    expect(exec(scope, "git", "diff", "--stat", "x")).toBe("allowed")
    expect(exec(scope, "git", "diff", "--stat", "x", "y")).toBe("allowed")
    expect(exec(scope, "git", "--stat", "x")).toBe(DENIED)
    expect(exec(scope, "git", "diff", "--stat")).toBe("allowed")
    expect(exec(scope, "git", "diff", "--stats")).toBe(DENIED)
  })

  it("I14: a '*' at the end of a word covers more than meant: 'git*' is gitevil too", () => {
    expect(exec('{in: /w, patterns: ["git*"]}', "gitevil")).toBe("allowed")
    expect(exec('{in: /w, patterns: ["git*"]}', "git", "push")).toBe(DENIED)
  })

  it("I16: words are compared as words: one that holds a blank is one", () => {
    expect(exec("{in: /w, patterns: [npm test]}", "npm test")).toBe(DENIED)
  })

  it("I19: a root alone is any command there, and none elsewhere", () => {
    expect(exec("{in: /w}", "anything", "at", "all")).toBe("allowed")
    for (const cwd of [undefined, "/", "/w2"]) {
      expect(verdict(agentWith("proc.exec: {in: /w}"), Request.exec(["ls"], cwd))).toBe(DENIED)
    }
  })

  it("I21: of cmds and patterns either allows", () => {
    const scope = "{in: /w, cmds: [rg], patterns: [npm test]}"
    expect(exec(scope, "rg", "x")).toBe("allowed")
    expect(exec(scope, "npm", "test")).toBe("allowed")
    expect(exec(scope, "npm", "x")).toBe(DENIED)
  })

  it("I22: without a root nothing runs, and the grant says what to write", () => {
    const agent = agentWith("proc.exec: {}")
    expect(verdict(agent, Request.exec(["ls"], "/w"))).toBe(DENIED)
    expect(agent.held[0]?.inert?.remedy).toContain("write 'proc.exec{in=~/project}'")
    expect(exec("{cmds: [ls]}", "ls")).toBe(DENIED)
  })

  it("I23: a script is not looked at, only where it runs", () => {
    expect(verdict(agentWith("proc.eval: {in: /w}"), Request.shell("/w"))).toBe("allowed")
    expect(verdict(agentWith("proc.eval: {in: /w}"), Request.shell("/"))).toBe(DENIED)
    expect(verdict(agentWith("proc.exec: {in: /w}"), Request.shell("/w"))).toBe("capability_absent")
  })

  it("an empty list of commands is none, not any", () => {
    for (const scope of [
      "{in: /w, cmds: []}",
      "{in: /w, patterns: []}",
      "{in: /w, cmds: [], patterns: []}"
    ]) {
      expect(exec(scope, "ls")).toBe(DENIED)
    }
  })
})

describe("hosts", () => {
  it("J7, J8: '*.github.com' is github.com and what is below it, and nothing that looks alike", () => {
    for (const host of ["github.com", "api.github.com", "a.b.github.com"]) {
      expect(get('["*.github.com"]', `https://${host}/`)).toBe("allowed")
    }
    for (const host of ["evilgithub.com", "github.com.evil.io", "com"]) {
      expect(get('["*.github.com"]', `https://${host}/`)).toBe(DENIED)
    }
  })

  it("J10: case does not matter, on either side", () => {
    expect(get("[GitHub.com]", "https://github.COM/")).toBe("allowed")
  })

  it("J12: on purpose, other wildcards are errors, and the grant gives nothing", () => {
    for (const host of ["api.*.com", "*github.com"]) {
      expect(get(`["${host}"]`, "https://api.github.com/")).toBe(DENIED)
      expect(codes(agentWith(`net.get: {hosts: ["${host}"]}`))).toEqual(["SCOPE_VALUE_INVALID"])
    }
  })

  it("J13: the port is not compared; on purpose, a URL with user info is never asked", () => {
    expect(get("[github.com]", "https://github.com:8443/")).toBe("allowed")
    expect(get("['*']", "https://u@github.com:8443/")).toBe(DENIED)
  })

  it("J17: another verb of the same host is absent", () => {
    const agent = agentWith("net.get: {hosts: [a.example]}")
    expect(verdict(agent, "POST https://a.example/")).toBe("capability_absent")
    expect(verdict(agent, "HEAD https://a.example/")).toBe("allowed")
  })
})

describe("records and agents", () => {
  const updates = (entry: string, id: string, cls = "note") =>
    verdict(agentWith(entry), Request.record("update", id, cls))
  const agents = (entry: string, asked: string) => verdict(agentWith(entry), asked)

  it("K14: agent.grant of one id is that id", () => {
    const entry = "agent.grant: {id: agents/a}"
    expect(agents(entry, "agents.grant agents/a")).toBe("allowed")
    expect(agents(entry, "agents.grant agents/b")).toBe(DENIED)
  })

  it("K15: ids are those of the list", () => {
    const entry = "agent.update: {ids: [agents/a]}"
    expect(agents(entry, "agents.update agents/a")).toBe("allowed")
    expect(agents(entry, "agents.update agents/b")).toBe(DENIED)
  })

  it("K16: paths are patterns of ids", () => {
    const entry = 'agent.update: {paths: ["agents/team/**"]}'
    expect(agents(entry, "agents.update agents/team/x")).toBe("allowed")
    expect(agents(entry, "agents.update agents/x")).toBe(DENIED)
  })

  it("K17: of ids and paths either allows", () => {
    const entry = 'agent.update: {ids: [a], paths: ["t/**"]}'
    for (const id of ["a", "t/x"]) expect(agents(entry, `agents.update ${id}`)).toBe("allowed")
    expect(agents(entry, "agents.update b")).toBe(DENIED)
  })

  it("K18: classes are those of the list", () => {
    const entry = "records.update: {classes: [deliberation, inbox]}"
    expect(updates(entry, "x", "deliberation")).toBe("allowed")
    expect(updates(entry, "x", "durable")).toBe(DENIED)
  })

  it("K19: paths are patterns of ids", () => {
    const entry = 'records.update: {paths: ["notes/**"]}'
    expect(updates(entry, "notes/a")).toBe("allowed")
    expect(updates(entry, "design/y")).toBe(DENIED)
  })

  it("K20: classes and paths of one grant must both hold", () => {
    const entry = 'records.update: {classes: [inbox], paths: ["notes/**"]}'
    expect(updates(entry, "notes/a", "inbox")).toBe("allowed")
    expect(updates(entry, "notes/a", "note")).toBe(DENIED)
    expect(updates(entry, "design/a", "inbox")).toBe(DENIED)
  })

  it("an empty list of classes or ids is none, not all", () => {
    for (const entry of ["records.update: {classes: []}", "records.update: {paths: []}"]) {
      expect(updates(entry, "x")).toBe(DENIED)
    }
    expect(agents("agent.update: {ids: []}", "agents.update a")).toBe(DENIED)
  })
})
