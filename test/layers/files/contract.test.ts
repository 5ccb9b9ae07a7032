/** One contract, every backend of files. */
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Files } from "../../../src/capabilities/files/Files.js"
import { FilesBackend } from "../../../src/capabilities/files/FilesBackend.js"
import * as NodeFiles from "../../../src/layers/node/files/NodeFiles.js"
import * as FilesContract from "../../../src/testing/contracts/FilesContract.js"
import { holds } from "./contractHolds.js"

const directory = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-files-contract-")))

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const limits = { readBytes: 6 * 1024 * 1024, writeBytes: 8 * 1024 * 1024 }

const onDisk = FilesContract.cases({
  directory,
  limits,
  link: (target, path) => Effect.sync(() => symlinkSync(target, path))
})

const verbs = "an operation takes the proof of its own verb, and no other"
const facets = "a proof of something else opens no file"

const notOnDisk = new Map([
  [verbs, "NodeFiles.make gives every proof to its operation without a look at its verb"],
  [facets, "FilesBackend.pathOf takes a proof without a path for one of the root"]
])

for (const verification of ["descriptor", "realpath"] as const) {
  holds(`NodeFiles by ${verification}`, NodeFiles.layer({ verification, limits }), onDisk, notOnDisk)
}
holds("NodeFiles without ripgrep", NodeFiles.layer({ ripgrep: false, limits }), onDisk, notOnDisk)

describe("NodeFiles, one directory for all cases", () => {
  it.effect("keeps every promise while the others are kept", () =>
    Effect.forEach(
      onDisk.filter(({ name }) => !notOnDisk.has(name)),
      ({ run }) => run,
      { concurrency: 4, discard: true }
    ).pipe(Effect.provide(NodeFiles.layer({ limits })))
  )
})

const memory = Layer.sync(FilesBackend, () =>
  FilesBackend.fromOperations(Files.memory({ "/work/kept": "kept" }))
)

// A mock runs patterns of tests on the engine of the platform, and has neither links nor limits.
holds(
  "a mock behind the door",
  memory,
  FilesContract.cases({ directory: "/work" }).filter(({ about }) => about === "files"),
  new Map([
    [verbs, "FilesBackend.fromOperations takes the path of any proof"],
    [facets, "FilesBackend.fromOperations takes the path of any proof"],
    [
      "the path is that of the proof, whatever else is given",
      "fromOperations spreads range and query over the path of the proof"
    ],
    [
      "a search looks only where its holder may read",
      "fromOperations asks nothing about the files below a directory"
    ],
    [
      "a directory that holds what may not be deleted stays whole",
      "fromOperations asks nothing about the files below a directory"
    ],
    [
      "no directory is made below a file, however deep",
      "memoryTree makes what is missing above without a look"
    ],
    [
      "a line ends with either newline, and the last newline begins no line",
      "memoryTree splits at \\n alone, and takes what follows the last one for a line"
    ]
  ])
)
