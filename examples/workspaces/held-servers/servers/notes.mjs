/** A small MCP server over pipes: it lists the notes of the directory that it is given, and reads one. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

const [directory = "."] = process.argv.slice(2)

const tools = [
  {
    name: "list_notes",
    title: "List notes",
    description: "Lists the notes by name.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false }
  },
  {
    name: "read_note",
    title: "Read a note",
    description: "Reads one note, whole.",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string", description: "as list_notes gives it" } },
      required: ["name"],
      additionalProperties: false
    },
    annotations: { readOnlyHint: true, openWorldHint: false }
  }
]

const said = (text) => ({ content: [{ type: "text", text }] })

const called = ({ arguments: args = {}, name }) =>
  name === "list_notes"
    ? said(readdirSync(directory).sort().join("\n"))
    : said(readFileSync(join(directory, args.name), "utf8"))

const answers = new Map([
  [
    "initialize",
    ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "notes", version: "1.0.0" }
    })
  ],
  ["ping", () => ({})],
  ["tools/list", () => ({ tools })],
  ["tools/call", called]
])

const answer = ({ id, method, params = {} }) => {
  const known = answers.get(method)
  if (known === undefined) return { id, error: { code: -32601, message: `no method ${method}` } }
  try {
    return { id, result: known(params) }
  } catch (error) {
    return { id, result: { ...said(`it cannot be read (${error.code})`), isError: true } }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.id === undefined) continue
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...answer(message) })}\n`)
}
