/** A record as it is read: its front matter as data, and what everybody asks of it. */
import { Either } from "effect"
import { recordClass } from "../lattice/dimensions/Name.js"
import type { At, Problem } from "../text/Problem.js"
import { problem, RECORD, readYaml } from "../text/StrictYaml.js"
import { type Data, fromEntries, fromYaml } from "./Data.js"
import { type Split, split } from "./FrontMatter.js"
import { simple } from "./simple.js"

export interface RecordText {
  readonly frontMatter: Data
  readonly class: string
  readonly title?: string
  readonly tags: ReadonlyArray<string>
  /** All that follows the front matter, byte for byte. */
  readonly body: string
  /** The line of the file that a key of the front matter stands on. */
  readonly yamlLine: (key: string) => number | undefined
}

/** The class of a record that names none. */
export const UNCLASSED = "record"

interface Matter {
  readonly frontMatter: Data
  readonly place: (key: string) => At | undefined
}

const START: At = { line: 1, column: 1 }

const strict = ({ above, yaml }: Split): Either.Either<Matter, Problem> =>
  // Empty lines in place of what is above, so that every line that is spoken of is one of the file.
  Either.flatMap(readYaml("\n".repeat(above) + yaml, RECORD), (root): Either.Either<Matter, Problem> => {
    if (root === undefined) return Either.right({ frontMatter: fromEntries([]), place: () => undefined })
    if (root._tag !== "Mapping") {
      return problem(
        "VALUE_INVALID",
        root.at,
        "the front matter is not a mapping",
        "write it in lines of 'key: value'"
      )
    }
    return Either.right({
      frontMatter: fromEntries([...root.entries].map(([key, { value }]) => [key, fromYaml(value)] as const)),
      place: (key) => root.entries.get(key)?.at
    })
  })

const classOf = ({ frontMatter, place }: Matter): Either.Either<string, Problem> => {
  if (!("class" in frontMatter)) return Either.right(UNCLASSED)
  const value = frontMatter.class
  return typeof value === "string" && value.trim() === value && Either.isRight(recordClass.element(value))
    ? Either.right(value)
    : problem(
        "VALUE_INVALID",
        place("class") ?? START,
        "'class' is not one word on one line",
        "write 'class: note', or delete it"
      )
}

const titleOf = ({ title }: Data): { readonly title?: string } =>
  typeof title === "string" && title.trim() !== "" ? { title } : {}

const tagsOf = ({ tags }: Data): ReadonlyArray<string> =>
  (Array.isArray(tags) ? tags : [tags]).filter((tag) => typeof tag === "string")

const reading =
  (matterOf: (parts: Split) => Either.Either<Matter, Problem>) =>
  (text: string): Either.Either<RecordText, Problem> =>
    Either.gen(function* () {
      const parts = yield* split(text)
      const matter = yield* matterOf(parts)
      const { frontMatter } = matter
      return {
        frontMatter,
        class: yield* classOf(matter),
        ...titleOf(frontMatter),
        tags: tagsOf(frontMatter),
        body: parts.body,
        yamlLine: (key) => matter.place(key)?.line
      }
    })

/** Without the shorter way: what `read` must agree with. */
export const readStrictly = reading(strict)

export const read = reading((parts) => {
  const found = simple(parts.yaml)
  if (found === undefined) return strict(parts)
  const at = (key: string): At | undefined => {
    const line = found.lineOf(key)
    return line === undefined ? undefined : { line: line + parts.above, column: 1 }
  }
  return Either.right({ frontMatter: found.frontMatter, place: at })
})

/** The front matter, where it is plain enough to be seen at a glance. */
export const glance = (text: string): Data | undefined =>
  Either.match(split(text), {
    onLeft: () => undefined,
    onRight: ({ yaml }) => simple(yaml)?.frontMatter
  })
