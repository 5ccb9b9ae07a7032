/** A record that is cut down to an authority: what it keeps, what it never gains, and how it is written. */
import { FastCheck as fc, Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as AgentEdit from "../../src/policy/agent/edit/AgentEdit.js"
import * as Floor from "../../src/policy/gate/floor/Floor.js"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { times } from "../deep.js"
import { authority, file, HOME, right } from "./agents.js"
import { agent, grant, linesKept, root } from "./grants.js"

const sourceOf = (text: string): AgentRecord.Text => ({ file: "a.md", id: "agents/a", text })

const RUNS = { numRuns: times(150) }

describe("every record that is cut down", () => {
  const needs = fc
    .array(grant, { maxLength: 4 })
    .map((all) => authority(all.map(Grant.print), { home: HOME, sandbox: "/w" }))

  it("gives what is needed of what it gave, nothing new, and does not change again", () => {
    let changed = 0
    fc.assert(
      fc.property(agent, needs, root, (drawn, to, sandbox) => {
        const places = { home: HOME, sandbox }
        const before = AgentRecord.parse(sourceOf(drawn.text), places)
        const edit = right(AgentEdit.trim(sourceOf(drawn.text), to, places))
        const after = edit.record.authority
        expect(Authority.within(after, before.authority)).toBe(true)
        expect(Authority.within(Authority.meet(before.authority, to), after)).toBe(true)
        const lifted = new Set(before.held.flatMap((one) => Floor.liftedBy(AgentRecord.authorityOf(one))))
        expect(edit.record.held.flatMap((one) => Floor.liftedBy(AgentRecord.authorityOf(one)))).toEqual(
          edit.record.held
            .flatMap((one) => Floor.liftedBy(AgentRecord.authorityOf(one)))
            .filter((path) => lifted.has(path))
        )
        expect(linesKept(edit.text)).toEqual(drawn.kept)
        const again = right(AgentEdit.trim(sourceOf(edit.text), to, places))
        expect(again).toMatchObject({ changed: false, text: edit.text })
        if (edit.changed) changed++
        else expect(edit.text).toBe(drawn.text)
      }),
      RUNS
    )
    expect(changed).toBeGreaterThan(RUNS.numRuns / 2)
  })
})

const held = (encoded: Authority.Encoded): Authority.Authority =>
  Schema.decodeSync(Authority.FromJson)(encoded)

const trimmed = (specs: ReadonlyArray<string>, to: Authority.Encoded, places: AgentRecord.Places = {}) => {
  const text = file(`capabilities: ${JSON.stringify(specs)}\n`)
  const edit = right(AgentEdit.trim(sourceOf(text), held(to), { home: HOME, ...places }))
  return edit.record.held.map(({ effective }) => Grant.print(effective))
}

describe("how a grant that is cut down is written", () => {
  it.each<[string, Authority.Encoded, ReadonlyArray<string>]>([
    [
      "net.get{hosts=[*.github.com]}",
      { network: { get: ["api.github.com"] } },
      ["net.get{hosts=[api.github.com]}"]
    ],
    [
      "net.get{hosts=[*.github.com,a.example]}",
      { network: { get: ["api.github.com", "a.example"] } },
      ["net.get{hosts=[a.example,api.github.com]}"]
    ],
    [
      "net.get{hosts=[*]}",
      { network: { get: ["*.x.example", "x.example"] } },
      ["net.get{hosts=[*.x.example]}"]
    ],
    ["fs.read{in=/w}", { files: { read: ["/w/docs/"] } }, ["fs.read{in=/w/docs}"]],
    ["fs.read{in=/w}", { files: { read: ["/w/docs/a.md"] } }, ["fs.read{in=/w/docs,paths=[a.md]}"]],
    ["fs.read{in=~/w}", { files: { read: [`${HOME}/w/docs/`] } }, ["fs.read{in=~/w/docs}"]],
    ["fs.read{in=/}", { files: { read: ["/w/a/", "/w/b/c"] } }, ["fs.read{in=/w,paths=[a/,b/c]}"]],
    ["fs.read{in=/w}", { files: { read: ["/w/~/a", "/w/~/b/"] } }, ["fs.read{in=/w/~,paths=[a,b/]}"]],
    [
      "fs.read{in=/w}",
      { files: { read: ["/w/~a", "/w/b,{}/"] } },
      ["fs.read{in=/w,paths=[b\\,\\{\\}/,./~a]}"]
    ],
    [
      "fs.read{in=/w,paths=[docs/,src/]}",
      { files: { read: ["/w/docs/"] } },
      ["fs.read{in=/w,paths=[docs/]}"]
    ],
    ["fs.read{in=/w,paths=[**/*.md]}", { files: { read: ["/w/a/"] } }, ["fs.read{in=/w,paths=[**/*.md]}"]],
    [
      "proc.exec{in=/w}",
      {
        process: {
          exec: [
            { argv: "git:*", in: "/w/site/." },
            { argv: "rg:*", in: "/w/site/." }
          ]
        }
      },
      ["proc.exec{in=/w/site,cmds=[git,rg]}"]
    ],
    [
      "proc.exec{in=/w,cmds=[git,npm],patterns=[cargo test *]}",
      {
        process: {
          exec: [
            { argv: "git:*", in: "/w/." },
            { argv: "cargo test *", in: "/w/a/" }
          ]
        }
      },
      ["proc.exec{in=/w,cmds=[git]}", "proc.exec{in=/w/a,patterns=[cargo test *]}"]
    ],
    [
      "proc.eval{in=/w}",
      { process: { eval: ["/w/a/.", "/w/b/."] } },
      ["proc.eval{in=/w/a}", "proc.eval{in=/w/b}"]
    ],
    ["secrets.read{refs=[*]}", { secrets: { read: ["KEY", "a/b"] } }, ["secrets.read{refs=[KEY,a/b]}"]],
    [
      "secrets.read{refs=[KEY,OTHER]}",
      { secrets: { read: ["KEY"], seal: [{ ref: "OTHER", to: "api.example.com", in: "body" }] } },
      ["secrets.read{refs=[KEY]}", "secrets.read{refs=[OTHER],sealed=true}"]
    ],
    [
      "secrets.read{refs=[KEY,a/*],sealed=true}",
      { secrets: { seal: [{ ref: "a/b", to: "api.example.com", in: "body" }] } },
      ["secrets.read{refs=[a/b],sealed=true}"]
    ],
    ["storage.use{scopes=[*]}", { storage: { use: ["session"] } }, ["storage.use{scopes=[session]}"]],
    [
      "attachments.read{kinds=[*]}",
      { attachments: { read: ["image"] } },
      ["attachments.read{kinds=[image]}"]
    ],
    ["records.read", { records: { read: [{ class: "note", path: "notes/a" }] } }, ["records.read"]],
    [
      "records.create",
      {
        records: {
          create: [
            { class: "note", path: "notes/a" },
            { class: "task", path: "b" }
          ]
        }
      },
      ["records.create{classes=[note,task]}"]
    ],
    [
      "records.update",
      { records: { update: [{ class: "note", path: "notes/**" }] } },
      ["records.update{classes=[note],paths=[notes/**]}"]
    ],
    [
      "agent.update",
      { agents: { update: ["agents/a", "agents/b"] } },
      ["agent.update{ids=[agents/a,agents/b]}"]
    ],
    [
      "agent.grant",
      { agents: { grant: ["agents/a", "agents/b"] } },
      ["agent.grant{id=agents/a}", "agent.grant{id=agents/b}"]
    ],
    ["provider.code_execution", {}, []]
  ])("%s needs %j", (spec, to, expected) => {
    expect(trimmed([spec], to)).toEqual(expected)
  })

  it("what is there as it is needed stays, and a wide one that gives the same goes", () => {
    const to: Authority.Encoded = { network: { get: ["api.github.com", "raw.github.com"] } }
    expect(
      trimmed(["net.get{hosts=[*]}", "net.get{hosts=[*.github.com]}", "net.get{hosts=[api.github.com]}"], to)
    ).toEqual(["net.get{hosts=[raw.github.com]}", "net.get{hosts=[api.github.com]}"])
  })

  it("a directory behind a link is written by the name that it had", () => {
    const real = (path: string) => path.replace(/^\/w/, "/mnt/w")
    expect(trimmed(["fs.read{in=/w}"], { files: { read: ["/mnt/w/docs/"] } }, { real })).toEqual([
      "fs.read{in=/w/docs}"
    ])
  })

  it("a directory that leads elsewhere is not named", () => {
    const real = (path: string) => (path.startsWith("/w/out") ? "/elsewhere" : path)
    expect(trimmed(["fs.read{in=/w}"], { files: { read: ["/w/out/"] } }, { real })).toEqual([
      "fs.read{in=/w}"
    ])
  })

  it("what runs later by itself is not lifted by naming it", () => {
    const to: Authority.Encoded = { files: { write: ["/w/.github/workflows/"] } }
    expect(trimmed(["fs.write{in=/w}"], to)).toEqual(["fs.write{in=/w}"])
    expect(trimmed(["fs.write{in=/w}"], { files: { write: ["/w/docs/"] } })).toEqual(["fs.write{in=/w/docs}"])
  })

  it("a grant without a root of its own keeps none where it needs all of it", () => {
    const text = file("sandbox: /w\ncapabilities: [{ proc.eval: }]\n")
    const to = held({ process: { eval: ["/w/"], exec: [{ argv: "git:*", in: "/w/" }] } })
    const edit = right(AgentEdit.trim(sourceOf(text), to, { home: HOME }))
    expect(edit.record.held.map(({ effective }) => Grant.print(effective))).toEqual([
      "proc.eval{in=/w}",
      "proc.exec{in=/w,cmds=[git]}"
    ])
  })
})

it("comments, order and the rest of a record stay", () => {
  const text = file(
    [
      "capabilities:",
      "  # what it fetches",
      '  - net.get: { hosts: ["*.github.com"] } # releases',
      "  - records.read # its notes",
      "  # where it works",
      "  - fs.read: { in: /w }",
      "title: Scout # kept",
      ""
    ].join("\n")
  )
  const to = held({ network: { get: ["api.github.com"] }, files: { read: ["/w/docs/"] } })
  const edit = right(AgentEdit.trim(sourceOf(text), to, { home: HOME }))
  expect(edit.text).toBe(
    file(
      [
        "capabilities:",
        "  # what it fetches",
        "  - net.get: { hosts: [api.github.com] } # releases",
        "  # where it works",
        "  - fs.read: { in: /w/docs }",
        "title: Scout # kept",
        ""
      ].join("\n")
    )
  )
  expect(
    edit.grants.map(({ grant: one, line, stays }) => [line, Grant.print(one), stays.map(Grant.print)])
  ).toEqual([
    [5, "net.get{hosts=[*.github.com]}", ["net.get{hosts=[api.github.com]}"]],
    [6, "records.read", []],
    [8, "fs.read{in=/w}", ["fs.read{in=/w/docs}"]]
  ])
})
