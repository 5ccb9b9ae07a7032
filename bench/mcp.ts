/**
 * A call of MCP that does nothing, over stdio: answered by a server of ours under a policy, and by the official SDK's
 * server without any. Both are processes of their own, and the same client talks to both in turns.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Authority, Policy, Registry, Tool, Turn } from "bailiwick"
import { McpServer } from "bailiwick/mcp"
import { Effect, Schema } from "effect"
import { print, progress, type Row } from "./report.js"

const ROUNDS = 25
const CALLS = 400
const FLIGHT = 100

const ours = (): Promise<void> => {
  const noop = Tool.make({
    name: "noop",
    description: "Does nothing",
    parameters: Schema.Struct({ text: Schema.String }),
    capabilities: {},
    execute: ({ text }) => Effect.succeed(text)
  })
  const registry = Registry.make(noop)
  const policy = Policy.make({ authority: Authority.everything })
  const turn = Turn.make({ session: "bench", policy, workdir: "/" })
  return Effect.runPromise(
    McpServer.stdio(
      { serves: Effect.succeed({ registry, turn }) },
      { input: process.stdin, output: process.stdout }
    )
  )
}

/** The SDK's own server at its least: what it wraps around this for tools costs more. */
const theirs = async (): Promise<void> => {
  const { Server } = await import("@modelcontextprotocol/sdk/server/index.js")
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js")
  const { CallToolRequestSchema } = await import("@modelcontextprotocol/sdk/types.js")
  const server = new Server({ name: "theirs", version: "1.0.0" }, { capabilities: { tools: {} } })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
    content: [{ type: "text", text: String(params.arguments?.text) }]
  }))
  await server.connect(new StdioServerTransport())
}

/** As little of a client as there can be, so that what is timed is the server. */
class Caller {
  private readonly child: ChildProcess
  private left = 0
  private done: () => void = () => undefined
  private next = 1

  constructor(which: string) {
    this.child = spawn(process.execPath, [fileURLToPath(import.meta.url), which], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    this.child.stdout?.on("data", (chunk: Buffer) => {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) this.left -= 1
      if (this.left <= 0) this.done()
    })
  }

  private asked(lines: ReadonlyArray<string>): Promise<void> {
    return new Promise((resolve) => {
      this.left = lines.length
      this.done = resolve
      this.child.stdin?.write(lines.join(""))
    })
  }

  private line(method: string, params: object): string {
    return `${JSON.stringify({ jsonrpc: "2.0", id: this.next++, method, params })}\n`
  }

  async open(): Promise<void> {
    await this.asked([
      this.line("initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "bench", version: "1" }
      })
    ])
    this.child.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  }

  private call(): string {
    return this.line("tools/call", { name: "noop", arguments: { text: "hello" } })
  }

  /** Nanoseconds per call, with so many in flight. */
  async time(calls: number, flight: number): Promise<number> {
    const from = process.hrtime.bigint()
    for (let i = 0; i < calls; i += flight) {
      await this.asked(Array.from({ length: flight }, () => this.call()))
    }
    return Number(process.hrtime.bigint() - from) / calls
  }

  async close(): Promise<void> {
    this.child.stdin?.end()
    await once(this.child, "exit")
  }
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const flights = [
  { work: "a no-op tools/call over stdio, to the official server", flight: 1, calls: CALLS },
  { work: `the same, ${FLIGHT} in flight`, flight: FLIGHT, calls: CALLS * 5 }
]

export const rows = async (): Promise<ReadonlyArray<Row>> => {
  const [mine, other] = [new Caller("ours"), new Caller("theirs")]
  await Promise.all([mine.open(), other.open()])
  const found = flights.map((one) => ({ ...one, ratios: [] as number[] }))
  for (let round = 0; round <= ROUNDS; round++) {
    progress(`mcp: round ${round} of ${ROUNDS}`)
    for (const { calls, flight, ratios } of found) {
      const ratio = (await mine.time(calls, flight)) / (await other.time(calls, flight))
      // The first warms both up.
      if (round > 0) ratios.push(ratio)
    }
  }
  await Promise.all([mine.close(), other.close()])
  return found.map(({ ratios, work }) => ({ work, atMost: 1.3, ratios: [median(ratios)] }))
}

const [, , which] = process.argv
if (which === "ours") await ours()
else if (which === "theirs") await theirs()
else print(await rows())
