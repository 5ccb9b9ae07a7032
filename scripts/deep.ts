/**
 * `npm run test:deep`: the unit tests with ten times the cases and with the storms that take long, then the mutants. The
 * seed is printed first; `BAILIWICK_SEED=N npm run test:deep` draws the same cases again. Names of files run only those.
 */
import { spawnSync } from "node:child_process"
import { commandOf, root } from "./lib/project.js"
import { unitTests } from "./lib/unitTests.js"
import { mutants } from "./mutants.js"

const seed = process.env.BAILIWICK_SEED ?? String((Math.random() * 2 ** 31) | 0)
const files = process.argv.slice(2)
console.log(`seed: ${seed}`)

const passes = (args: ReadonlyArray<string>): boolean =>
  spawnSync(process.execPath, [commandOf("vitest"), ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, BAILIWICK_DEEP: "1", BAILIWICK_SEED: seed }
  }).status === 0

const hold = passes(files.length === 0 ? unitTests : ["run", ...files])
process.exitCode = hold && (files.length > 0 || (await mutants())) ? 0 : 1
