import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** `bailiwick` is its sources here, as it is for the compiler (customConditions in tsconfig.json). */
const conditions = ["bailiwick-source", "node", "development|production"]

/** One fewer than the cores is the default, which on two of them is one. */
const workers = Math.max(2, availableParallelism() - 1)

/** What waits longest comes first: what would come last has nothing beside it to wait with. */
const LONG = /\/test\/(?:cluster|isolated|postgres|mcp|examples|cli\/isolated|layers\/process)/

class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    sequence: { sequencer: LongFirst },
    reporters: ["dot"],
    // Files share the modules that they load: loading them anew for each would take longer than the tests.
    isolate: false,
    pool: "forks",
    // Without a bound a worker's heap grows for as long as there is memory.
    poolOptions: { forks: { execArgv: ["--max-old-space-size=2048"] } },
    maxWorkers: workers,
    // One that has nothing to do would be ended, and where that meets the end of the run the runner takes it for lost.
    minWorkers: workers,
    // Only what hangs meets these: a machine that is many times slower must not.
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
})
