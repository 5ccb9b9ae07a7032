/** One server more, one server less: the rest of the file keeps its bytes, comments and order. */
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as ServerEdit from "../../src/policy/server/ServerEdit.js"
import * as ServerNotation from "../../src/policy/server/ServerNotation.js"
import { readYaml } from "../../src/policy/text/StrictYaml.js"

const files: ServerEdit.Definition = {
  name: "files",
  keys: { command: "node", args: ["server.js", "--root", "/data"], code: ["node_modules"] },
  requires: [Grant.parseSync("fs.read{in=/data}"), Grant.parseSync("net.get{hosts=[*.example.com]}")]
}

const BLOCK = `  files:
    command: node
    args: [server.js, "--root", /data]
    code: [node_modules]
    requires:
      - fs.read: { in: /data }
      - net.get: { hosts: ["*.example.com"] }
`

const added = (text: string, definition = files): string =>
  Either.getOrThrowWith(ServerEdit.add(text, definition), (why) => new Error(why))

const removed = (text: string, name: string): string =>
  Either.getOrThrowWith(ServerEdit.remove(text, name), (why) => new Error(why))

const serversOf = (text: string): ReadonlyArray<ServerNotation.Entry> => {
  const whole = Either.getOrThrow(readYaml(text))
  const value = whole?._tag === "Mapping" ? whole.entries.get("mcp_servers")?.value : undefined
  return value === undefined
    ? []
    : Either.getOrThrow(ServerNotation.read({ root: "/ws", home: "/home/u" })(value, "mcp_servers"))
}

describe("adding a server", () => {
  it.each([
    ["an empty file", "", `mcp_servers:\n${BLOCK}`],
    ["a file of comments", "# mine\n", `# mine\nmcp_servers:\n${BLOCK}`],
    ["a file of no keys", "# mine\n{}\n", `# mine\nmcp_servers:\n${BLOCK}`],
    ["a file without servers", "tools: [./a.js] # ours\n", `tools: [./a.js] # ours\nmcp_servers:\n${BLOCK}`],
    ["an empty list", "mcp_servers: [] # none\ntools: []\n", `mcp_servers: # none\n${BLOCK}tools: []\n`],
    ["an empty mapping", "mcp_servers: {}\n", `mcp_servers:\n${BLOCK}`],
    ["no value", "mcp_servers:\ntools: []\n", `mcp_servers:\n${BLOCK}tools: []\n`],
    [
      "other servers, with comments between and behind them",
      "mcp_servers:\n  # the first\n  a: # here\n    command: a # so\n    requires: []\n  # the end\n\ntools: []\n",
      `mcp_servers:\n  # the first\n  a: # here\n    command: a # so\n    requires: []\n${BLOCK}  # the end\n\ntools: []\n`
    ],
    [
      "a list",
      "mcp_servers:\n- name: a\n  command: a\n",
      `mcp_servers:\n- name: a\n  command: a\n- name: "files"\n${BLOCK.split("\n")
        .slice(1, -1)
        .map((line) => line.slice(2))
        .join("\n")}\n`
    ],
    [
      "brackets",
      "mcp_servers: { a: { command: a } } # all\n",
      'mcp_servers: { a: { command: a }, "files": { command: "node", args: ["server.js", "--root", "/data"], code: ["node_modules"], requires: ["fs.read{in=/data}", "net.get{hosts=[*.example.com]}"] } } # all\n'
    ],
    ["no line break at the end", "tools: []", `tools: []\nmcp_servers:\n${BLOCK.slice(0, -1)}`],
    [
      "lines as Windows ends them",
      "tools: []\r\n",
      `tools: []\r\nmcp_servers:\r\n${BLOCK.replaceAll("\n", "\r\n")}`
    ]
  ])("to %s changes nothing else", (_what, before, after) => {
    expect(added(before)).toBe(after)
    const server = serversOf(after).find(({ name }) => name === "files")
    expect(server).toMatchObject({
      problems: [],
      server: { specs: ["fs.read{in=/data}", "net.get{hosts=[*.example.com]}"] }
    })
  })

  it("refuses a name that is taken, and what it could not change in part", () => {
    expect(ServerEdit.add(`mcp_servers:\n${BLOCK}`, files)).toMatchObject({
      left: "there is a server 'files' already; choose another name, or remove that first"
    })
    for (const text of [
      "{ tools: [] }\n",
      "mcp_servers: none\n",
      "a: &x {}\nmcp_servers: *x\n",
      "- a\n",
      "a: ["
    ]) {
      expect(ServerEdit.add(text, files)).toMatchObject({ left: expect.stringContaining("by hand") })
    }
  })
})

describe("removing a server", () => {
  it.each([
    ["a", "b", "mcp_servers:\n  # of b\n  b: { command: b }\n"],
    ["b", "a", "mcp_servers:\n  a:\n    command: a # so\n  # of b\n"]
  ])("takes %s, and leaves the rest", (gone, stays, after) => {
    const before = "mcp_servers:\n  a:\n    command: a # so\n  # of b\n  b: { command: b }\n"
    expect(removed(before, gone)).toBe(after)
    expect(serversOf(after).map(({ name }) => name)).toEqual([stays])
  })

  it("takes the key with the last one", () => {
    expect(removed("tools: []\nmcp_servers:\n  a:\n    command: a\n# end\n", "a")).toBe("tools: []\n# end\n")
    expect(removed("mcp_servers: [{ name: a, command: a }]\ntools: []\n", "a")).toBe("tools: []\n")
  })

  it("takes one out of brackets", () => {
    const text = "mcp_servers: { a: { command: a }, b: { command: b }, c: { command: c } }\n"
    expect(removed(text, "a")).toBe("mcp_servers: { b: { command: b }, c: { command: c } }\n")
    expect(removed(text, "b")).toBe("mcp_servers: { a: { command: a }, c: { command: c } }\n")
    expect(removed(text, "c")).toBe("mcp_servers: { a: { command: a }, b: { command: b } }\n")
  })

  it("says that there is none of that name", () => {
    expect(ServerEdit.remove("tools: []\n", "a")).toMatchObject({ left: "there is no server 'a' in it" })
  })
})

describe("what is added and removed again", () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
  const word = fc.oneof(
    fc.constantFrom(
      "node",
      "-y",
      "--root",
      "yes",
      "null",
      "~",
      "a b",
      "#x",
      "a: b",
      "{",
      "'",
      '"',
      "é",
      "",
      " ",
      "1e3"
    ),
    fc.string({ maxLength: 12 })
  )
  const definition = fc.record({
    name: fc.constant("zz-new"),
    keys: fc.record({
      command: fc.constantFrom("node", "./run.sh", "a b"),
      args: fc.array(word, { maxLength: 4 })
    }),
    requires: fc.subarray(
      [
        "records.read",
        "net.get{hosts=[a.example.com,*.b.example.com]}",
        "fs.write{in=~/x,paths=[a b/**]}"
      ].map((one) => Grant.parseSync(one))
    )
  })
  const comment = fc.constantFrom("", "# c\n", "\n", "  # deep\n")
  const mapping = fc
    .uniqueArray(name, { minLength: 1, maxLength: 4 })
    .chain((names) =>
      fc.tuple(fc.constant(names), fc.array(comment, { minLength: names.length, maxLength: names.length }))
    )
    .map(
      ([names, comments]) =>
        `mcp_servers:\n${names.map((one, at) => `${comments[at]}  ${one}:\n    command: node # of ${one}\n    requires: []\n`).join("")}`
    )
  const list = fc
    .uniqueArray(name, { minLength: 1, maxLength: 4 })
    .map(
      (names) =>
        `mcp_servers:\n${names.map((one) => `  - name: ${one}\n    url: https://x.example.com/ # it\n`).join("")}`
    )
  const flow = fc
    .uniqueArray(name, { minLength: 1, maxLength: 4 })
    .map((names) => `mcp_servers: { ${names.map((one) => `"${one}": {command: x}`).join(" , ")} } # flow\n`)
  const part = fc.constantFrom(
    "tools: []\n",
    "# a comment\n",
    "\n",
    "skills_dir: |\n  text\n  # no comment\n",
    "x: [1,\n  2] # y\n"
  )
  const text = fc
    .record({
      before: fc.uniqueArray(part, { maxLength: 3 }),
      servers: fc.oneof(fc.constant(""), mapping, list, flow),
      after: fc.constantFrom("", "private_hosts: []\n", "# end\n", "\n\n"),
      isOpen: fc.boolean(),
      isDos: fc.boolean()
    })
    .map(({ after, before, isDos, isOpen, servers }) => {
      const whole = `${before.join("")}${servers}${after}`
      const cut = isOpen ? whole.replace(/\n+$/, "") : whole
      return isDos ? cut.replaceAll("\n", "\r\n") : cut
    })

  it("leaves the text as it was, byte for byte", () => {
    fc.assert(
      fc.property(text, definition, (before, given) => {
        const between = added(before, given)
        expect(serversOf(between).map((one) => one.name)).toContain("zz-new")
        expect(removed(between, "zz-new")).toBe(before)
      })
    )
  })

  it("is read as it was meant", () => {
    fc.assert(
      fc.property(text, definition, (before, given) => {
        const entry = serversOf(added(before, given)).find((one) => one.name === "zz-new")
        expect(entry?.problems).toEqual([])
        expect(entry?.server).toMatchObject({
          specs: given.requires.map((one) => Grant.print(one)),
          transport: { command: given.keys.command, args: given.keys.args }
        })
      })
    )
  })
})
