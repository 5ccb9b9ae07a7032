/** Loads modules of the workspace into this process, whose output, end and failures stay the program's own. */
import { pathToFileURL } from "node:url"
import { redirectChildren } from "./childrenOfTools.js"
import { reserve } from "./output.js"
import { redirectWrites } from "./writesOfTools.js"

const FAILED = 2

const say = (sentence: string): void => {
  process.stderr.write(`bailiwick: ${sentence}\n`)
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "what is no error")

interface State {
  /** The module that is loaded at the moment. */
  loads: string | undefined
  /** Whether others are served, who are not to suffer from it. */
  outlasts: boolean
}

/**
 * What a module leaves running may fail when nobody waits for it. Its message is not shown, and no stack trace. A promise that
 * nobody waited for leaves the rest as it was; of what is thrown past everybody that cannot be said.
 */
const guard = (state: State, abort: (code: number) => void): void => {
  const failed = (error: unknown): void => {
    say(
      `code of the tools of this workspace failed where nothing waited for it (${nameOf(error)}); catch it where it fails`
    )
    if (state.loads === undefined) return
    state.loads = undefined
    process.exit(FAILED)
  }
  process.on("uncaughtException", (error) => {
    failed(error)
    abort(FAILED)
  })
  process.on("unhandledRejection", (error) => {
    failed(error)
    if (!state.outlasts) abort(FAILED)
  })
  // A module that ends the program, or waits for what never comes, would end it in silence.
  process.on("exit", () => {
    if (state.loads === undefined) return
    say(`${state.loads} ended the program while it was loaded, or waits for what never comes; mend it`)
    process.exitCode = FAILED
  })
}

export interface Loading {
  readonly load: (file: string) => Promise<unknown>
  /** From now on a promise that fails where nobody waits for it is said, and ends nothing. */
  readonly outlast: () => void
}

export const loading = (abort: (code: number) => void): Loading => {
  const state: State = { loads: undefined, outlasts: false }
  let guarded = false
  const load = async (file: string): Promise<unknown> => {
    if (!guarded) {
      guard(state, abort)
      reserve()
      redirectChildren()
      redirectWrites()
    }
    guarded = true
    state.loads = file
    try {
      return await import(pathToFileURL(file).href)
    } finally {
      state.loads = undefined
    }
  }
  return {
    load,
    outlast: () => {
      state.outlasts = true
    }
  }
}
