/**
 * Records as Markdown files below a directory, which other programs and people may edit at the same time. A write is
 * acknowledged once it is on the disk, and no link below the directory is ever followed.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import { Layer } from "effect"
import { RecordsBackend } from "../../../capabilities/records/RecordsBackend.js"
import { service } from "../../../capabilities/records/store/RecordStore.js"
import type { Places } from "../../../policy/agent/AgentRecord.js"
import { limits } from "../disk/Limits.js"
import * as Reality from "../disk/Reality.js"
import { store } from "./DiskStore.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Where the records lie; made by the first that is written. It may be a link, which is followed once. */
  readonly directory: string
  /** How the agents among the records are to be read. */
  readonly agents?: Places | undefined
  /**
   * How it is known where an open file is: by its descriptor, as on Linux, or by resolving its path again, which
   * leaves a moment between the two. As the platform allows, unless said otherwise.
   */
  readonly verification?: "descriptor" | "realpath" | undefined
}

const revisionOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): RecordsBackend.Service => {
  const verification = options.verification ?? (process.platform === "linux" ? "descriptor" : "realpath")
  const disk = { limits: limits(), reality: Reality.of(verification) }
  return service(store(disk, options.directory), options.agents ?? {}, revisionOf)
}

/**
 * Nothing is opened or made before something is read or written.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<RecordsBackend> =>
  Layer.sync(RecordsBackend, () => make(options))
