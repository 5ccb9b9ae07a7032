/**
 * A program that runs others, one after the other, and writes down what each prints: a file for the answers, and the
 * files to run. The next has its turn when nothing is left to do for the one before, which is when that would have ended.
 */
import { writeFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

export interface Answer {
  readonly printed: string
  readonly ok: boolean
}

const [, , file = "", ...programs] = process.argv

const answers: Array<Answer> = []

let [printed, isLoaded, hasFailed] = ["", false, false]

const print = (text: string | Uint8Array, ...rest: ReadonlyArray<unknown>): boolean => {
  printed += typeof text === "string" ? text : new TextDecoder().decode(text)
  const written = rest.find((one) => typeof one === "function")
  if (written !== undefined) process.nextTick(written)
  return true
}
process.stdout.write = print

const fail = (): void => {
  hasFailed = true
}
process.on("uncaughtException", fail).on("unhandledRejection", fail)

// Whoever ends the program ends it for those behind it, which then have no answer.
process.on("exit", () => writeFileSync(file, JSON.stringify(answers)))

const start = (): void => {
  const program = programs[answers.length]
  if (program === undefined) return
  ;[printed, isLoaded, hasFailed] = ["", false, false]
  import(pathToFileURL(program).href).then(() => {
    isLoaded = true
  }, fail)
  process.once("beforeExit", () => {
    answers.push({ printed, ok: isLoaded && !hasFailed && (process.exitCode ?? 0) === 0 })
    process.exitCode = undefined
    start()
  })
}

start()
