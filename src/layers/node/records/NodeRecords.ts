/**
 * Records as Markdown files below a directory, which other programs and people may edit at the same time. A write is
 * acknowledged once it is on the disk. No link below the directory is ever followed.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { Layer } from "effect"
import { RecordsBackend } from "../../../capabilities/records/RecordsBackend.js"
import { service } from "../../../capabilities/records/store/RecordStore.js"
import type { Places } from "../../../policy/agent/AgentRecord.js"
import * as Kept from "../disk/Kept.js"
import { limits } from "../disk/Limits.js"
import * as Reality from "../disk/Reality.js"
import { own, store } from "./DiskStore.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Where the records lie. The first write makes it. It may be a link, which is followed once. */
  readonly directory: string
  /** How the agents among the records are read. */
  readonly agents?: Places | undefined
  /**
   * How the backend finds out where an open file is: by its descriptor, as on Linux, or by resolving its path again,
   * which leaves a moment between the two. The default is the better one that the platform allows.
   */
  readonly verification?: "descriptor" | "realpath" | undefined
}

const revisionOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

/**
 * Makes the backend, without a layer.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): RecordsBackend.Service => {
  const verification = options.verification ?? (process.platform === "linux" ? "descriptor" : "realpath")
  Kept.guard(options.directory)
  for (const name of own) Kept.close(join(options.directory, name))
  const disk = { limits: limits(), reality: Reality.of(verification) }
  return service(store(disk, options.directory), options.agents ?? {}, revisionOf)
}

/**
 * Keeps records, and the agents among them, as files. It opens nothing before the first read or write.
 *
 * @example
 * ```ts
 * import { NodeRecords } from "bailiwick/node"
 *
 * export const records = NodeRecords.layer({ directory: "/work/records", agents: { home: "/home/me" } })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<RecordsBackend> =>
  Layer.sync(RecordsBackend, () => make(options))
