/**
 * What the text of a module imports, found without a parser: whatever looks like an import counts, in a comment, too. Too
 * much only closes a file that nobody loads; too little would leave one open that is code.
 */

/** Blanks and comments. */
const GAP = String.raw`(?:\s|/\*[\s\S]*?\*/|//[^\n]*\n)*`

const WORDS = String.raw`(?<![\w$.])(?:from|import|require)(?:\.resolve)?(?![\w$])|(?<![\w$])(?:createRequire|URL|Worker)(?![\w$])`

const QUOTED = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${"`"}(?:[^${"`"}\\]|\\.)*${"`"}`

const LITERAL = new RegExp(`(?:${WORDS})${GAP}\\(?${GAP}(${QUOTED})`, "g")

const CALL = new RegExp(String.raw`(?<![\w$.])(?:import|require)${GAP}\(${GAP}(${QUOTED}|\S)${GAP}(.)?`, "g")

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
    specifiers: [...new Set(quoted.filter(isPlain).map((one) => one.slice(1, -1)))],
    computes:
      calls.some(([, argument = "", next]) => !isWhole(argument, next)) ||
      quoted.some((one) => !isPlain(one) && one.includes("\\"))
  }
}
