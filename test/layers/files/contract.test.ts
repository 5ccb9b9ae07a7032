/** One contract, every backend of files. */
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeFileSystem } from "@effect/platform-node"
import { afterAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Files } from "../../../src/capabilities/files/Files.js"
import { FilesBackend } from "../../../src/capabilities/files/FilesBackend.js"
import * as NodeFiles from "../../../src/layers/node/files/NodeFiles.js"
import * as PlatformFiles from "../../../src/layers/platform/PlatformFiles.js"
import * as FilesContract from "../../../src/testing/contracts/FilesContract.js"
import { holds } from "../contractHolds.js"

const directory = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-files-contract-")))

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const limits = { readBytes: 6 * 1024 * 1024, writeBytes: 8 * 1024 * 1024 }

const onDisk = FilesContract.cases({
  directory,
  limits,
  link: (target, path) => Effect.sync(() => symlinkSync(target, path))
})

for (const verification of ["descriptor", "realpath"] as const) {
  holds(`NodeFiles by ${verification}`, NodeFiles.layer({ verification, limits }), onDisk)
}
holds("NodeFiles without ripgrep", NodeFiles.layer({ ripgrep: false, limits }), onDisk)

// Races are not among its cases: it makes no promise about them.
holds(
  "PlatformFiles over the file system of Node",
  PlatformFiles.layer({ limits }).pipe(Layer.provide(NodeFileSystem.layer)),
  onDisk
)

describe("NodeFiles, one directory for all cases", () => {
  it.effect("keeps every promise while the others are kept", () =>
    Effect.forEach(onDisk, ({ run }) => run, { concurrency: 4, discard: true }).pipe(
      Effect.provide(NodeFiles.layer({ limits }))
    )
  )
})

const memory = Layer.sync(FilesBackend, () =>
  FilesBackend.fromOperations(Files.memory({ "/work/kept": "kept" }))
)

// A mock runs patterns of tests on the engine of the platform, and has neither links nor limits.
holds(
  "a mock behind the door",
  memory,
  FilesContract.cases({ directory: "/work" }).filter(({ about }) => about === "files")
)
