/**
 * The unit tests in parts, one after the other, each with workers of its own. Test files share the modules that they
 * load, and what they leave behind adds up in a worker for as long as it lives.
 */
import { availableParallelism } from "node:os"

const PARTS = 2

/** Many tests wait for processes of their own: twice as many workers as cores keep these busy meanwhile. */
const WORKERS = Math.min(8, 2 * Math.max(2, availableParallelism()))

/** The arguments of the test runner, part by part. */
export const shards: ReadonlyArray<ReadonlyArray<string>> = Array.from({ length: PARTS }, (_, index) => [
  "run",
  `--shard=${index + 1}/${PARTS}`,
  `--maxWorkers=${WORKERS}`,
  `--minWorkers=${WORKERS}`
])
