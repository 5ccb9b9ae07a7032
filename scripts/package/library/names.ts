/** Shorter names, where nobody reads them. */
import { transform } from "esbuild"
import { edited, gives, type Module, replacing } from "./modules.js"

interface Pieces {
  /** What is taken, and what is given. */
  readonly head: string
  readonly foot: string
  readonly body: string
}

/** esbuild gives a package a name for each of the modules that took it: here it has one. */
const piecesOf = (module: Module): Pieces => {
  const { given, path, spells, taken, text, uses } = module
  const head = new Set<string>()
  const renamed = taken.flatMap(({ clause, from, names: [name] }) => {
    if (name?.outside !== "*") {
      head.add(clause.getText())
      return []
    }
    // Not one of those that there are: in a function that spelling may stand for something else.
    const one = `$${from.replace(/^effect\//, "").replace(/\W/g, "_")}`
    if (gives(module, name.inside)) throw new Error(`${path} exports ${from} as a whole`)
    if (spells(one)) throw new Error(`${path} has a name ${one} of its own`)
    head.add(`import*as ${one} from"${from}";`)
    return uses(name.inside).map((use) => replacing(use, one))
  })
  const clauses = [...taken, ...given].map(({ clause }) => clause)
  return {
    head: [...head].join(""),
    foot: given.map(({ clause }) => clause.getText()).join(""),
    body: edited(text, [...clauses.map((clause) => replacing(clause, "")), ...renamed])
  }
}

/** esbuild escapes what is not ASCII everywhere but in regular expressions, in which the escapes are the same. */
const escaped = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

const shortened = async (text: string, format?: "esm"): Promise<string> => {
  const { code } = await transform(text, { minify: true, target: "node20", ...(format && { format }) })
  return escaped(code.trimEnd())
}

/**
 * Stack traces show the names of what a module declares, and these stay. What functions declare inside has short ones:
 * esbuild leaves the outermost names of a script alone, and a script is what remains without what is taken and given.
 */
export const shortInside = async (module: Module): Promise<string> => {
  const { body, foot, head } = piecesOf(module)
  return `${head}${await shortened(body)}${foot}`
}

export const shortEverywhere = (module: Module): Promise<string> => {
  const { body, foot, head } = piecesOf(module)
  return shortened(`${head}${body}${foot}`, "esm")
}
