/** The same with the official clients of both revisions: what each may ask, is told, and is asked. */
import { join } from "node:path"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  EmptyResultSchema
} from "@modelcontextprotocol/sdk/types.js"
import { describe, expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { canHold } from "../layers/process/harness.js"
import { type Answers, overHttp, overStdio, type Revision, sdks } from "./mcpProcess.js"
import { Folder } from "./workspace.js"

const ASKER = join(root, "test/mcp/servers/inquiring.mjs")

const agent = (grants: string) => `---\nclass: agent\ncapabilities: ${grants}\n---\nYou help.\n`

const ALL = '["records.read", "storage.use{scopes=[session]}"]'

const files = {
  "bailiwick.yaml": "",
  "records/agents/scout.md": agent(ALL),
  "records/notes/one.md": "---\nclass: note\ntitle: One\n---\nThe first note.\n",
  "skills/reading.md": "---\nname: reading\ndescription: How to read\n---\nRead slowly.\n"
}

const SCOUT = ["--agent", "scout"]

const textOf = ({ content }: Awaited<ReturnType<Client["callTool"]>>): string =>
  (content as ReadonlyArray<{ readonly text?: string }>).map(({ text }) => text).join("")

const FORM = {
  message: "Who?",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string" },
      all: { type: "array", items: { type: "string", enum: ["a", "b"] } }
    },
    required: ["name"]
  }
}

const ELICIT = { method: "elicitation/create", params: FORM }

const SAMPLE = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 1 }
}

const asking = async (): Promise<Folder> => {
  const servers = `mcp_servers:\n  asker: { command: node, args: ["${ASKER}"], allows: [sampling, elicitation], requires: [] }\n`
  const folder = new Folder({ ...files, "bailiwick.yaml": servers })
  expect(await folder.bailiwick(["manifest"])).toMatchObject({ code: 0 })
  return folder
}

const capabilities = { sampling: {}, elicitation: {} }

describe.each(Object.keys(sdks) as ReadonlyArray<Revision>)("the official client of %s", (revision) => {
  it("uses tools, records and skills, and hears of refusals and changes", async () => {
    const folder = new Folder(files)
    const { client, hears } = await overStdio(folder, SCOUT, { revision })
    await client.ping()
    await client.setLoggingLevel("debug")
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === "kv_get")?.annotations).toMatchObject({ openWorldHint: false })
    await client.callTool({ name: "kv_set", arguments: { key: "a", value: "1" } })
    // Where an answer has a schema, the client holds it to that.
    expect(tools.some(({ outputSchema }) => outputSchema !== undefined)).toBe(true)
    expect(textOf(await client.callTool({ name: "kv_get", arguments: { key: "a" } }))).toContain("1")
    expect(await client.callTool({ name: "list_records", arguments: {} })).toHaveProperty("structuredContent")
    const [resource] = (await client.listResources()).resources
    const { contents } = await client.readResource({ uri: resource?.uri ?? "" })
    expect(contents).toHaveLength(1)
    const { messages } = await client.getPrompt({ name: "reading" })
    expect(JSON.stringify(messages)).toContain("Read slowly.")
    const refused = await client.callTool({ name: "web_fetch", arguments: { url: "https://example.com/" } })
    expect(refused).toMatchObject({ isError: true, _meta: { "bailiwick/denial": expect.any(Object) } })
    const unknown = { method: "no/such" } as unknown as Parameters<Client["request"]>[0]
    await expect(client.request(unknown, EmptyResultSchema)).rejects.toThrow("there is no method")
    folder.write("records/agents/scout.md", agent('["records.read"]'))
    await hears("notifications/tools/list_changed")
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("kv_get")
    await client.close()
  })

  it("agrees on its own revision over HTTP, and ends its session", async () => {
    const { connect } = await overHttp(new Folder(files), SCOUT)
    const { client, transport } = await connect({ revision })
    expect(transport.protocolVersion).toBe(revision)
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThan(0)
    await transport.terminateSession()
    await expect(client.ping()).rejects.toThrow()
  })

  describe.runIf(canHold)("in a call of a held server", () => {
    const answers: Answers = {
      revision,
      capabilities,
      prepare: (client) => {
        client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
          action: "accept",
          content: { name: Object.keys((params as typeof FORM).requestedSchema.properties).join("+") }
        }))
        client.setRequestHandler(CreateMessageRequestSchema, async ({ params: { systemPrompt } }) => ({
          role: "assistant",
          model: "m-1",
          content: { type: "text", text: systemPrompt ?? "" }
        }))
      }
    }

    const asked = revision === "2025-06-18" ? "name" : "name+all"

    it.each(["standard input and output", "HTTP"])("is asked what it answers, over %s", async (how) => {
      const folder = await asking()
      const { client } =
        how === "HTTP"
          ? await (await overHttp(folder, SCOUT)).connect(answers)
          : await overStdio(folder, SCOUT, answers)
      const ask = async (what: { readonly method: string; readonly params: object }) =>
        textOf(await client.callTool({ name: "mcp__asker__ask", arguments: what }))
      expect(await ask(ELICIT)).toContain(`"name":"${asked}"`)
      expect(await ask(SAMPLE)).toContain("The MCP server asker asks for this answer.")
    })

    it("is told that nobody waits for its answer any more, when it cancels the call", async () => {
      const folder = await asking()
      const stop = new AbortController()
      let takenBack = () => {}
      const isTakenBack = new Promise<void>((resolve) => {
        takenBack = resolve
      })
      const { client } = await overStdio(folder, SCOUT, {
        revision,
        capabilities,
        prepare: (made) =>
          made.setRequestHandler(ElicitRequestSchema, (_, { signal }) => {
            signal.addEventListener("abort", takenBack)
            stop.abort()
            return new Promise(() => {})
          })
      })
      const call = client.callTool({ name: "mcp__asker__ask", arguments: ELICIT }, undefined, {
        signal: stop.signal
      })
      await expect(call).rejects.toThrow()
      await isTakenBack
      expect(textOf(await client.callTool({ name: "mcp__asker__declared", arguments: {} }))).toContain(
        "elicitation"
      )
    })
  })
})
