/** How the unit tests are run: by more workers than there are cores, because many tests wait for processes of their own. */
import { availableParallelism } from "node:os"

const WORKERS = Math.min(8, 2 * Math.max(2, availableParallelism()))

/** The arguments of the test runner. */
export const unitTests: ReadonlyArray<string> = ["run", `--maxWorkers=${WORKERS}`, `--minWorkers=${WORKERS}`]
