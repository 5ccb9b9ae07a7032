/** The directories that a personality names, absolute, with what they really are. */
import { Either } from "effect"
import { parseTree } from "../lattice/dimensions/Path.js"
import type { Glob } from "../lattice/Glob.js"
import { scopeProblem } from "../lattice/ScopeProblem.js"
import type { Reading } from "../text/Problem.js"
import { quote } from "../text/Quote.js"
import { problem } from "../text/StrictYaml.js"
import type { Text } from "../text/YamlShape.js"

/** What `~`, `${CWD}` and `${WORKSPACE}` stand for, and where a path really leads. */
export interface Variables {
  readonly home?: string | undefined
  readonly workdir: string
  readonly workspace?: string | undefined
  /** The real path of one that may be a link; without it, paths are taken as they are written. */
  readonly real?: ((path: string) => string) | undefined
}

/** A root as it was written, as a path, and where that leads when a link stands in between. */
export interface Root {
  readonly written: string
  readonly path: string
  readonly real: string
  readonly trees: ReadonlyArray<Glob>
}

const variable = (name: string): string => `\${${name}}`

export const CWD = variable("CWD")

const WORKSPACE = variable("WORKSPACE")

const VARIABLE = /^\$\{([^}]*)\}(?=\/|$)/

/** A directory that is empty would make a token stand for the root of all files. */
export const startOf = (given: Text, token: string, what: string, directory: string): Reading<string> =>
  directory.startsWith("/")
    ? Either.right(directory)
    : problem(
        "PATH_INVALID",
        given,
        `'${token}' stands for the ${what}, and that is ${directory === "" ? "empty" : `${quote(directory)}, which is not absolute`}`,
        `give the ${what} as an absolute path`
      )

const base = (given: Text, places: Variables): Reading<{ readonly start: string; readonly rest: string }> => {
  const { text } = given
  const refuse = (detail: string, remedy: string) => problem("PATH_INVALID", given, detail, remedy)
  const below = (token: string, what: string, directory: string, rest: string) =>
    Either.map(startOf(given, token, what, directory), (start) => ({ start, rest }))
  if (text === "~" || text.startsWith("~/")) {
    return places.home === undefined
      ? refuse(`${quote(text)} starts at a home, and there is none here`, "write the whole path")
      : below("~", "home", places.home, text.slice(1))
  }
  if (text.startsWith("~")) return refuse(`${quote(text)} names another home`, "write the whole path")
  const [matched = "", name] = VARIABLE.exec(text) ?? []
  const rest = text.slice(matched.length)
  if (rest.includes("${")) {
    return refuse(
      `${quote(text)} holds a variable that is not a directory at its start`,
      `start the entry with '${CWD}/' or '${WORKSPACE}/', or write the path out`
    )
  }
  if (name === undefined) {
    return text.startsWith("/")
      ? Either.right({ start: "", rest })
      : refuse(`${quote(text)} is a relative path`, `start it with '/', '~/', '${CWD}/' or '${WORKSPACE}/'`)
  }
  if (name === "CWD") return below(CWD, "working directory", places.workdir, rest)
  if (name !== "WORKSPACE") {
    return refuse(
      `${quote(variable(name))} is not a variable here`,
      `the variables are '${CWD}' and '${WORKSPACE}'`
    )
  }
  return places.workspace === undefined
    ? refuse(
        `'${WORKSPACE}' is used, and there is no workspace here`,
        "create bailiwick.yaml in its root directory"
      )
    : below(WORKSPACE, "root of the workspace", places.workspace, rest)
}

/**
 * A root covers what is below it, both as it is written and where it leads: a tool may ask by either name, and what
 * a link is pointed at later is not covered.
 */
export const root = (given: Text, places: Variables): Reading<Root> =>
  Either.gen(function* () {
    const { rest, start } = yield* base(given, places)
    const path = `${start === "/" ? "" : start}${rest}` || "/"
    const tree = yield* Either.mapLeft(parseTree(path), scopeProblem(given))
    const real = places.real?.(path) ?? path
    const trees = real === path ? [tree] : [tree, yield* Either.mapLeft(parseTree(real), scopeProblem(given))]
    return { written: given.text, path, real, trees }
  })
