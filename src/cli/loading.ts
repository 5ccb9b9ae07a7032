/** Loads modules of the workspace into this process, whose output, end and failures stay the program's own. */
import { pathToFileURL } from "node:url"
import { redirectChildren } from "./childrenOfTools.js"
import { reserve } from "./output.js"

const FAILED = 2

const say = (sentence: string): void => {
  process.stderr.write(`bailiwick: ${sentence}\n`)
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "what is no error")

/** What a module leaves running may fail when nobody waits for it. Its message is not shown, and no stack trace. */
const guard = (state: { loads: string | undefined }, abort: (code: number) => void): void => {
  const failed = (error: unknown): void => {
    say(
      `code of the tools of this workspace failed where nothing waited for it (${nameOf(error)}); catch it where it fails`
    )
    if (state.loads === undefined) abort(FAILED)
    else {
      state.loads = undefined
      process.exit(FAILED)
    }
  }
  process.on("uncaughtException", failed)
  process.on("unhandledRejection", failed)
  // A module that ends the program, or waits for what never comes, would end it in silence.
  process.on("exit", () => {
    if (state.loads === undefined) return
    say(`${state.loads} ended the program while it was loaded, or waits for what never comes; mend it`)
    process.exitCode = FAILED
  })
}

export const loading = (abort: (code: number) => void): ((file: string) => Promise<unknown>) => {
  const state: { loads: string | undefined } = { loads: undefined }
  let guarded = false
  return async (file) => {
    if (!guarded) {
      guard(state, abort)
      reserve()
      redirectChildren()
    }
    guarded = true
    state.loads = file
    try {
      return await import(pathToFileURL(file).href)
    } finally {
      state.loads = undefined
    }
  }
}
