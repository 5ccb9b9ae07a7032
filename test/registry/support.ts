import {
  type Attachment,
  Attachments,
  AttachmentsBackend,
  Authority,
  Files,
  FilesBackend,
  Network,
  NetworkBackend,
  Policy,
  Process,
  ProcessBackend,
  Secrets,
  SecretsBackend,
  Storage,
  StorageBackend,
  Tool,
  Turn
} from "bailiwick"
import { Context, Effect, Schema } from "effect"

const authority = Schema.decodeSync(Authority.FromJson)

export const policyOf = (
  encoded: Authority.Encoded,
  options: Omit<Policy.Options, "authority"> = {}
): Policy.Policy =>
  Policy.make({
    authority: authority(encoded),
    asDeclared: ["process", "secrets", "storage", "attachments"],
    ...options
  })

export const everything = Policy.make({ authority: Authority.everything })

export const turnOf = (policy: Policy.Policy = everything, options: Partial<Turn.Options> = {}): Turn.Turn =>
  Turn.make({ session: "s1", workdir: "/work", policy, ...options })

/** A store for each namespace. */
const stores = (): StorageBackend["Type"] => {
  const all = new Map<string, Storage.Operations>()
  return {
    open: (_proof, namespace) => {
      const known = all.get(namespace) ?? Storage.memory({})
      all.set(namespace, known)
      return known
    },
    clear: (namespace) => Effect.sync(() => void all.delete(namespace))
  }
}

export const attached = (ref: string, type: Attachment["type"], path: string): Attachment => ({
  ref,
  type,
  url: `file://${path}`,
  mimeType: type === "image" ? "image/png" : "application/pdf"
})

export interface World {
  readonly files?: Files.MockFiles
  readonly secrets?: Secrets.MockValues
  readonly respond?: Network.MockHandler
  readonly spawn?: Process.MockHandler
  readonly holding?: ProcessBackend.Holding
}

/** Backends in memory, all of them. */
export const world = (given: World = {}) =>
  Context.empty().pipe(
    Context.add(NetworkBackend, NetworkBackend.fromOperations(Network.memory(given.respond ?? (() => "")))),
    Context.add(SecretsBackend, SecretsBackend.fromOperations(Secrets.memory(given.secrets ?? {}))),
    Context.add(StorageBackend, stores()),
    Context.add(FilesBackend, FilesBackend.fromOperations(Files.memory(given.files ?? {}))),
    Context.add(
      ProcessBackend,
      ProcessBackend.fromOperations(Process.memory(given.spawn ?? (() => "")), given.holding)
    ),
    Context.add(AttachmentsBackend, {
      ...AttachmentsBackend.fromOperations(Attachments.memory([])),
      locate: (_session, { url }) => Schema.decode(Schema.String)(url.slice("file://".length)) as never
    })
  )

export const callOf = (tool: Tool.Any | string, args: unknown = {}, id = "c1") => ({
  id,
  name: typeof tool === "string" ? tool : tool.name,
  args
})

/** A tool that reads what it is told to, where the policy lets it. */
export const reader = Tool.make({
  name: "reader",
  description: "reads",
  parameters: Schema.Struct({ path: Schema.String }),
  capabilities: { fs_reach: { read: "from-personality" } },
  execute: ({ path }) => Files.read(path)
})
