/**
 * `npm test`: every check of the repository, by name.
 *
 *     npm test                    all steps
 *     npm test -- types lint      only these
 *     npm test -- --list          the names
 */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { runSteps, summarise } from "./lib/runner.js"
import { leftOut, missingInCI } from "./lib/system.js"
import { bold } from "./lib/terminal.js"
import { steps } from "./steps/index.js"

const usage = `Usage: npm test -- [options] [step…]

Runs the given steps, or all of them.

Options:
  --jobs N   how many steps run at the same time (default: 2, or 1 on one core)
  --list     print the names of the steps
  --help     print this`

const list = () => steps.map((step) => `  ${bold(step.name.padEnd(10))} ${step.about}`).join("\n")

const refuse = (sentence: string): never => {
  console.error(sentence)
  process.exit(2)
}

const readArguments = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { jobs: { type: "string" }, list: { type: "boolean" }, help: { type: "boolean", short: "h" } }
    })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const { positionals, values } = readArguments()

if (values.help === true) {
  console.log(`${usage}\n\nSteps:\n${list()}`)
  process.exit(0)
}
if (values.list === true) {
  console.log(list())
  process.exit(0)
}

const unknown = positionals.filter((name) => !steps.some((step) => step.name === name))
if (unknown.length > 0) {
  refuse(`no such step: ${unknown.join(", ")} (there are ${steps.map((step) => step.name).join(", ")})`)
}
const jobs = values.jobs === undefined ? Math.min(2, availableParallelism()) : Number(values.jobs)
if (!Number.isInteger(jobs) || jobs < 1) refuse("--jobs takes a whole number from 1")

const missing = missingInCI()
if (missing !== undefined) refuse(`CI is set, and programs are missing; ${missing}`)

const chosen = positionals.length === 0 ? steps : steps.filter((step) => positionals.includes(step.name))
const failures = await runSteps(chosen, jobs)
const absent = leftOut()
if (absent !== undefined) console.log(absent)
summarise(chosen, failures)
process.exitCode = failures.length === 0 ? 0 : 1
