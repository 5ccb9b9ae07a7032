/** The directory of all records. It may be a link, or not be there yet; once it is found, it is that very directory. */
import * as fs from "node:fs"
import { Effect } from "effect"
import type { RecordsError } from "../../../capabilities/records/RecordsOperations.js"
import { refused } from "../../../capabilities/records/store/Refusals.js"
import { codeOf } from "../disk/Trouble.js"

export interface Root {
  /** `undefined` when there is none. */
  readonly found: Effect.Effect<string | undefined, RecordsError>
  /** Makes it if need be. */
  readonly made: Effect.Effect<string, RecordsError>
}

const failed = (error: unknown): RecordsError =>
  refused("RECORDS_FAILED", `the directory of records cannot be used (${codeOf(error)}); have it looked at`)

const realOf = (directory: string): string | undefined => {
  try {
    return fs.realpathSync.native(directory)
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  }
}

export const root = (directory: string): Root => {
  let real: string | undefined
  const find = (): string | undefined => {
    real ??= realOf(directory)
    return real
  }
  return {
    found: Effect.try({ try: find, catch: failed }),
    made: Effect.try({
      try: () => {
        const there = find()
        if (there !== undefined && fs.existsSync(there)) return there
        fs.mkdirSync(there ?? directory, { recursive: true })
        return find() ?? directory
      },
      catch: failed
    })
  }
}
