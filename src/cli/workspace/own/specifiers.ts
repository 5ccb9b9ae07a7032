/**
 * What the text of a module imports, found without a parser: whatever looks like an import counts, in a comment, too. Too
 * much only closes a file that nobody loads; too little would leave one open that is code.
 */

/** Blanks and comments, none of which is so long that a search for its end takes long. */
const GAP = String.raw`(?:\s|/\*[\s\S]{0,2000}?\*/|//[^\n]*\n)*`

const WORDS = String.raw`(?<![\w$.])(?:from|import)(?![\w$])|(?<![\w$])(?:require(?:\.resolve)?|URL|Worker)(?![\w$])`

const QUOTED = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${"`"}(?:[^${"`"}\\]|\\.)*${"`"}`

const LITERAL = new RegExp(`(?:${WORDS})${GAP}\\(?${GAP}(${QUOTED})`, "g")

const CALL = new RegExp(String.raw`(?<![\w$.])(?:import|require)${GAP}\(${GAP}(${QUOTED}|\S)${GAP}(.)?`, "g")

/** A path in quotes, whatever it is for. */
const PATH = /(["'`])(\.{1,2}\/[^"'`\\\n]*)\1/g

const CODE = /\.(?:[mc]?[jt]sx?|node|wasm)$/

/** Whoever makes a `require` may give it any name. */
const paths = (text: string): ReadonlyArray<string> => {
  const all = [...text.matchAll(PATH)].map(([, , path = ""]) => path)
  return text.includes("createRequire") ? all : all.filter((path) => CODE.test(path))
}

export interface Imports {
  readonly specifiers: ReadonlyArray<string>
  /** Whether it imports something that only running it tells. */
  readonly computes: boolean
}

const isPlain = (quoted: string): boolean => !quoted.includes("\\") && !/^`[\s\S]*\$\{/.test(quoted)

/** A literal that ends the argument. */
const isWhole = (argument: string, next: string | undefined): boolean =>
  argument === ")" || (/^["'`]/.test(argument) && isPlain(argument) && (next === ")" || next === ","))

export const importsIn = (text: string): Imports => {
  const quoted = [...text.matchAll(LITERAL)].map(([, found = ""]) => found)
  const calls = [...text.matchAll(CALL)]
  return {
    specifiers: [...new Set([...quoted.filter(isPlain).map((one) => one.slice(1, -1)), ...paths(text)])],
    computes:
      calls.some(([, argument = "", next]) => !isWhole(argument, next)) ||
      quoted.some((one) => !isPlain(one) && one.includes("\\"))
  }
}
