/**
 * A text that every line must hold to match a pattern, where that can be seen from how the pattern is written. It
 * lets files be passed over without running the pattern, and means the same to every engine.
 */
export interface Literal {
  readonly text: string
  readonly ignoreCase: boolean
}

const SHORTEST = 2

/** Letters, digits and blanks; what an escape stands for when it is not a letter or a digit. */
const isPlain = (character: string): boolean => !/[\\^$.|?*+()[\]{}\n\r]/.test(character)

/** The index behind the group or class that opens here; `undefined` if it does not close. */
const behind = (pattern: string, from: number): number | undefined => {
  let depth = 0
  for (let i = from; i < pattern.length; i++) {
    const character = pattern[i]
    if (character === "\\") i++
    else if (character === "[") {
      const end = behindClass(pattern, i)
      if (end === undefined) return undefined
      i = end - 1
    } else if (character === "(") depth++
    else if (character === ")" && --depth === 0) return i + 1
  }
  return undefined
}

const behindClass = (pattern: string, from: number): number | undefined => {
  // A bracket that comes first in a class is a member of it, and a class may hold others by name.
  if (/^\[\^?\]/.test(pattern.slice(from)) || pattern.includes("[:", from)) return undefined
  for (let i = from + 1; i < pattern.length; i++) {
    if (pattern[i] === "\\") i++
    else if (pattern[i] === "]") return i + 1
  }
  return undefined
}

const longest = (runs: ReadonlyArray<string>): string =>
  runs.reduce((best, run) => (run.length > best.length ? run : best), "")

/** The texts that stand side by side at the top of a pattern; `undefined` for what is not read here. */
const runsOf = (pattern: string): ReadonlyArray<string> | undefined => {
  const runs: Array<string> = []
  let run = ""
  const end = () => {
    runs.push(run)
    run = ""
  }
  for (let i = 0; i < pattern.length; ) {
    const character = String.fromCodePoint(pattern.codePointAt(i) ?? 0)
    if (character === "|" || /^\\[QEpPxuC0-9]/.test(pattern.slice(i, i + 2))) return undefined
    if (character === "(") {
      if (/^\(\?(?![:P<])/.test(pattern.slice(i))) return undefined
      const next = behind(pattern, i)
      if (next === undefined) return undefined
      end()
      i = next
    } else if (character === "[") {
      const next = behindClass(pattern, i)
      if (next === undefined) return undefined
      end()
      i = next
    } else if (character === "?" || character === "*" || character === "{") {
      run = [...run].slice(0, -1).join("")
      end()
      i = character === "{" ? pattern.indexOf("}", i) + 1 : i + 1
      if (i === 0) return undefined
    } else if (character === "\\") {
      const escaped = pattern[i + 1] ?? ""
      if (/[^A-Za-z0-9\s]/.test(escaped)) run += escaped
      else end()
      i += 2
    } else if (isPlain(character)) {
      run += character
      i += character.length
    } else {
      end()
      i++
    }
  }
  end()
  return runs
}

/** Text that reads the same in a file, in an argument and here. */
const isWritable = (text: string): boolean => !/[\p{Cc}\p{Surrogate}\uFFFD]/u.test(text)

export const literalOf = (pattern: string): Literal | undefined => {
  const ignoreCase = pattern.startsWith("(?i)")
  const text = longest(runsOf(ignoreCase ? pattern.slice(4) : pattern) ?? [])
  if ([...text].length < SHORTEST || !isWritable(text)) return undefined
  // Other letters fold into these in tables of their own, which engines need not share.
  return ignoreCase && !/^[ -~]*$/.test(text) ? undefined : { text, ignoreCase }
}
