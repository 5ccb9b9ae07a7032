/** What no tool may change or read, whoever asks: authority, secrets or the state of all are there. */
import type * as Floor from "../Floor.js"
import type { Places } from "./personalityPaths.js"

export interface FloorPlaces extends Places {
  readonly guarded?: ReadonlyArray<string> | undefined
  readonly closed?: ReadonlyArray<string> | undefined
}

const CONFIG = "/config.yaml"

/** The files that authority is read from, whether they are there or not. */
const filesOf = (file: string): ReadonlyArray<string> => {
  if (!file.startsWith("/")) return []
  return file.endsWith(CONFIG) ? [file, `${file.slice(0, -CONFIG.length)}/toolset.yaml`] : [file]
}

/** `file` is the one that the authority at hand is read from. */
export const floorOf = (
  file: string,
  { closed = [], guarded = [], home, real, workspace }: FloorPlaces
): Floor.Floor => {
  const own = (...names: ReadonlyArray<string>) =>
    workspace === undefined ? [] : names.map((name) => `${workspace}/${name}`)
  const both = (paths: ReadonlyArray<string>) => [
    ...new Set(paths.flatMap((path) => [path, real?.(path) ?? path]))
  ]
  return {
    homes: home === undefined ? [] : both([home]),
    guarded: both([...filesOf(file), ...own("bailiwick.yaml", "personalities"), ...guarded]),
    closed: both([...own(".bailiwick", ".env"), ...closed])
  }
}
