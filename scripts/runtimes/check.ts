/**
 * Uses the package as a program would, on whatever runtime starts this: each part by itself, and one line of JSON for each.
 * It is started in an empty directory in which nothing but the package and its peers is installed.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Builtin, Personality, Registry, Tool, type ToolResult, Turn } from "bailiwick"
import { NodeBackends } from "bailiwick/node"
import { Effect, Schema } from "effect"

const workdir = process.cwd()

const must = (holds: boolean, what: string, seen: unknown): void => {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(seen)}`)
}

const sum = Tool.make({
  name: "sum",
  description: "Adds numbers",
  parameters: Schema.Struct({ numbers: Schema.Array(Schema.Number) }),
  capabilities: {},
  execute: ({ numbers }) => Effect.succeed(numbers.reduce((total, one) => total + one, 0))
})

const forever = Tool.make({
  name: "forever",
  description: "Never ends",
  parameters: Schema.Struct({}),
  capabilities: {},
  deadline: "50 millis",
  execute: () => Effect.never
})

const registry = Registry.make(sum, forever, ...Builtin.builtins)

const personality = (port: number): string => `id: runtime
fs_reach: { read: ["\${CWD}"], write: ["\${CWD}"] }
safety: { network: { allow: ["127.0.0.1"], private: ["127.0.0.1:${port}"] } }
process: { allow: [echo] }
sandbox: off
`

const execute = (
  calls: ReadonlyArray<{ readonly name: string; readonly args: unknown }>,
  port = 1
): Promise<ReadonlyArray<ToolResult.ToolResult>> => {
  const config = { file: "config.yaml", text: personality(port) }
  const policy = Personality.policy(Personality.parseSync({ config }, { workdir }))
  const turn = Turn.make({ session: "s", policy, workdir })
  const named = calls.map((call, index) => ({ id: String(index), ...call }))
  return registry.execute(turn, named).pipe(
    Effect.map((results) => results.map(({ result }) => result)),
    Effect.provide(NodeBackends.layer({ directory: join(workdir, "state") })),
    Effect.runPromise
  )
}

const valueOf = (result: ToolResult.ToolResult | undefined): unknown => {
  if (result?.ok !== true) throw new Error(JSON.stringify(result))
  return result.value
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  tool: async () => {
    const total = await Effect.runPromise(Tool.run(sum, { numbers: [1, 2, 3] }))
    must(total === 6, "sum", total)
  },
  registry: async () => {
    const results = await execute([
      { name: "sum", args: { numbers: [1, 2] } },
      { name: "sum", args: { numbers: "1" } },
      { name: "forever", args: {} },
      { name: "nobody", args: {} }
    ])
    const seen = results.map((result) => (result.ok ? result.value : result.code))
    const expected = [3, "input_invalid", "timeout", "not_available"]
    must(JSON.stringify(seen) === JSON.stringify(expected), "results", seen)
  },
  files: async () => {
    const [written] = await execute([{ name: "write_file", args: { path: "note.txt", content: "grüße" } }])
    valueOf(written)
    const [read, refused] = await execute([
      { name: "read_file", args: { path: "note.txt" } },
      { name: "read_file", args: { path: "/etc/hostname" } }
    ])
    must(JSON.stringify(valueOf(read)).includes("grüße"), "what was written", read)
    const error = refused?.ok === false ? refused.error : ""
    must(error.startsWith("PATH_NOT_REACHABLE"), "a path out of reach", refused)
  },
  network: async () => {
    const server = createServer((_, response) => response.end("pong"))
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as AddressInfo
    try {
      const get = (url: string) => ({ name: "web_fetch", args: { url } })
      const [fetched, refused] = await execute(
        [get(`http://127.0.0.1:${port}/`), get("http://a.example/")],
        port
      )
      must(JSON.stringify(valueOf(fetched)).includes("pong"), "the answer", fetched)
      must(refused?.ok === false && refused.error.startsWith("HOST_NOT_ALLOWED"), "another host", refused)
    } finally {
      server.close()
    }
  },
  command: async () => {
    const [ran, refused] = await execute([
      { name: "run_command", args: { command: "echo", args: ["hello"] } },
      { name: "run_command", args: { command: "ls" } }
    ])
    must(JSON.stringify(valueOf(ran)).includes("hello"), "its output", ran)
    must(refused?.ok === false && refused.error.startsWith("BINARY_NOT_ALLOWED"), "another command", refused)
  },
  storage: async () => {
    valueOf((await execute([{ name: "kv_set", args: { key: "a", value: "kept" } }]))[0])
    const [kept] = await execute([{ name: "kv_get", args: { key: "a" } }])
    must(JSON.stringify(valueOf(kept)).includes("kept"), "what was stored", kept)
  }
}

for (const [part, check] of Object.entries(parts)) {
  const problem = await check().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error))
  )
  console.log(JSON.stringify({ part, problem }))
}
// What a part that failed may have left running is not waited for.
process.exit(0)
