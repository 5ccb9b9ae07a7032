/**
 * Files of whatever platform a program runs on. It is weaker than the backend of Node: it resolves a path, asks, and then opens
 * the path, and who swaps a directory for a link in between is not noticed.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Layer } from "effect"
import { FilesBackend } from "../../capabilities/files/FilesBackend.js"
import type { FilesError } from "../../capabilities/files/FilesOperations.js"
import * as Quota from "../../capabilities/files/Quota.js"
import { removeAt, renameAt } from "./filesMove.js"
import { type Limits as Bounds, fail, type Given, located, namesIn, type Place } from "./filesReach.js"
import { entriesAt, readAt, statAt } from "./filesRead.js"
import { search } from "./filesSearch.js"
import { appendAt, createAt, makeAllAt, makeAt, writeAt } from "./filesWrite.js"

/**
 * How much one operation may touch.
 *
 * @since 0.1.0
 * @category models
 */
export type Limits = Bounds

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly limits?: Partial<Limits>
  /** How much the tools of a turn, and those of a session, may write. */
  readonly quota?: Quota.Given
}

const MiB = 1024 * 1024

const limitsOf = (given: Partial<Limits> = {}): Limits => {
  const all: Limits = {
    readBytes: 64 * MiB,
    writeBytes: 64 * MiB,
    entries: 100_000,
    searchFileBytes: 8 * MiB,
    matches: 10_000,
    ...given
  }
  for (const [name, value] of Object.entries(all)) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new RangeError(`the limit '${name}' is not a whole number from 1 on`)
    }
  }
  return all
}

/**
 * Makes the backend, without a layer.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (fs: FileSystem.FileSystem, options: Options = {}): FilesBackend.Service => {
  const place: Place = { fs, limits: limitsOf(options.limits) }
  const { limits } = place
  const appending = Effect.unsafeMakeSemaphore(1)

  const write =
    (
      leaf: "follow" | "keep",
      attempt: (place: Place, path: string, content: Uint8Array) => Effect.Effect<void, FilesError>
    ) =>
    (proof: Given, content: Uint8Array): Effect.Effect<void, FilesError> =>
      content.byteLength > limits.writeBytes
        ? fail(
            "LIMIT_EXCEEDED",
            `${content.byteLength} bytes are more than the ${limits.writeBytes} that are written at once; write several files, or append in parts`
          )
        : located(place, proof, "write", leaf, (path) => attempt(place, path, content))
  const append = write("follow", appendAt)

  return FilesBackend.guarded({
    quota: Quota.quotaOf(options.quota),
    readBytes: (proof, range) =>
      located(place, proof, "read", "follow", (path) => readAt(place, path, range, limits.readBytes)),
    writeBytes: write("follow", writeAt),
    // One after the other, since the platform may write in several pieces.
    appendBytes: (proof, content) => appending.withPermits(1)(append(proof, content)),
    createBytes: write("keep", createAt),
    list: (proof) => located(place, proof, "read", "follow", (path) => namesIn(place, path)),
    entries: (proof) => located(place, proof, "read", "follow", (path) => entriesAt(place, proof, path)),
    stat: (proof) => located(place, proof, "read", "follow", (path) => statAt(place, path)),
    mkdir: (proof, { private: isPrivate, recursive }) =>
      located(place, proof, "write", recursive ? "follow" : "keep", (path) =>
        recursive ? makeAllAt(place, proof, path) : makeAt(place, path, isPrivate)
      ),
    remove: (proof, { recursive }) =>
      located(place, proof, "delete", "keep", (path) => removeAt(place, proof, path, recursive)),
    rename: (proofs, moving) =>
      located(place, proofs.from, "delete", "keep", (from) =>
        located(place, proofs.to, "write", "keep", (to) => renameAt(place, proofs, moving, from, to))
      ),
    search: (proof, query) => search(place, proof, query)
  })
}

/**
 * Files of the platform's `FileSystem`, for Bun, for browsers and for tests. On Node, use `NodeFiles`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options?: Options): Layer.Layer<FilesBackend, never, FileSystem.FileSystem> =>
  Layer.effect(
    FilesBackend,
    Effect.map(FileSystem.FileSystem, (fs) => make(fs, options))
  )
