/** The directories that `bailiwick.yaml` names, absolute and in one spelling. */
import { Either } from "effect"
import { parseTree, path } from "../../policy/lattice/dimensions/Path.js"
import { scopeProblem } from "../../policy/lattice/ScopeProblem.js"
import type { Reading } from "../../policy/text/Problem.js"
import { quote } from "../../policy/text/Quote.js"
import { problem } from "../../policy/text/StrictYaml.js"
import type { Text } from "../../policy/text/YamlShape.js"

/** Where the workspace is, and what `~` stands for. */
export interface Around {
  readonly root: string
  readonly home: string | undefined
}

const WORKSPACE = "$" + "{WORKSPACE}"

/** How a path starts that cannot be taken for a word. */
export const starts = `'/', '~/', './' or '${WORKSPACE}/'`

export const looksLikePath = (text: string): boolean => /^(?:\/|~|\.{1,2}(?:\/|$)|\$\{)/.test(text)

const startingAt = (text: string, start: string): boolean => text === start || text.startsWith(`${start}/`)

const absolute = (given: Text, { home, root }: Around): Reading<string> => {
  const { text } = given
  const refuse = (detail: string, remedy: string) => problem("PATH_INVALID", given, detail, remedy)
  if (startingAt(text, "~")) {
    return home === undefined
      ? refuse(`${quote(text)} starts at a home, and there is none here`, "write the whole path")
      : Either.right(`${home}${text.slice(1)}`)
  }
  if (text.startsWith("~")) return refuse(`${quote(text)} names another home`, "write the whole path")
  if (startingAt(text, WORKSPACE)) return Either.right(`${root}${text.slice(WORKSPACE.length)}`)
  if (text.includes("${")) {
    return refuse(`${quote(text)} holds a variable that is none here`, `start it with ${starts}`)
  }
  return Either.right(text.startsWith("/") ? text : `${root}/${text}`)
}

/** Relative ones start at the workspace. `..` is refused: what it names depends on links. */
export const directory = (given: Text, around: Around): Reading<string> =>
  Either.gen(function* () {
    const whole = yield* absolute(given, around)
    yield* Either.mapLeft(parseTree(whole), scopeProblem(given))
    const segments = yield* Either.mapLeft(path.element(whole), scopeProblem(given))
    return `/${segments.join("/")}`
  })
