/** The notation of MCP servers, read strictly: what cannot be read whole is offered to nobody. */
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import * as Server from "../../src/policy/server/Server.js"
import * as ServerNotation from "../../src/policy/server/ServerNotation.js"
import { readYaml } from "../../src/policy/text/StrictYaml.js"

const read = (yaml: string) => {
  const value = Either.getOrThrow(readYaml(yaml))
  if (value === undefined) throw new Error("it is empty")
  return ServerNotation.read({ root: "/ws", home: "/home/u" })(value, "'mcp_servers'")
}

const entries = (yaml: string) => Either.getOrThrow(read(yaml))

const only = (yaml: string): ServerNotation.Entry => {
  const [entry] = entries(yaml)
  if (entry === undefined) throw new Error("there is none")
  return entry
}

const serverIn = (yaml: string): Server.Server => {
  const { problems, server } = only(yaml)
  if (server === undefined) throw new Error(JSON.stringify(problems))
  return server
}

const permits = (server: Server.Server, line: string): boolean => {
  const required = Server.required(server)
  return required !== undefined && Authority.permits(required, Request.parseSync(line)).allowed
}

describe("a server in the notation", () => {
  it("is a command with its arguments, secrets and code", () => {
    expect(
      serverIn(
        'gh: { command: node, args: [s.js, "--port", 8080, ""], env: [GH_TOKEN], code: [lib], cwd: work, requires: ["net.get{hosts=[api.github.com]}"] }'
      )
    ).toMatchObject({
      name: "gh",
      specs: ["net.get{hosts=[api.github.com]}"],
      transport: {
        _tag: "Local",
        command: "node",
        args: ["s.js", "--port", "8080", ""],
        env: ["GH_TOKEN"],
        code: ["lib"],
        cwd: "work",
        root: "/ws"
      }
    })
  })

  it("is an address, with secrets in its headers", () => {
    expect(
      serverIn("hub: { url: https://mcp.example.com/mcp, token: HUB, headers: { X-Key: KEY }, requires: [] }")
    ).toMatchObject({
      transport: {
        _tag: "Remote",
        url: "https://mcp.example.com/mcp",
        headers: [
          { name: "Authorization", ref: "HUB", scheme: "Bearer" },
          { name: "X-Key", ref: "KEY" }
        ]
      }
    })
  })

  it("may ask for what is named, and without that for nothing", () => {
    const allows = (written: string) => serverIn(`s: { command: x,${written} requires: [] }`).allows
    expect(allows("")).toBeUndefined()
    expect(allows(" allows: [],")).toBeUndefined()
    expect(allows(" allows: [elicitation, roots, elicitation],")).toEqual(["roots", "elicitation"])
    expect(serverIn("s: { url: https://x.example.com, allows: [sampling], requires: [] }").allows).toEqual([
      "sampling"
    ])
  })

  it.each([
    [
      "[samplng]",
      "'samplng' is nothing that a server may ask for",
      "write one of roots, sampling, elicitation"
    ],
    ["sampling", "'allows' is the string 'sampling' where a list belongs", "sampling"],
    ["[1]", "an entry of 'allows'", ""],
    ["", "'allows' is empty where a list belongs", "[] is none"]
  ])("that may ask for what there is not is offered to nobody: %s", (written, detail, remedy) => {
    const { problems, server } = only(`s:\n  command: x\n  allows: ${written}\n  requires: []`)
    expect(server).toBeUndefined()
    expect(problems).toMatchObject([
      { line: 3, detail: expect.stringContaining(detail), remedy: expect.stringContaining(remedy) }
    ])
  })

  it("may stand in a list, with its name inside", () => {
    expect(serverIn("- { name: gh, command: gh-mcp, requires: [records.read] }").name).toBe("gh")
  })

  it("requires what its grants say, and the secrets that it is given", () => {
    const server = serverIn(
      "s: { command: x, env: [TOKEN], requires: [{ fs.read: { in: data } }, { fs.write: { in: ./ } }, { fs.delete: { in: /abs } }] }"
    )
    expect(permits(server, "read /ws/data/x")).toBe(true)
    expect(permits(server, "read /ws/x")).toBe(false)
    expect(permits(server, "write /ws/x")).toBe(true)
    expect(permits(server, "delete /abs/x")).toBe(true)
    expect(permits(server, "secret TOKEN")).toBe(true)
    expect(permits(server, "secret OTHER")).toBe(false)
    expect(ServerNotation.specsOf(server)).toEqual([
      "fs.read{in=data}",
      "fs.write{in=./}",
      "fs.delete{in=/abs}",
      "secrets.read{refs=[TOKEN]}"
    ])
  })

  it("[P3] may require nothing, which is not the same as saying nothing", () => {
    expect(
      Authority.isNothing(serverIn("s: { command: x, requires: [] }").requires ?? Authority.everything)
    ).toBe(true)
    expect(only("s: { command: x }")).toMatchObject({
      server: undefined,
      problems: [{ code: "KEY_MISSING", line: 1, detail: expect.stringContaining("offered to nobody") }]
    })
  })

  it.each([
    ["an unknown key", "s: { comand: x, requires: [] }", "KEY_UNKNOWN", "write 'command'"],
    ["no way to reach it", "s: { requires: [] }", "KEY_MISSING", "command"],
    [
      "two ways to reach it",
      "s: { command: x, url: https://a.example.com, requires: [] }",
      "VALUE_INVALID",
      "keep one"
    ],
    [
      "a key of the other kind",
      "s: { url: https://a.example.com, args: [x], requires: [] }",
      "KEY_UNKNOWN",
      "take it out"
    ],
    ["arguments that are a word", "s: { command: x, args: y, requires: [] }", "VALUE_INVALID", "brackets"],
    [
      "a variable that a loader obeys",
      "s: { command: x, env: [LD_PRELOAD], requires: [] }",
      "REF_INVALID",
      "secrets"
    ],
    ["a variable that is none", 's: { command: x, env: ["A=B"], requires: [] }', "REF_INVALID", "secrets"],
    [
      "an address with a password",
      "s: { url: https://u:p@a.example.com, requires: [] }",
      "VALUE_INVALID",
      "https://"
    ],
    ["an address of a file", "s: { url: file:///etc/passwd, requires: [] }", "VALUE_INVALID", "https://"],
    [
      "a header of the protocol",
      "s: { url: https://a.example.com, headers: { Host: X }, requires: [] }",
      "VALUE_INVALID",
      "X-Api-Key"
    ],
    ["a name that no server has", "a__b: { command: x, requires: [] }", "NAME_INVALID", "single '_'"],
    ["a word", "s: x", "VALUE_INVALID", "mapping"]
  ])("with %s is offered to nobody, and it is said where and why", (_what, yaml, code, remedy) => {
    expect(only(yaml)).toMatchObject({
      server: undefined,
      problems: [{ code, line: 1, remedy: expect.stringContaining(remedy) }]
    })
  })

  it.each(["records.reed", "net.get", "fs.read", "net.get{hosts=[]}", "fs.read{in=../x}"])(
    "that requires %s is offered to nobody",
    (spec) => {
      expect(only(`s: { command: x, requires: [${JSON.stringify(spec)}] }`).server).toBeUndefined()
    }
  )

  it("does not share its name with another, nor one that looks like it", () => {
    const one = "{ command: x, requires: [] }"
    for (const other of ["hub", "HUB"]) {
      expect(
        entries(`- { name: hub, command: x, requires: [] }\n- { name: ${other}, command: y, requires: [] }`)
      ).toMatchObject([
        { server: undefined },
        { server: undefined, problems: [{ code: "KEY_DUPLICATE", line: 2 }] }
      ])
    }
    expect(entries(`a-b: ${one}\na_b: ${one}\nc: ${one}`).map(({ server }) => server?.name)).toEqual([
      undefined,
      undefined,
      "c"
    ])
  })

  it("with a mistake leaves the others as they are", () => {
    expect(
      entries("a: { comand: x }\nb: { command: x, requires: [] }").map(({ server }) => server?.name)
    ).toEqual([undefined, "b"])
  })
})
