/** The modules of a team's own tools, as `tools:` in `bailiwick.yaml` names them. */
import { isBuiltin } from "node:module"
import { extname, relative } from "node:path"
import { Either } from "effect"
import { isModuleName, isPluginName } from "../../../policy/ToolOrigin.js"
import type { Reading } from "../../../policy/text/Problem.js"
import { quote } from "../../../policy/text/Quote.js"
import { problem, type Yaml } from "../../../policy/text/StrictYaml.js"
import * as Shape from "../../../policy/text/YamlShape.js"
import { type Around, directory, looksLikePath, starts } from "../workspacePath.js"
import { packageName } from "./packageName.js"

/** How a module is run in processes of its own. */
export interface Isolating {
  /** The package that it is of, if it is of one: it may be imported under any name. */
  readonly package?: string | undefined
  readonly per?: "call" | "turn" | undefined
  readonly spares?: number | undefined
}

/** A module, and where it is named. */
export interface OwnModule {
  /** The file; of a package what is imported of it, as in `@acme/tools/text`. */
  readonly file: string
  readonly line: number
  /** It is never loaded here. */
  readonly isolated?: Isolating | undefined
}

/** How a module is written in the lock: however a workspace is moved, it is the same. */
export const moduleId = ({ file, isolated }: OwnModule, root: string): string =>
  isolated?.package === undefined ? relative(root, file) : file

const scripts: ReadonlySet<string> = new Set([".js", ".mjs"])

export const typed: ReadonlySet<string> = new Set([".ts", ".mts"])

const isKnown = (file: string): boolean => scripts.has(extname(file)) || typed.has(extname(file))

/** Some packages are called `chart.js`, and some have files: none looks like `tools/index.js`. */
const isFileLike = (text: string): boolean => /^[^@/]+\//.test(text) && isKnown(text)

const refuse = (given: Shape.Text, detail: string, remedy: string): Reading<never> =>
  problem("VALUE_INVALID", given, detail, remedy)

const FILE = `write a file of this workspace that starts with ${starts}, as in './tools/index.js', or the name of a package`

/** Whoever writes that file answers for what the package does. */
const AGAIN =
  "a file of this workspace may export its tools again, which then run with all rights of the command"

/** Whose code it is decides: what a package runs, it runs isolated. */
const checked = (given: Shape.Text, file: string): Reading<OwnModule> => {
  if (file.split("/").includes("node_modules")) {
    return refuse(
      given,
      `${quote(given.text)} is a file of a package, and a package is named as it is imported`,
      "write its name, as in 'some-package' or '@scope/package/tools'"
    )
  }
  return isKnown(file)
    ? Either.right({ file, line: given.line })
    : refuse(
        given,
        `${quote(given.text)} is no module that is loaded here`,
        "name a file that ends in .js, .mjs, .ts or .mts"
      )
}

/** What is imported of a package: its name, and perhaps a path in it. */
const isImported = (text: string): boolean =>
  !isBuiltin(text) &&
  isPluginName(packageName(text)) &&
  isModuleName(text) &&
  text
    .split("/")
    .slice(packageName(text).split("/").length)
    .every((part) => /^[\w.~@+-]+$/.test(part))

const packageAt = (given: Shape.Text): Reading<OwnModule> =>
  isImported(given.text)
    ? Either.right({ file: given.text, line: given.line, isolated: { package: packageName(given.text) } })
    : refuse(given, `${quote(given.text)} is neither a file nor the name of a package`, FILE)

const moduleAt = (given: Shape.Text, around: Around): Reading<OwnModule> =>
  looksLikePath(given.text)
    ? Either.flatMap(directory(given, around), (file) => checked(given, file))
    : isFileLike(given.text)
      ? refuse(
          given,
          `${quote(given.text)} does not say where it starts`,
          `write ${quote(`./${given.text}`)}`
        )
      : packageAt(given)

const isolation = (value: Yaml, what: string): Reading<boolean> =>
  value._tag === "Scalar" && typeof value.value === "boolean"
    ? Either.right(value.value)
    : problem("VALUE_INVALID", value.at, `${what} is neither true nor false`, "write true or false")

const span = (value: Yaml, what: string): Reading<"call" | "turn"> =>
  value._tag === "Scalar" && (value.value === "call" || value.value === "turn")
    ? Either.right(value.value)
    : problem("VALUE_INVALID", value.at, `${what} is neither 'call' nor 'turn'`, "write one of them")

const MOST_SPARES = 16

const spareCount = (value: Yaml, what: string): Reading<number> => {
  const count = value._tag === "Scalar" ? value.value : undefined
  return typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= MOST_SPARES
    ? Either.right(count)
    : problem(
        "VALUE_INVALID",
        value.at,
        `${what} is no number of processes`,
        `write a whole number from 0 to ${MOST_SPARES}`
      )
}

const inProcess = (given: Shape.Text): Reading<never> =>
  refuse(
    given,
    `${quote(given.text)} is the name of a package, and the tools of a package run isolated or not at all`,
    `delete 'isolated: false'; ${AGAIN}`
  )

const entry = (value: Yaml, around: Around): Reading<OwnModule> =>
  Either.gen(function* () {
    if (value._tag !== "Mapping") {
      return yield* moduleAt(yield* Shape.text(value, "an entry of 'tools'"), around)
    }
    const map = yield* Shape.mapping(value, "an entry of 'tools'", ["module", "isolated", "per", "spares"])
    const isIsolated = yield* Shape.optional(map, "isolated", isolation)
    const per = yield* Shape.optional(map, "per", span)
    const spares = yield* Shape.optional(map, "spares", spareCount)
    const given = yield* Shape.optional(map, "module", Shape.text)
    if (given === undefined) {
      return yield* problem("KEY_MISSING", value.at, "an entry of 'tools' names no 'module'", FILE)
    }
    const found = yield* moduleAt(given, around)
    if (found.isolated !== undefined && isIsolated === false) return yield* inProcess(given)
    if (found.isolated !== undefined || isIsolated === true) {
      return { ...found, isolated: { ...found.isolated, per, spares } }
    }
    return per === undefined && spares === undefined
      ? found
      : yield* refuse(
          given,
          `${quote(given.text)} has 'per' or 'spares', which are about processes, and runs in none of its own`,
          "write 'isolated: true' beside them, or delete them"
        )
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
          "write a list of files and packages, as in ['./tools/index.js']; [] is none"
        )
