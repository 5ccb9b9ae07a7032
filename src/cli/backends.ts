/** The live backends, each loaded only when a call may need it. */

import { join } from "node:path"
import { Layer } from "effect"
import type { Category } from "../capabilities/Capabilities.js"
import type { Places as AgentPlaces } from "../policy/agent/AgentRecord.js"
import { databaseFor, loadPostgres } from "./database.js"
import { type SecretPlaces, secrets } from "./secrets.js"
import type { AuditKey } from "./workspace/AuditKey.js"
import type { StorageKey } from "./workspace/StorageKey.js"

export interface BackendSettings extends SecretPlaces {
  readonly state: string
  /** How what is decided is kept, where something is done. */
  readonly audit: AuditKey
  /** Where entries are kept, if not in the state directory. */
  readonly storage: StorageKey | undefined
  /** What whoever runs the command should know of that, and is in no answer. */
  readonly say: (sentence: string) => void
  /** The directory of the records, and how the agents among them are read. */
  readonly records: { readonly directory: string; readonly agents: AgentPlaces } | undefined
}

/** Loads one backend; the same loader serves several categories. */
export type Loader = (places: BackendSettings) => Promise<Layer.Layer<never>>

/** What other calls of this workspace keep is closed, whether or not these calls need the layer that keeps it. */
const closing = async ({ state, workspace }: BackendSettings): Promise<void> => {
  const Kept = await import("../layers/node/disk/Kept.js")
  for (const name of ["storage", "audit"]) Kept.close(join(state, name), { isMade: true })
  if (workspace !== undefined) Kept.close(join(workspace, ".env"))
}

const files: Loader = async (places) => {
  await closing(places)
  return (await import("../layers/node/files/NodeFiles.js")).layer()
}

/** Children see files, too. */
const processes: Loader = async (places) => {
  await closing(places)
  return (await import("../layers/node/process/NodeProcess.js")).layer({
    environment: places.env,
    sandbox: { quarantine: join(places.state, "quarantine") }
  })
}

const attachments: Loader = async () =>
  (await import("../layers/node/attachments/NodeAttachments.js")).layer()

/** Records are a workspace's; without one their calls answer `not_available`. */
const records: Loader = async ({ records: given }) =>
  given === undefined ? Layer.empty : (await import("../layers/node/records/NodeRecords.js")).layer(given)

const entries: Loader = async (places) => {
  const { state, storage } = places
  if (storage === undefined) {
    return (await import("../layers/node/storage/NodeStorage.js")).layer({
      directory: join(state, "storage")
    })
  }
  const { PostgresStorage } = await loadPostgres()
  return Layer.provide(PostgresStorage.layer(), await databaseFor(storage, places))
}

const loaders: { readonly [C in Category]: ReadonlyArray<Loader> } = {
  network: [async () => (await import("../layers/node/network/NodeNetwork.js")).layer()],
  secrets: [secrets],
  storage: [entries],
  fs_reach: [files],
  process: [processes],
  attachments: [attachments, files],
  records: [records],
  agents: [records]
}

export const loadersFor = (categories: Iterable<Category>): ReadonlySet<Loader> =>
  new Set([...categories].flatMap((category) => loaders[category]))

/** What the given categories stand on, and nothing else. */
export const backendsFor = async (
  categories: Iterable<Category>,
  places: BackendSettings
): Promise<Layer.Layer<never>> => {
  const layers = await Promise.all([...loadersFor(categories)].map((load) => load(places)))
  return layers.reduce<Layer.Layer<never>>((all, layer) => Layer.merge(all, layer), Layer.empty)
}
