/** What a server of a workspace asks: of the person at the terminal, of the client of `mcp serve`, and otherwise of nobody. */

import { join } from "node:path"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { root } from "../../scripts/lib/project.js"
import { canHold } from "../layers/process/harness.js"
import { FakeTty, keys, plain } from "./fakeTty.js"
import { type Answers, overHttp, overStdio } from "./mcpProcess.js"
import { Folder, type Options } from "./workspace.js"

const SCRIPT = join(root, "test/mcp/servers/inquiring.mjs")

const workspace = async (allows: string): Promise<Folder> => {
  const folder = new Folder({
    "bailiwick.yaml": `mcp_servers:\n  asker: { command: node, args: ["${SCRIPT}"], allows: ${allows}, requires: [] }\n`,
    "records/agents/plain.md": "---\nclass: agent\ncapabilities: []\n---\n"
  })
  expect(await folder.bailiwick(["manifest"])).toMatchObject({ code: 0 })
  return folder
}

const FORM = {
  message: "Who are you?\u202e\nSay it.",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", title: "Your name", description: "As in your passport", minLength: 2 },
      age: { type: "integer", minimum: 1 },
      sure: { type: "boolean", default: true },
      pet: { type: "string", enum: ["c", "d"], enumNames: ["Cat", "Dog"] },
      all: {
        type: "array",
        items: {
          anyOf: [
            { const: "x", title: "Ex" },
            { const: "y", title: "Why" }
          ]
        }
      },
      mail: { type: "string", format: "email" }
    },
    required: ["name", "pet"]
  }
}

const ELICIT = { method: "elicitation/create", params: FORM }

const SAMPLE = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 1 }
}

const AS = ["--agent", "plain"]

/** What the server says it was answered. */
const ask = async (folder: Folder, asked: object, tty: FakeTty): Promise<unknown> => {
  const stdin = JSON.stringify(asked)
  const { code, stdout } = await folder.bailiwick(["call", "mcp__asker__ask", "-", ...AS], { stdin, tty })
  expect(code).toBe(0)
  return parse(stdout)
}

const run = async (folder: Folder, asked: object, options: Options) => {
  const calls = folder.write("calls.json", [{ id: "1", name: "mcp__asker__ask", args: asked }])
  return JSON.parse((await folder.bailiwick(["run", calls, "--json", ...AS], options)).stdout)
}

const typed = (...lines: ReadonlyArray<string>): FakeTty =>
  new FakeTty(lines.flatMap((line) => (line === keys.escape ? [line] : [line, keys.enter])))

describe.runIf(canHold)("a server that asks a person", () => {
  it("is answered at the terminal, field by field, and not before the whole was seen", async () => {
    const folder = await workspace("[elicitation]")
    const tty = typed("y", "A", "Ada", "x", "", "", "3", "2", "1, 2", "ada@", "", "y")
    expect(await ask(folder, ELICIT, tty)).toEqual({
      result: { action: "accept", content: { name: "Ada", sure: true, pet: "d", all: ["x", "y"] } }
    })
    const shown = plain(tty.shown)
    expect(shown).toContain(
      "The MCP server asker asks you, in its own words:\r\n  | Who are you?\\u202e\r\n  | Say it."
    )
    expect(shown).toContain("it has fewer than 2 characters")
    expect(shown).toContain("it is no number")
    expect(shown).toContain("write the number of one of them")
    expect(shown).toContain("it is no address of mail")
    expect(shown).toContain("  | 2) Dog")
    expect(shown).toContain("  | pet: Dog\r\n  | all: Ex, Why\r\n")
    expect(shown).toContain("asker asks: Your name (text): ")
    expect(shown).toContain("Send this to asker? [y/N]")
    expect(tty.taken).toBe(0)
  })

  it.each([
    ["n", "decline"],
    [keys.escape, "cancel"]
  ])("is told no more than that nobody answered: %j", async (line, action) => {
    const folder = await workspace("[elicitation]")
    const tty = typed(line)
    expect(await ask(folder, ELICIT, tty)).toEqual({ result: { action } })
    expect(tty.taken).toBe(0)
  })

  it("is asked nothing more once somebody has pressed Ctrl-C: the command ends", async () => {
    const folder = await workspace("[elicitation]")
    const tty = new FakeTty([keys.interrupt, "y", keys.enter, "Ada", keys.enter])
    const stdin = JSON.stringify({ ...ELICIT, times: 8 })
    const { code, stdout } = await folder.bailiwick(["call", "mcp__asker__times", "-", ...AS], { stdin, tty })
    expect([code, stdout]).toEqual([130, ""])
    expect(tty.opened).toBe(1)
    expect(tty.taken).toBe(0)
  })

  it("may be refused after all was filled in", async () => {
    const folder = await workspace("[elicitation]")
    const params = {
      message: "Who?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } }
    }
    const answer = await ask(folder, { ...ELICIT, params }, typed("y", "Ada", "n"))
    expect(answer).toEqual({ result: { action: "decline" } })
  })

  it("is refused where there is no terminal, with --json, and where it wants a model", async () => {
    const folder = await workspace("[elicitation, sampling]")
    const tty = typed("y")
    const outcomes = [
      await run(folder, ELICIT, {}),
      await run(folder, ELICIT, { tty }),
      await run(folder, SAMPLE, { tty })
    ]
    expect(tty.opened).toBe(0)
    for (const { events, results } of outcomes) {
      expect(results[0].result.value).toMatchObject({
        code: -32601,
        message: expect.stringContaining("nobody here answers")
      })
      expect(events).toContainEqual(expect.objectContaining({ allowed: false, code: "INQUIRY_UNANSWERED" }))
    }
  })
})

const answering = (name: string): Answers => ({
  capabilities: { elicitation: {} },
  prepare: (client) =>
    client.setRequestHandler(ElicitRequestSchema, async () => ({
      action: "accept",
      content: { name, pet: "c" }
    }))
})

const asked = async (client: Client): Promise<string> => {
  const { content } = await client.callTool({ name: "mcp__asker__ask", arguments: ELICIT })
  const [first] = content as ReadonlyArray<{ readonly text: string }>
  return first?.text ?? ""
}

describe.runIf(canHold)("mcp serve", () => {
  it("passes on what a held server asks to the client that answers it", async () => {
    const folder = await workspace("[elicitation]")
    const { client } = await overStdio(folder, ["--agent", "plain"], answering("Ada"))
    expect(await asked(client)).toContain('"name":"Ada"')
  })

  it("asks each of its clients over HTTP what was asked in its own calls", async () => {
    const folder = await workspace("[elicitation]")
    const { connect, stderr } = await overHttp(folder, ["--agent", "plain"])
    const [one, two, mute] = await Promise.all([
      connect(answering("One")),
      connect(answering("Two")),
      connect()
    ])
    const [first, second, third] = await Promise.all([
      asked(one.client),
      asked(two.client),
      asked(mute.client)
    ])
    expect(first).toContain('"name":"One"')
    expect(second).toContain('"name":"Two"')
    expect(third).toContain("nobody here answers that")
    await stderr.match(/INQUIRY_UNANSWERED/)
  })
})
