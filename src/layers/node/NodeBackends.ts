/**
 * Every live backend at once, with defaults that suit a program on one machine.
 *
 * @since 0.1.0
 */
import { join } from "node:path"
import { Layer } from "effect"
import type { AttachmentsBackend } from "../../capabilities/attachments/AttachmentsBackend.js"
import type { FilesBackend } from "../../capabilities/files/FilesBackend.js"
import type { NetworkBackend } from "../../capabilities/network/NetworkBackend.js"
import type { ProcessBackend } from "../../capabilities/process/ProcessBackend.js"
import type { RecordsBackend } from "../../capabilities/records/RecordsBackend.js"
import type { SecretsBackend } from "../../capabilities/secrets/SecretsBackend.js"
import type { StorageBackend } from "../../capabilities/storage/StorageBackend.js"
import * as NodeAttachments from "./attachments/NodeAttachments.js"
import * as StateDirectory from "./disk/StateDirectory.js"
import * as NodeFiles from "./files/NodeFiles.js"
import * as NodeNetwork from "./network/NodeNetwork.js"
import * as NodeProcess from "./process/NodeProcess.js"
import * as NodeRecords from "./records/NodeRecords.js"
import * as NodeSecrets from "./secrets/NodeSecrets.js"
import * as NodeStorage from "./storage/NodeStorage.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Where entries and attachments are kept. Without it, `bailiwick` in the state directory of the user. */
  readonly directory?: string | undefined
  readonly network?: NodeNetwork.Options | undefined
  readonly files?: NodeFiles.Options | undefined
  readonly process?: NodeProcess.Options | undefined
  /** How much may be stored, and how long to wait for other processes. */
  readonly storage?: Omit<NodeStorage.Options, "directory"> | undefined
  /** Where records lie. Without it there are none. */
  readonly records?: NodeRecords.Options | undefined
  /** Where secrets come from. Without it, from the environment. */
  readonly secrets?: Layer.Layer<SecretsBackend> | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export type Backends =
  | AttachmentsBackend
  | FilesBackend
  | NetworkBackend
  | ProcessBackend
  | SecretsBackend
  | StorageBackend

/**
 * The directory of state when none is given.
 *
 * @since 0.1.0
 * @category defaults
 */
export const stateDirectory = (): string => StateDirectory.stateDirectory(process.env)

/**
 * Every backend, and records as files.
 *
 * @example
 * ```ts
 * import { NodeBackends } from "bailiwick/node"
 *
 * export const backends = NodeBackends.layer({ records: { directory: "/home/me/team/records" } })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export function layer(
  options: Options & { readonly records: NodeRecords.Options }
): Layer.Layer<Backends | RecordsBackend>
/**
 * Every backend but records: network, files, processes, secrets of the environment, storage and attachments. Provide
 * it to a program that runs `registry.execute`. The policy decides what is used of it.
 *
 * @example
 * ```ts
 * import { NodeBackends, NodeSecrets } from "bailiwick/node"
 *
 * export const backends = NodeBackends.layer({
 *   directory: "/var/lib/agent",
 *   secrets: NodeSecrets.layerDotEnv({ file: "/work/.env" }),
 *   process: { deadline: "30 seconds" }
 * })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export function layer(options?: Options): Layer.Layer<Backends>
export function layer(options: Options = {}): Layer.Layer<Backends> {
  const { directory = stateDirectory(), records } = options
  const all = Layer.mergeAll(
    NodeNetwork.layer(options.network),
    NodeFiles.layer(options.files),
    NodeProcess.layer({
      ...options.process,
      sandbox: { quarantine: join(directory, "quarantine"), ...options.process?.sandbox }
    }),
    options.secrets ?? NodeSecrets.layerEnvironment(),
    NodeStorage.layer({ ...options.storage, directory: join(directory, "storage") }),
    NodeAttachments.layer({ directory: join(directory, "attachments") })
  )
  return records === undefined ? all : Layer.merge(all, NodeRecords.layer(records))
}
