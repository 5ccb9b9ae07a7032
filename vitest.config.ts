import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

/** `bailiwick` is its sources here, as it is for the compiler (customConditions in tsconfig.json). */
const conditions = ["bailiwick-source", "module", "node", "development|production"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    reporters: ["dot"],
    // One fewer than the cores is the default, which on two of them is one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // A property test runs ten thousand cases and more.
    testTimeout: 120_000,
    hookTimeout: 60_000
  }
})
