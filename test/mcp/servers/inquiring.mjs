/** A server that asks its client whatever it is told to, and says what it was answered. It needs nothing, and starts at once. */
import { createInterface } from "node:readline"

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

/** All that it was answered, and who waits for what. */
const answers = []
const waiting = new Map()
let declared = {}
let last = 0

const ask = (method, params) => {
  const id = `q${++last}`
  const answered = new Promise((resolve) => waiting.set(id, resolve))
  send({ id, method, params })
  return { id, answered }
}

const tools = {
  declared: async () => ({ declared }),
  ask: async ({ method, params }) => ask(method, params).answered,
  times: async ({ method, params, times }) => ({
    answers: await Promise.all(Array.from({ length: times }, () => ask(method, params).answered))
  }),
  /** It asks once its call is answered. */
  late: async ({ method, params }) => {
    setImmediate(() => setImmediate(() => ask(method, params)))
    return {}
  },
  /** It takes its question back as soon as it was asked. */
  retract: async ({ method, params }) => {
    const { id } = ask(method, params)
    send({ method: "notifications/cancelled", params: { requestId: id, reason: "never mind" } })
    return { id }
  },
  holds: async ({ text }) => ({ holds: JSON.stringify(answers).includes(text) })
}

const replyTo = async ({ method, params }) => {
  switch (method) {
    case "initialize":
      declared = params.capabilities
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "inquiring", version: "1" }
      }
    case "tools/list":
      return {
        tools: Object.keys(tools).map((name) => ({
          name,
          description: `The tool ${name}`,
          inputSchema: { type: "object", properties: {} }
        }))
      }
    default: {
      const structuredContent = await tools[params.name](params.arguments ?? {})
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent }
    }
  }
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { error, id, method, params, result } = JSON.parse(line)
  if (method === undefined) {
    const answer = error === undefined ? { result } : { code: error.code, message: error.message }
    answers.push(answer)
    waiting.get(id)?.(answer)
  } else if (id !== undefined) send({ id, result: await replyTo({ method, params }) })
})
