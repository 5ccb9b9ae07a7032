/** Static, and without imports: help must cost no more than starting. */

const general = `bailiwick: tools that touch what they declare and a policy allows, and nothing else

Usage:
  bailiwick run CALLS.json (--agent ID | --personality DIR)      execute calls, and say what came of them
  bailiwick explain CALLS.json (--agent ID | --personality DIR)  say what would come of them; nothing executes
  bailiwick tools list [--agent ID] [--personality DIR]          the tools, and what each touches

  bailiwick agents [list]               the agents, and how much each has at stake
  bailiwick agents capabilities ID      what an agent holds, the consequential first
  bailiwick agents grant ID [SPEC]      widen an agent, after a question; without SPEC, pick from a list
  bailiwick agents revoke ID SPEC       narrow an agent

  bailiwick skills list [--agent ID]    the skills, or those that an agent can satisfy
  bailiwick skills show NAME            what a skill says and needs
  bailiwick skills check [NAME]         what an agent lacks for a skill, and the grant to write

  bailiwick doctor [--strict]           what is wrong or risky in this workspace, and how to mend it

Every command takes --json, and then prints one JSON document, and --workdir DIR, where to look for the workspace.

Options:
  -h, --help     this, or the help of a command
  --version      the version

Exit code: 0 done (a refused call is an answer), 1 refused or found wanting, 2 bad usage or unreadable input.
`

const held = `  --agent ID           an agent: its id, an unambiguous end of it (scout for agents/scout), or its file
  --personality DIR    a directory with config.yaml (and toolset.yaml), or an id in the workspace's personalities/
                       with both, what both allow`

const turnOptions = `  CALLS.json           a file with [{ "id", "name", "args" }], or - for standard input
${held}
  --session ID         the session whose storage is used; without it, one that ends with the run
  --workdir DIR        where relative paths start and commands run; the current directory otherwise
  --attachments FILE   a file with the attachments of the turn: [{ "type", "ref", "url", "mimeType" }]
  --json               print { "results": [{ "id", "name", "result" }], "events": [...] }
`

const run = `Usage: bailiwick run CALLS.json (--agent ID | --personality DIR) [options]

Executes calls side by side, each held to what its tool declares and the agent or the personality allows.

${turnOptions}`

const explain = `Usage: bailiwick explain CALLS.json (--agent ID | --personality DIR) [options]

As run, but nothing executes: says for each call whether it would be allowed, by what, or why not.

${turnOptions}`

const toolsList = `Usage: bailiwick tools list [--agent ID] [--personality DIR] [--workdir DIR] [--json]

Lists the tools: all of them, or what an agent or a personality can call.

${held}
`

const ID = `  ID              its id, an unambiguous end of it (scout for agents/scout), or its file`

const SPEC = `  SPEC            what to grant: resource.verb, with a scope in braces; several are separated by blanks or commas
                    records.read   net.get{hosts=[*.github.com,api.example.com]}   proc.exec{in=~/Work,cmds=[rg,jq]}`

const common = `  --workdir DIR   where to look for the workspace; the current directory otherwise`

const agents = `Usage:
  bailiwick agents [list]               the agents, and how much each has at stake
  bailiwick agents capabilities ID      what an agent holds, the consequential first
  bailiwick agents grant ID [SPEC]      widen an agent, after a question; without SPEC, pick from a list
  bailiwick agents revoke ID SPEC       narrow an agent

'bailiwick agents grant --help' and so on say more.
`

const agentsList = `Usage: bailiwick agents [list] [--workdir DIR] [--json]

Lists the agents of the workspace: how much is at stake with each, how many grants it holds, and how many are inert.

${common}
  --json          print { "agents": [{ "agent", "file", "title", "risk", "grants", "inert", "warnings" }], "unreadable" }
`

const agentsCapabilities = `Usage: bailiwick agents capabilities ID [--workdir DIR] [--json]

Lists what an agent holds: how much is at stake, what each grant allows in words, where it comes from, and what mends
one that gives nothing.

${ID}
${common}
  --json          print { "agent", "file", "grants": [{ "grant", "risk", "effect", "inert", "from", "line" }], "warnings" }
`

const agentsGrant = `Usage: bailiwick agents grant ID [SPEC] [--yes] [--workdir DIR] [--json]

Widens an agent. Shows what is at stake and what it allows, asks, and replaces the record. Shorthands (access:, sandbox:)
are written out as entries of capabilities:; comments and the text below stay. Without SPEC, pick from a list.

${ID}
${SPEC}
  --yes           do not ask; needed where there is no terminal, and with --json
${common}
  --json          print { "command", "outcome", "agent", "file", "grants", "dissolved", "reason" }

Exit code: 0 granted or held already, 1 refused or not confirmed, 130 stopped with Ctrl-C.
`

const agentsRevoke = `Usage: bailiwick agents revoke ID SPEC [--workdir DIR] [--json]

Narrows an agent by a scope, or takes a whole resource.verb away. Nothing is asked; --yes is accepted.

${ID}
${SPEC}
${common}
  --json          print { "command", "outcome", "agent", "file", "grants", "dissolved", "reason" }

Exit code: 0 revoked or not held anyway, 1 what would be left cannot be written down.
`

const skills = `Usage:
  bailiwick skills list [--agent ID]            the skills, or those that an agent can satisfy
  bailiwick skills show NAME [--agent ID]       what a skill says and needs
  bailiwick skills check [NAME] [--agent ID]    what an agent lacks for a skill, and the grant to write

${ID}
${common}
  --json          print one JSON document
`

const doctor = `Usage: bailiwick doctor [--strict] [--workdir DIR] [--json]

Looks over the workspace: records, grants, roots, personalities, tools, secrets and the sandbox of this platform. It
warns, names the line and the remedy, and blocks nothing.

  --strict        exit with 1 when there are findings
${common}
  --json          print one JSON document
`

const topics: ReadonlyMap<string, string> = new Map([
  ["", general],
  ["run", run],
  ["explain", explain],
  ["tools", toolsList],
  ["tools list", toolsList],
  ["agents", agents],
  ["agents list", agentsList],
  ["agents capabilities", agentsCapabilities],
  ["agents grant", agentsGrant],
  ["agents revoke", agentsRevoke],
  ["skills", skills],
  ["doctor", doctor]
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
