/**
 * Doc comments as documents: what they hold between `/**` and its end, each line where it stands in the file, and empty
 * lines for the code around them. So an example in a comment is checked as one in a page is.
 */

const OPENING = /^\s*\/\*\*\s*$/

const CLOSING = /^\s*\*\/\s*$/

export const commentsOf = (source: string): string => {
  let inside = false
  return source
    .split("\n")
    .map((line) => {
      if (OPENING.test(line)) inside = true
      else if (CLOSING.test(line)) inside = false
      else if (inside) return line.replace(/^\s*\* ?/, "")
      return ""
    })
    .join("\n")
}

/** Whether there is an example to check. */
export const hasExample = (source: string): boolean => /^\s*\* @example$/m.test(source)
