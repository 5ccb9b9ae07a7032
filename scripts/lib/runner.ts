import type { Result, Step } from "./step.js"
import { failed } from "./step.js"
import { bold, dim, green, red, transient } from "./terminal.js"

const print = (line: string) => {
  transient("")
  console.log(line)
}

const secondsSince = (start: number) => `${((performance.now() - start) / 1000).toFixed(1)} s`

const report = (step: Step, result: Result, seconds: string, width: number) => {
  const mark = result.ok ? green("✓") : red("✗")
  const note = result.note === undefined ? "" : dim(`  ${result.note}`)
  print(`${mark} ${step.name.padEnd(width)} ${dim(seconds.padStart(8))}${note}`)
  if (!result.ok) print(`\n${result.output.trimEnd()}\n`)
}

/**
 * Runs every step, `jobs` at a time and in the given order, whatever the others find. A step that throws has
 * failed. Returns the names of those that failed, in the order of the list.
 */
export const runSteps = async (steps: ReadonlyArray<Step>, jobs: number): Promise<ReadonlyArray<string>> => {
  const width = Math.max(...steps.map((step) => step.name.length))
  const waiting = [...steps]
  const running = new Map<string, number>()
  const failures = new Set<string>()

  const showRunning = () =>
    transient(dim([...running].map(([name, start]) => `… ${name} ${secondsSince(start)}`).join("   ")))
  const ticker = setInterval(showRunning, 500)

  const work = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const start = performance.now()
      running.set(step.name, start)
      showRunning()
      const result = await step
        .run()
        .catch((error: unknown) =>
          failed(error instanceof Error ? (error.stack ?? error.message) : String(error))
        )
      running.delete(step.name)
      if (!result.ok) failures.add(step.name)
      report(step, result, secondsSince(start), width)
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))

  clearInterval(ticker)
  transient("")
  return steps.map((step) => step.name).filter((name) => failures.has(name))
}

/** The last line is for people and for scripts that read the log: exactly one of it, always in this form. */
export const summarise = (steps: ReadonlyArray<Step>, failures: ReadonlyArray<string>) => {
  if (failures.length > 0) print(`\n${red("failed:")} ${failures.join(", ")}`)
  print(bold(`steps: ${steps.length - failures.length} passed, ${failures.length} failed`))
}
