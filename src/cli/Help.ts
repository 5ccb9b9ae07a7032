/** Static, and without imports: help must cost no more than starting. */

const general = `bailiwick: tools that touch what they declare and a policy allows, and nothing else

Usage:
  bailiwick run CALLS.json --personality DIR      execute calls, and say what came of them
  bailiwick explain CALLS.json --personality DIR  say what would come of them; nothing executes
  bailiwick tools list [--personality DIR]        the tools, and what each touches

Every command takes --json, and then prints one JSON document.

Options:
  -h, --help     this, or the help of a command
  --version      the version

Exit code: 0 done (a refused call is an answer), 1 found wanting, 2 bad usage or unreadable input.
`

const turnOptions = `  CALLS.json           a file with [{ "id", "name", "args" }], or - for standard input
  --personality DIR    a directory with config.yaml (and toolset.yaml), or an id in the workspace's personalities/
  --session ID         the session whose storage is used; without it, one that ends with the run
  --workdir DIR        where relative paths start and commands run; the current directory otherwise
  --attachments FILE   a file with the attachments of the turn: [{ "type", "ref", "url", "mimeType" }]
  --json               print { "results": [{ "id", "name", "result" }], "events": [...] }
`

const run = `Usage: bailiwick run CALLS.json --personality DIR [options]

Executes calls side by side, each held to what its tool declares and the personality allows.

${turnOptions}`

const explain = `Usage: bailiwick explain CALLS.json --personality DIR [options]

As run, but nothing executes: says for each call whether it would be allowed, by what, or why not.

${turnOptions}`

const toolsList = `Usage: bailiwick tools list [--personality DIR] [--workdir DIR] [--json]

Lists the tools: all of them, or those that a personality leaves something to do.
`

const topics: ReadonlyMap<string, string> = new Map([
  ["", general],
  ["run", run],
  ["explain", explain],
  ["tools", toolsList],
  ["tools list", toolsList]
])

/** The help that is asked for, if it is. An unknown command has none. */
export const helpFor = (args: ReadonlyArray<string>): string | undefined => {
  const end = args.indexOf("--")
  const before = end < 0 ? args : args.slice(0, end)
  const asked = before.includes("--help") || before.includes("-h")
  const [first] = before
  if (!asked && first !== "help") return undefined
  const words = (asked ? before : before.slice(1)).filter((arg) => !arg.startsWith("-"))
  return topics.get(words.slice(0, 2).join(" ")) ?? topics.get(words[0] ?? "")
}
