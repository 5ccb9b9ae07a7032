/**
 * What well-known tokens look like. No pattern looks further back or ahead than it is long, or starts again within
 * what it has read: they take linear time on any text.
 */

const REDACTED = "[redacted]"

interface Shape {
  readonly pattern: RegExp
  readonly replacement: string
}

const token = (source: string): Shape => ({
  pattern: new RegExp(`(?<![A-Za-z0-9_-])(?:${source})`, "g"),
  replacement: REDACTED
})

const shapes: ReadonlyArray<Shape> = [
  {
    // A block that is cut off is a key too, up to the end of the text.
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[\s\S]*)/g,
    replacement: REDACTED
  },
  token("gh[pousr]_[A-Za-z0-9]{16,255}"),
  token("github_pat_[A-Za-z0-9_]{16,255}"),
  token("glpat-[A-Za-z0-9_.-]{16,255}"),
  token("AIza[A-Za-z0-9_-]{30,64}"),
  token("(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])"),
  token("npm_[A-Za-z0-9]{30,255}"),
  token("[rs]k_(?:live|test)_[A-Za-z0-9]{10,255}"),
  token("sk-(?:ant|proj|svcacct|or)-[A-Za-z0-9_-]{16,255}"),
  token("sk-[A-Za-z0-9]{32,255}"),
  token("xox[abeoprs]-[A-Za-z0-9-]{10,255}"),
  token("eyJ[A-Za-z0-9_-]{5,8192}\\.[A-Za-z0-9_-]{5,8192}\\.[A-Za-z0-9_-]{0,8192}"),
  {
    pattern: /\b((?:Bearer|Basic)[ \t]{1,8})[A-Za-z0-9._~+/-]{8,8192}={0,2}/gi,
    replacement: `$1${REDACTED}`
  },
  { pattern: /(:\/\/)[^\s/?#"'<>`]{1,1024}@/g, replacement: `$1${REDACTED}@` }
]

export const withoutTokens = (text: string): string =>
  shapes.reduce((left, { pattern, replacement }) => left.replace(pattern, replacement), text)
