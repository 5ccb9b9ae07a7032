import { type Block, place } from "./blocks.js"

/** What a reader types that is no script of ours. */
const known: ReadonlyArray<RegExp> = [
  /^npm ci$/,
  /^npm (?:i|install)( --save-dev)?( (bailiwick|effect|@effect\/[a-z-]+)(@\d+)?)+$/,
  /^apt install( [a-z0-9-]+)+$/,
  /^git clone \S+( \S+)?$/,
  /^cd \S+$/
]

/** The commands of a block: without comments, prompts and the backslashes that join lines. */
export const commandsOf = (code: string): ReadonlyArray<string> =>
  code
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .map((line) =>
      line
        .replace(/^\$ /, "")
        .replace(/(^|\s)#.*$/, "")
        .trim()
    )
    .flatMap((line) => line.split("&&"))
    .map((command) => command.trim())
    .filter((command) => command !== "")

/** The script that `npm run x`, `npm test` or `npm start` names. */
export const scriptOf = (command: string): string | undefined => {
  const [npm, verb = "", name] = command.split(/\s+/)
  if (npm !== "npm") return undefined
  return verb === "run" ? name : verb === "test" || verb === "start" ? verb : undefined
}

export const checkShell = (block: Block, scripts: ReadonlySet<string>): ReadonlyArray<string> =>
  commandsOf(block.code).flatMap((command) => {
    const script = scriptOf(command)
    if (script !== undefined) {
      return scripts.has(script) ? [] : [`${place(block)} package.json has no script for: ${command}`]
    }
    return known.some((pattern) => pattern.test(command))
      ? []
      : [`${place(block)} neither a script of package.json nor a known command: ${command}`]
  })
