/** Registries of tools that do nothing, under policies of any size, over backends in memory. */
import {
  Authority,
  Files,
  FilesBackend,
  Network,
  NetworkBackend,
  Policy,
  Registry,
  Secrets,
  SecretsBackend,
  Storage,
  StorageBackend,
  Tool,
  Turn
} from "bailiwick"
import { Context, Effect, Schema } from "effect"

export const parameters = { city: Schema.String, days: Schema.Number }
export const args = { city: "Oslo", days: 3 }

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

export const backends = Context.empty().pipe(
  Context.add(NetworkBackend, NetworkBackend.fromOperations(Network.memory(() => ""))),
  Context.add(SecretsBackend, SecretsBackend.fromOperations(Secrets.memory({}))),
  Context.add(StorageBackend, StorageBackend.fromOperations(Storage.memory({}))),
  Context.add(FilesBackend, FilesBackend.fromOperations(Files.memory({})))
)

/** A registry of one tool that needs nothing, and a policy that gives nothing. */
export const registryOf = <T extends Tool.Any>(tool: T) => ({
  registry: Registry.make(tool),
  policy: Policy.make({ authority: Authority.nothing })
})

/** A registry of so many tools under a policy of so many patterns, and a batch of calls of one of them. */
export const executing = (tools: number, patterns: number, batch: number) => {
  const registry = Registry.make(...Array.from({ length: tools }, (_, i) => noop(`noop_${i}`)))
  const hosts = Array.from({ length: patterns }, (_, i) =>
    i === 0 ? "api.weather.gov" : `host${i}.example.com`
  )
  const policy = Policy.make({
    authority: Schema.decodeSync(Authority.FromJson)({
      network: { get: hosts, post: hosts, put: hosts, delete: hosts },
      files: { read: ["/"] }
    }),
    asDeclared: ["secrets", "storage"]
  })
  const turn = Turn.make({ session: "s", policy, workdir: "/data" })
  const calls = Array.from({ length: batch }, (_, i) => ({ id: String(i), name: `noop_${tools >> 1}`, args }))
  return { registry, turn, calls }
}

export const ours = (tools: number, patterns: number, batch: number) => {
  const { calls, registry, turn } = executing(tools, patterns, batch)
  return registry.execute(turn, calls)
}
