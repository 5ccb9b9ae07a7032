/** Refusals of records, in words. They name ids and keys, and never what a record says. */

import type { Problem } from "../../../policy/text/Problem.js"
import { RecordsError } from "../RecordsOperations.js"

export const refused = (code: RecordsError["code"], detail: string): RecordsError =>
  new RecordsError({ code, detail })

export const invalid = (detail: string): RecordsError => refused("RECORD_INVALID", detail)

export const missing = (id: string): RecordsError => refused("RECORD_NOT_FOUND", `there is no record ${id}`)

export const exists = (id: string): RecordsError =>
  refused("RECORD_EXISTS", `there is already a record ${id}; update it, or choose another id`)

export const tooLarge = (id: string, limit: number): RecordsError =>
  invalid(`${id} is larger than the ${limit} bytes that a record may have; split it`)

/** Of a record that lies there: whoever asks may not be one who may read it. */
export const unreadable = (id: string, { code, line }: Problem): RecordsError =>
  invalid(`the front matter of ${id} cannot be read, at line ${line} (${code}); have its file corrected`)

/** Of a text that is to be written: whoever wrote it may hear what is wrong with it. */
export const unwritable = (id: string, { detail, line, remedy }: Problem): RecordsError =>
  invalid(`the text of ${id} cannot be written: at line ${line} ${detail}; ${remedy}`)
