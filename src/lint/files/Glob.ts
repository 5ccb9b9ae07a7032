/** Patterns of files, as configurations of linters write them: `**`, `*`, `?` and `{a,b}`. */

const special = /\*\*\/|\*\*|\*|\?|\{[^{}]*\}|[^*?{]+|\{/g

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

const part = (text: string): string => {
  switch (text) {
    case "**/":
      return "(?:[^/]+/)*"
    case "**":
      return ".*"
    case "*":
      return "[^/]*"
    case "?":
      return "[^/]"
    default:
      return text.startsWith("{") && text.endsWith("}")
        ? `(?:${text.slice(1, -1).split(",").map(compiled).join("|")})`
        : literal(text)
  }
}

const compiled = (pattern: string): string => (pattern.match(special) ?? []).map(part).join("")

/** Whether a path with `/` between its parts, relative to where the linter runs, is meant. */
export const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${compiled(pattern.replace(/^\.\//, ""))}$`).test(path)
