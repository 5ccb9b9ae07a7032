/** Which lines of a policy were used, for whoever shows it. */
import { describe, expect, it } from "vitest"
import { neverUsed, usage } from "../../src/audit/suggest/Usage.js"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Policy from "../../src/policy/Policy.js"
import * as Personality from "../../src/policy/personality/Personality.js"
import { at, call, decision } from "../cli/auditLog.js"
import { record, right } from "../policy/agents.js"

const scout = AgentRecord.policy(
  record(
    [
      "capabilities:",
      '  - net.get: { hosts: ["*.github.com"] }',
      "  - net.get: { hosts: [api.github.com] }",
      "  - fs.read: { in: /work }",
      "  - records.read",
      "  - provider.code_execution"
    ].join("\n")
  )
)

const entries = [
  decision(),
  decision({ time: at(60), asked: "GET https://raw.github.com/x" }),
  decision({ time: at(90), agent: "agents/other", capability: "files.read", asked: "read /work/x" }),
  call()
]

describe("usage", () => {
  it("counts what each line allowed, alone or beside others, and of nobody else", () => {
    expect(
      usage(scout, entries).map(({ last, seen, source }) => [source.line, source.written, seen, last])
    ).toEqual([
      [4, "net.get{hosts=[*.github.com]}", 2, at(60)],
      [5, "net.get{hosts=[api.github.com]}", 1, at(0)],
      [6, "fs.read{in=/work}", 0, undefined],
      [7, "records.read", 0, undefined],
      [8, "provider.code_execution", 0, undefined]
    ])
  })

  it("of two policies that hold together counts the lines of both", () => {
    const config = {
      file: "config.yaml",
      text: "id: helper\nsafety: { network: { allow: [api.github.com, b.example] } }\n"
    }
    const helper = Personality.policy(right(Personality.parse({ config }, { workdir: "/work" })))
    const both = Policy.meet(helper, scout)
    const seen = usage(both, [decision({ personality: "helper" }), decision()]).map((one) => one.seen)
    expect(seen).toEqual([1, 0, 1, 1, 0, 0, 0])
  })
})

describe("usage of a personality", () => {
  const config = {
    file: "config.yaml",
    text: [
      "id: helper",
      "fs_reach: { read: [/docs, /ran], write: [/out] }",
      "process: { allow: [ls] }",
      'safety: { network: { allow: [b.example], private: ["127.0.0.1:81", "127.0.0.1:82", "a.example:81"] } }'
    ].join("\n")
  }
  const helper = Personality.policy(right(Personality.parse({ config }, { workdir: "/work" })))
  const seen = (...all: ReadonlyArray<Parameters<typeof decision>[0]>) =>
    usage(
      helper,
      all.map((over) => decision({ agent: undefined, personality: "helper", ...over }))
    )
      .filter((one) => one.seen > 0)
      .map((one) => one.source.written)

  it("counts a directory that a command ran in for who names it, and not for who names another", () => {
    const ran = { capability: "process.exec", asked: "exec ls in /ran/x", scope: "ls:* in /ran/" }
    expect(seen(ran)).toEqual(["fs_reach.read: /ran", "process.allow: ls"])
    expect(seen({ ...ran, asked: "exec ls in /out", scope: "ls:* in /out/" })).toEqual([
      "fs_reach.write: /out",
      "process.allow: ls"
    ])
  })

  it("counts an endpoint where it was connected to, and where nothing else let its host be asked", () => {
    expect(seen({ asked: "GET http://127.0.0.1:82/" })).toEqual(["safety.network.private: 127.0.0.1:82"])
    expect(seen({ asked: "GET http://a.example:8080/" })).toEqual(["safety.network.private: a.example:81"])
    expect(seen({ asked: "GET http://b.example/" })).toEqual(["safety.network.allow: b.example"])
  })
})

describe("neverUsed", () => {
  it("has the lines that no decision needed, and why one may have been all the same", () => {
    expect(neverUsed(scout, entries).map(({ doubt, source }) => [source.written, doubt])).toEqual([
      ["fs.read{in=/work}", undefined],
      ["records.read", undefined],
      ["provider.code_execution", "what runs at the provider of the model is not in the log"]
    ])
  })

  it("doubts files where commands ran, and records where something was searched", () => {
    const ran = decision({ capability: "process.exec", asked: "exec git in /work" })
    const searched = call({ call: "9" })
    const doubts = (
      ...more: Parameters<typeof neverUsed>[1] extends Iterable<infer A> ? ReadonlyArray<A> : never
    ) => neverUsed(scout, [...entries, ...more]).map(({ doubt }) => doubt)
    expect(doubts(ran)[0]).toBe("1 command ran, and what a command reads and writes itself is not in the log")
    expect(doubts(searched)[1]).toBe(
      "1 call asked for nothing by name, as a search does, and may have looked at it"
    )
    const passed = { asked: "pass on to agents/b", capability: "process.exec", scope: "git in /work" }
    expect(doubts(decision(passed))[0]).toBe(undefined)
  })

  it("doubts files where a command ran whose scope was passed on before", () => {
    const passed = { asked: "pass on to agents/b", capability: "process.exec", scope: "git" }
    const ran = { asked: "exec git", capability: "process.exec", scope: "git" }
    const doubts = usage(scout, [decision(passed), decision(ran)]).map(({ doubt }) => doubt)
    expect(doubts[2]).toBe("1 command ran, and what a command reads and writes itself is not in the log")
  })

  it("takes what was passed on to others for used", () => {
    const passed = decision({ asked: "pass on to agents/b", capability: "files.read", scope: "/work" })
    expect(neverUsed(scout, [...entries, passed]).map(({ source }) => source.written)).toEqual([
      "records.read",
      "provider.code_execution"
    ])
  })
})
