/** Paths that no policy opens: credentials to read, persistence to write. */
import type * as Request from "../Request.js"

export interface Places {
  readonly homes: ReadonlyArray<string>
  /** Trees that hold policy or state, and that no tool may write. */
  readonly guarded: ReadonlyArray<string>
}

export const forbidsFile = (_request: Request.Scoped, _places: Places): boolean => false
