/**
 * Parsers for files that the linter does not show. ESLint has one at hand. oxlint has none for plugins, so that another
 * is taken from the project.
 */
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import type { Node } from "../syntax/Node.js"

export type Parse = (file: string, text: string) => Node

interface Parser {
  readonly parseForESLint?: (text: string, options: object) => { readonly ast: Node }
  readonly parse?: (text: string, options: object) => Node
}

interface OxcParser {
  readonly parseSync: (
    file: string,
    text: string,
    options: object
  ) => {
    readonly program: Node
    readonly errors: ReadonlyArray<{ readonly severity?: string; readonly message: string }>
  }
}

const optionsFor = (filePath: string) => ({
  filePath,
  ecmaVersion: "latest",
  sourceType: /\.c[jt]s$/.test(filePath) ? "script" : "module",
  ecmaFeatures: { jsx: !/\.[cm]?ts$/.test(filePath), globalReturn: /\.c[jt]s$/.test(filePath) },
  range: true
})

const asInEslint =
  (parser: Parser): Parse =>
  (file, text) => {
    const program =
      parser.parseForESLint?.(text, optionsFor(file)).ast ?? parser.parse?.(text, optionsFor(file))
    if (program === undefined) throw new Error("the parser gives no program")
    return program
  }

const asOxc =
  ({ parseSync }: OxcParser): Parse =>
  (file, text) => {
    const { errors, program } = parseSync(file, text, { preserveParens: false })
    const error = errors.find(({ severity }) => severity === undefined || severity === "Error")
    if (error !== undefined) throw new Error(error.message)
    return program
  }

/** From where a file is, or else from where this plugin is. */
const load = <A>(name: string, file: string): A | undefined => {
  for (const from of [pathToFileURL(file), import.meta.url]) {
    try {
      return createRequire(from)(name)
    } catch {
      // It is not installed there.
    }
  }
  return undefined
}

const found = new Map<string, Parse | undefined>()

const once = (name: string, find: () => Parse | undefined): Parse | undefined => {
  if (!found.has(name)) found.set(name, find())
  return found.get(name)
}

const installed = (file: string): ReadonlyArray<Parse | undefined> => [
  once("oxc-parser", () => {
    const parser = load<OxcParser>("oxc-parser", file)
    return parser && asOxc(parser)
  }),
  once("@typescript-eslint/parser", () => {
    const parser = load<Parser>("@typescript-eslint/parser", file)
    return parser && asInEslint(parser)
  })
]

/** What an engine has at hand says so itself; a parser that only has a name parses nothing. */
const ofEngine = (parser: unknown): Parse | undefined => {
  if (typeof parser !== "object" || parser === null) return undefined
  return (parser as { readonly name?: unknown }).name === "oxlint" ? undefined : asInEslint(parser as Parser)
}

export interface Parsed {
  readonly program?: Node
  readonly complaint?: string
}

/** With the parser of the engine, or with the first of the project that can read it. */
export const parsed = (file: string, text: string, engine: unknown): Parsed => {
  let complaint: string | undefined
  for (const find of [() => [ofEngine(engine)], () => installed(file)]) {
    for (const parse of find()) {
      if (parse === undefined) continue
      try {
        return { program: parse(file, text) }
      } catch (error) {
        complaint ??= error instanceof Error ? error.message.split("\n")[0] : String(error)
      }
    }
  }
  return { complaint: complaint ?? "no parser is at hand: install oxc-parser" }
}
