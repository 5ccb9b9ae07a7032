/**
 * Files on the disk of this machine. The backend opens only what was permitted: it asks every descriptor where it
 * really is before it uses it, and makes changes through the handle of a directory that was asked the same.
 *
 * @since 0.1.0
 */
import { homedir } from "node:os"
import { resolve } from "node:path"
import { Effect, Layer } from "effect"
import { FilesBackend } from "../../../capabilities/files/FilesBackend.js"
import type { FilesError } from "../../../capabilities/files/FilesOperations.js"
import * as Quota from "../../../capabilities/files/Quota.js"
import { type Environment, movedBy } from "../../../policy/gate/floor/Moved.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type * as Request from "../../../policy/lattice/Request.js"
import type { Disk } from "../disk/Disk.js"
import * as Kept from "../disk/Kept.js"
import * as Bounds from "../disk/Limits.js"
import { readAt } from "../disk/Read.js"
import * as Reality from "../disk/Reality.js"
import { fail, type Trouble, type Verb } from "../disk/Trouble.js"
import * as Bwrap from "../sandbox/Bwrap.js"
import { appendAt } from "./append.js"
import { located, type Place } from "./links.js"
import { entriesAt, listAt } from "./list.js"
import { makeAllAt, makeAt } from "./makeDirectory.js"
import { removeAt } from "./remove.js"
import { rename } from "./rename.js"
import * as Ripgrep from "./ripgrep.js"
import { search } from "./search.js"
import { statAt } from "./stat.js"
import { createAt, writeAt } from "./write.js"

/**
 * How much one operation may touch.
 *
 * @since 0.1.0
 * @category models
 */
export type Limits = Bounds.Limits

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly limits?: Partial<Limits>
  /** How much the tools of a turn, and those of a session, may write. */
  readonly quota?: Quota.Given
  /**
   * The ripgrep that speeds up searches, where the kernel can hold it: a path, or `false` for none. Without it, the first on
   * the search path.
   */
  readonly ripgrep?: string | false
  /**
   * How the backend finds out where an open file is: by its descriptor, as on Linux, or by resolving its path again,
   * which leaves a moment between the two. The default is the better one that the platform allows.
   */
  readonly verification?: "descriptor" | "realpath"
  /** Its variables say where histories and credentials are that are not in the usual places. Without it, the process's. */
  readonly environment?: Environment
}

const at = (proof: Proof<Request.Scoped>, verb: Verb, leaf: Place["leaf"] = "follow"): Place => ({
  proof,
  verb,
  leaf
})

const isCount = (value: number | undefined): boolean =>
  value === undefined || (Number.isSafeInteger(value) && value >= 0)

/** A variable that names where everything is would close everything. */
const closeMoved = (environment: Environment): void => {
  const wide = [homedir(), process.cwd()].map((path) => `${path}/`)
  for (const [given, reason] of movedBy(environment)) {
    const path = resolve(given)
    if (path !== "/" && !wide.some((one) => one.startsWith(`${path}/`))) Kept.close(path, { reason })
  }
}

const ripgrepOf = (given: Options["ripgrep"]): Ripgrep.Ripgrep =>
  given === undefined ? Ripgrep.find(process.env.PATH) : given === false ? undefined : Ripgrep.at(given)

/**
 * Makes the backend, without a layer.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): FilesBackend.Service => {
  const verification = options.verification ?? (process.platform === "linux" ? "descriptor" : "realpath")
  const disk: Disk = {
    limits: Bounds.limits(options.limits),
    reality: Reality.of(verification),
    isKept: Kept.isKept
  }
  const ripgrep = ripgrepOf(options.ripgrep)
  closeMoved(options.environment ?? process.env)
  const { limits } = disk

  const read: FilesBackend.Service["readBytes"] = (proof, range) => {
    if (!isCount(range.offset) || !isCount(range.length)) {
      return fail("FILES_FAILED", "offset and length are whole numbers from 0 on")
    }
    return located(at(proof, "read"), (path) => readAt(disk, path, range, limits.readBytes))
  }

  const write =
    (
      leaf: Place["leaf"],
      attempt: (disk: Disk, path: string, content: Uint8Array) => Effect.Effect<void, FilesError | Trouble>
    ): FilesBackend.Service["writeBytes"] =>
    (proof, content) =>
      content.byteLength > limits.writeBytes
        ? fail(
            "LIMIT_EXCEEDED",
            `${content.byteLength} bytes are more than the ${limits.writeBytes} that are written at once; write several files, or append in parts`
          )
        : located(at(proof, "write", leaf), (path) => attempt(disk, path, content))

  return FilesBackend.guarded({
    quota: Quota.quotaOf(options.quota),
    readBytes: read,
    writeBytes: write("follow", writeAt),
    appendBytes: write("follow", appendAt),
    // A link at the end is something that exists, wherever it leads.
    createBytes: write("keep", createAt),
    list: (proof) => located(at(proof, "read"), (path) => listAt(disk, path)),
    entries: (proof) => located(at(proof, "read"), (path) => entriesAt(disk, proof, path)),
    stat: (proof) => located(at(proof, "read"), (path) => statAt(disk, path)),
    mkdir: (proof, { private: isPrivate, recursive }) => {
      // A link at the end is something that exists; only on the way to more is it followed.
      const place = at(proof, "write", recursive ? "follow" : "keep")
      return located(place, (path) =>
        recursive ? makeAllAt(disk, place, path) : makeAt(disk, path, isPrivate)
      )
    },
    remove: (proof, { recursive }) => {
      const place = at(proof, "delete", "keep")
      return located(place, (path) => removeAt(disk, place, path, recursive))
    },
    rename: (proofs, options) => rename(disk, proofs, options),
    search: (proof, query) => search(disk, ripgrep, proof, query)
  })
}

/**
 * Reads and writes files on this machine, where the policy permits it.
 *
 * @example
 * ```ts
 * import { NodeFiles } from "bailiwick/node"
 *
 * export const files = NodeFiles.layer({ limits: { readBytes: 1024 * 1024 }, ripgrep: false })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options?: Options): Layer.Layer<FilesBackend> =>
  Layer.scoped(
    FilesBackend,
    Effect.map(Bwrap.lasting, () => make(options))
  )
