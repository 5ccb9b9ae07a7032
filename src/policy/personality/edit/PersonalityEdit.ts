/**
 * Changes what a personality allows, as an edit of its text: what is not changed keeps its bytes. What is written is read
 * again, and given out only if it allows what was asked for.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Authority from "../../lattice/Authority.js"
import { editList } from "../../record/ListEdit.js"
import { groundsOf } from "../authority.js"
import { readConfig } from "../file.js"
import * as Personality from "../Personality.js"
import { trimmedLists } from "./lists.js"

/**
 * An entry, and what stands in its place: itself where it stays, and none where it goes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Trimming {
  /** The key of its list: `fs_reach.read`. */
  readonly key: string
  readonly text: string
  readonly line: number
  readonly stays: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Trimmed {
  readonly text: string
  readonly changed: boolean
  /** The personality as it is read from the text. */
  readonly personality: Personality.Personality
  readonly entries: ReadonlyArray<Trimming>
}

const isKept = ({ stays, text }: Pick<Trimming, "stays" | "text">): boolean =>
  stays.length === 1 && stays[0] === text

const BY_HAND = "edit the file by hand"

/** The sections that are left to tools, and what they may get of them. */
const leavesAlike = (
  before: Personality.Personality,
  after: Personality.Personality,
  to: Authority.Authority
): boolean =>
  JSON.stringify(after.asDeclared) === JSON.stringify(before.asDeclared) &&
  Authority.within(after.ceiling, before.ceiling) &&
  Authority.within(
    Authority.meet(before.ceiling, Authority.pick(to, ...before.asDeclared)),
    Authority.meet(after.ceiling, Authority.pick(to, ...before.asDeclared))
  )

/**
 * Cuts every entry down to what an authority needs of it. The personality then allows all of that authority that it allowed,
 * and nothing that it did not allow. It says why that cannot be written, where it cannot.
 *
 * @since 0.1.0
 * @category editing
 */
export const trim = (
  sources: Personality.Sources,
  to: Authority.Authority,
  places: Personality.Places
): Either.Either<Trimmed, string> =>
  Either.gen(function* () {
    const { config } = sources
    const before = yield* Either.mapLeft(Personality.parse(sources, places), ({ message }) => message)
    const file = yield* Either.mapLeft(readConfig(config.text), ({ detail }) => detail)
    const grounds = yield* Either.mapLeft(groundsOf(file, places), ({ detail }) => detail)
    const lists = trimmedLists({ file, grounds, places, to })
    let text = config.text
    for (const { entries, path, written } of lists) {
      const fates = entries.map((one) => (isKept(one) ? ("keep" as const) : one.stays.map(written)))
      const made = editList(text, path, fates)
      if (made === undefined) {
        return yield* Either.left(
          `'${path.join(".")}' of ${config.file} is written in a way that cannot be changed in part; ${BY_HAND}`
        )
      }
      text = made
    }
    const read = Personality.parse({ ...sources, config: { ...config, text } }, places)
    const isSound =
      Either.isRight(read) &&
      Authority.within(read.right.authority, before.authority) &&
      Authority.within(Authority.meet(before.authority, to), read.right.authority) &&
      leavesAlike(before, read.right, to)
    if (!isSound)
      return yield* Either.left(`${config.file} cannot be changed so that it says exactly that; ${BY_HAND}`)
    return {
      text,
      changed: text !== config.text,
      personality: read.right,
      entries: lists.flatMap(({ entries, path }) => entries.map((one) => ({ key: path.join("."), ...one })))
    }
  })
