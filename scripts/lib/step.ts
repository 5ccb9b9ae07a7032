import type { Finished } from "./command.js"

/** What a step found. The output is shown when the step failed, the note when it passed. */
export interface Result {
  readonly ok: boolean
  readonly output: string
  readonly note?: string
}

export interface Step {
  readonly name: string
  readonly about: string
  readonly run: () => Promise<Result>
}

const passed = (note?: string): Result => ({
  ok: true,
  output: "",
  ...(note === undefined ? {} : { note })
})

export const failed = (output: string): Result => ({ ok: false, output })

/** Passes when there is nothing to complain about. */
export const fromProblems = (problems: ReadonlyArray<string>, note?: string): Result =>
  problems.length === 0 ? passed(note) : failed(problems.join("\n"))

export const fromCommand = (finished: Finished, note?: string): Result =>
  finished.ok ? passed(note) : failed(finished.output)

/** Joins the findings of the parts of a step, `atOnce` of which run at a time; every part is run, so that one run shows all. */
export const inOrder = async (parts: ReadonlyArray<() => Promise<Result>>, atOnce = 1): Promise<Result> => {
  const results: Array<Result> = []
  const waiting = [...parts.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, part] = next
      results[index] = await part()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const notes = results.flatMap((result) => (result.note === undefined ? [] : [result.note]))
  return results.every((result) => result.ok)
    ? passed(notes.length === 0 ? undefined : notes.join(", "))
    : failed(results.flatMap((result) => (result.ok ? [] : [result.output])).join("\n"))
}
