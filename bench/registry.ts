/** The registry on a call that does nothing, against the toolkit of `@effect/ai` handling the same call. */
import { Tool as AiTool, Toolkit } from "@effect/ai"
import { Files, Network, Registry, Secrets, Storage, Tool, Turn } from "bailiwick"
import { Context, Effect, Either, Schema } from "effect"
import { FilesBackend } from "../src/capabilities/backends/FilesBackend.js"
import { NetworkBackend } from "../src/capabilities/backends/NetworkBackend.js"
import { SecretsBackend } from "../src/capabilities/backends/SecretsBackend.js"
import { StorageBackend } from "../src/capabilities/backends/StorageBackend.js"
import * as Authority from "../src/policy/Authority.js"
import * as Host from "../src/policy/Host.js"
import { HostSet } from "../src/policy/HostSet.js"
import * as Policy from "../src/policy/Policy.js"
import { interleave, type Subject } from "./interleave.js"
import { progress, type Row } from "./report.js"

const parameters = { city: Schema.String, days: Schema.Number }
const args = { city: "Oslo", days: 3 }

const noop = <const Name extends string>(name: Name) =>
  Tool.make({
    name,
    description: "Does nothing",
    parameters: Schema.Struct(parameters),
    capabilities: {
      network: { allowedHosts: ["api.weather.gov"] },
      secrets: ["WEATHER_API_KEY"],
      storage: { scope: "session", kind: "kv" },
      fs_reach: { read: ["/data"] }
    },
    execute: () => Effect.void
  })

const backends = Context.empty().pipe(
  Context.add(NetworkBackend, NetworkBackend.fromOperations(Network.memory(() => ""))),
  Context.add(SecretsBackend, SecretsBackend.fromOperations(Secrets.memory({}))),
  Context.add(StorageBackend, StorageBackend.fromOperations(Storage.memory({}))),
  Context.add(FilesBackend, FilesBackend.fromOperations(Files.memory({})))
)

/** A registry of so many tools under a policy of so many patterns, and a batch of calls of one of them. */
const ours = (tools: number, patterns: number, batch: number) => {
  const registry = Registry.make(...Array.from({ length: tools }, (_, i) => noop(`noop_${i}`)))
  const hosts = HostSet.make(
    Array.from({ length: patterns }, (_, i) =>
      Either.getOrThrow(Host.parsePattern(i === 0 ? "api.weather.gov" : `host${i}.example.com`))
    )
  )
  const policy = Policy.make({
    authority: Authority.make({
      network: { get: hosts, post: hosts, put: hosts, delete: hosts },
      files: Authority.everything.scopes.files
    }),
    asDeclared: ["secrets", "storage"]
  })
  const turn = Turn.make({ session: "s", policy, workdir: "/data" })
  const calls = Array.from({ length: batch }, (_, i) => ({ id: String(i), name: `noop_${tools >> 1}`, args }))
  return registry.execute(turn, calls)
}

const repeated = (effect: Effect.Effect<unknown>, times: number) => {
  const loop = Effect.gen(function* () {
    for (let i = 0; i < times; i++) yield* effect
  })
  return () => Effect.runSync(Effect.provide(loop, backends))
}

const AiNoop = AiTool.make("noop", {
  description: "Does nothing",
  parameters
})

const toolkit = Toolkit.make(AiNoop)

const theirs = Effect.provide(
  Effect.map(toolkit, ({ handle }) => handle("noop", args)),
  toolkit.toLayer({ noop: () => Effect.void })
).pipe(Effect.runSync)

const BATCHES = [1, 10, 100]

export const rows = async (): Promise<ReadonlyArray<Row>> => {
  const subjects: ReadonlyArray<Subject> = BATCHES.flatMap((batch) => {
    const times = Math.max(1, 100 / batch)
    const handled = Effect.forEach(Array.from({ length: batch }), () => theirs, { discard: true })
    return [
      { name: `ours ${batch}`, run: repeated(ours(10, 10, batch), times) },
      { name: `large ${batch}`, run: repeated(ours(10_000, 10_000, batch), times) },
      { name: `ai ${batch}`, run: repeated(Effect.orDie(handled), times) }
    ]
  })
  const nanos = interleave(subjects, progress)
  const ratio = (a: string, b: string) => (nanos.get(a) ?? 0) / (nanos.get(b) ?? 1)
  return [
    {
      work: "a no-op call against @effect/ai's toolkit, batches of 1, 10, 100",
      atMost: 0.15,
      ratios: BATCHES.map((batch) => ratio(`ours ${batch}`, `ai ${batch}`))
    },
    {
      work: "with 10,000 tools and 10,000 patterns against 10 and 10",
      atMost: 1.2,
      ratios: BATCHES.map((batch) => ratio(`large ${batch}`, `ours ${batch}`))
    }
  ]
}
export const one = (batch: number) => {
  const times = Math.max(1, 100 / batch)
  const handled = Effect.forEach(Array.from({ length: batch }), () => theirs, { discard: true })
  return { run: repeated(ours(10, 10, batch), times), ai: repeated(Effect.orDie(handled), times) }
}
