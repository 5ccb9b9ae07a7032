import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

/** `bailiwick` is its sources here, as it is for the compiler (customConditions in tsconfig.json). */
const conditions = ["bailiwick-source", "node", "development|production"]

/** One fewer than the cores is the default, which on two of them is one. */
const workers = Math.max(2, availableParallelism() - 1)

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    reporters: ["dot"],
    // Files share the modules that they load: loading them anew for each would take longer than the tests.
    isolate: false,
    pool: "forks",
    // Without a bound a worker's heap grows for as long as there is memory.
    poolOptions: { forks: { execArgv: ["--max-old-space-size=1536"] } },
    maxWorkers: workers,
    // One that has nothing to do would be ended, and where that meets the end of the run the runner takes it for lost.
    minWorkers: workers,
    // Only what hangs meets these: a machine that is many times slower must not.
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
})
