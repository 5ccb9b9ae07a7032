/**
 * What programs that were killed left in the journal, for who wants to know without starting a command: nothing is cleared up.
 *
 * @since 0.1.0
 */
import { Journal, Unjournaled } from "./journal.js"

/**
 * One entry. `due` is cleared up before the next command, `foreign` by its own user alone; of `unknown` nobody can tell what the
 * child could write. `unusable` is the journal itself: no command starts.
 *
 * @since 0.1.0
 * @category models
 */
export interface Leftover {
  readonly file: string
  readonly kind: "due" | "foreign" | "unknown" | "unusable"
}

const kindOf = (written: ReturnType<Journal["read"]>): Leftover["kind"] | undefined => {
  if (written === "idle") return undefined
  return written === "foreign" ? "foreign" : written === "unreadable" ? "unknown" : "due"
}

/**
 * @since 0.1.0
 * @category getters
 */
export const leftoversIn = (quarantine: string): ReadonlyArray<Leftover> => {
  const journal = new Journal(quarantine)
  try {
    return [
      ...journal.list().gone.flatMap((name): ReadonlyArray<Leftover> => {
        const kind = kindOf(journal.read(name))
        return kind === undefined ? [] : [{ file: journal.at(name), kind }]
      }),
      ...journal.kept().map((name): Leftover => ({ file: journal.at(name), kind: "unknown" }))
    ]
  } catch (error) {
    if (error instanceof Unjournaled) return [{ file: journal.directory, kind: "unusable" }]
    throw error
  }
}
