/** The modules of a team's own tools, as `tools:` in `bailiwick.yaml` names them. */
import { extname } from "node:path"
import { Either } from "effect"
import type { Reading } from "../../../policy/text/Problem.js"
import { quote } from "../../../policy/text/Quote.js"
import { problem, type Yaml } from "../../../policy/text/StrictYaml.js"
import * as Shape from "../../../policy/text/YamlShape.js"
import { type Around, directory, looksLikePath, starts } from "../workspacePath.js"

/** A module, and where it is named. */
export interface OwnModule {
  readonly file: string
  readonly line: number
}

const scripts: ReadonlySet<string> = new Set([".js", ".mjs"])

export const typed: ReadonlySet<string> = new Set([".ts", ".mts"])

const isKnown = (file: string): boolean => scripts.has(extname(file)) || typed.has(extname(file))

/** Some packages are called `chart.js`, and some have files: none looks like `tools/index.js`. */
const isFileLike = (text: string): boolean => /^[^@/]+\//.test(text) && isKnown(text)

const NOT_YET = "isolated tools are not there yet"

const refuse = (given: Shape.Text, detail: string, remedy: string): Reading<never> =>
  problem("VALUE_INVALID", given, detail, remedy)

const FILE = `write a file of this workspace that starts with ${starts}, as in './tools/index.js'`

/** Whoever writes that file answers for what the package does. */
const AGAIN =
  "a file of this workspace may export its tools again, which then run with all rights of the command"

/** Whose code it is decides: a package runs with the rights of the command only where it is isolated. */
const checked = (given: Shape.Text, file: string): Reading<OwnModule> => {
  if (file.split("/").includes("node_modules")) {
    return refuse(given, `${quote(given.text)} is a file of a package, and ${NOT_YET}`, FILE)
  }
  return isKnown(file)
    ? Either.right({ file, line: given.line })
    : refuse(
        given,
        `${quote(given.text)} is no module that is loaded here`,
        "name a file that ends in .js, .mjs, .ts or .mts"
      )
}

const moduleAt = (given: Shape.Text, around: Around): Reading<OwnModule> =>
  looksLikePath(given.text)
    ? Either.flatMap(directory(given, around), (file) => checked(given, file))
    : isFileLike(given.text)
      ? refuse(
          given,
          `${quote(given.text)} does not say where it starts`,
          `write ${quote(`./${given.text}`)}`
        )
      : refuse(given, `${quote(given.text)} is the name of a package, and ${NOT_YET}`, `${FILE}; ${AGAIN}`)

const isolation = (value: Yaml, what: string): Reading<boolean> => {
  if (value._tag !== "Scalar" || typeof value.value !== "boolean") {
    return problem("VALUE_INVALID", value.at, `${what} is neither true nor false`, "write true or false")
  }
  return value.value
    ? problem("VALUE_INVALID", value.at, `${what} is true, and ${NOT_YET}`, "take the module out until then")
    : Either.right(false)
}

const entry = (value: Yaml, around: Around): Reading<OwnModule> =>
  Either.gen(function* () {
    if (value._tag !== "Mapping") {
      return yield* moduleAt(yield* Shape.text(value, "an entry of 'tools'"), around)
    }
    const map = yield* Shape.mapping(value, "an entry of 'tools'", ["module", "isolated"])
    yield* Shape.optional(map, "isolated", isolation)
    const given = yield* Shape.optional(map, "module", Shape.text)
    if (given === undefined) {
      return yield* problem("KEY_MISSING", value.at, "an entry of 'tools' names no 'module'", FILE)
    }
    return yield* moduleAt(given, around)
  })

const twice = (modules: ReadonlyArray<OwnModule>): Reading<ReadonlyArray<OwnModule>> => {
  const again = modules.find(({ file }, at) => modules.findIndex((one) => one.file === file) < at)
  return again === undefined
    ? Either.right(modules)
    : problem(
        "VALUE_INVALID",
        { line: again.line, column: 1 },
        `'tools' names ${quote(again.file)} twice`,
        "name it once"
      )
}

export const ownModules =
  (around: Around) =>
  (value: Yaml, what: string): Reading<ReadonlyArray<OwnModule>> =>
    value._tag === "List"
      ? Either.flatMap(Either.all(value.items.map((item) => entry(item, around))), twice)
      : problem(
          "VALUE_INVALID",
          value.at,
          `${what} is no list`,
          "write a list of files, as in ['./tools/index.js']; [] is none"
        )
