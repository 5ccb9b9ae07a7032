/** Static, and without imports: help must cost no more than starting. */

const general = `bailiwick: tools that touch what they declare and a policy allows, and nothing else

Usage:
  bailiwick init [DIR]                  a workspace to start from: an agent, a personality, a first tool with its test

  bailiwick run CALLS.json (--agent ID | --personality DIR)      execute calls, and say what came of them
  bailiwick call TOOL [KEY=VALUE…] (--agent ID | --personality DIR)  call one tool, and print its answer
  bailiwick explain CALLS.json [--sandbox] (--agent ID | --personality DIR)  say what would come of them; nothing executes
  bailiwick tools list [--agent ID] [--personality DIR]          the tools, and what each touches

  bailiwick tools mcp list              the MCP servers, what each requires, and how many of its tools are accepted
  bailiwick tools mcp add NAME -- COMMAND…    a new server, after a question; or --url URL in place of COMMAND
  bailiwick tools mcp show NAME         what a server requires, and what it says of its tools
  bailiwick tools mcp who NAME          who can use a server, and what the others lack
  bailiwick tools mcp remove NAME       take a server out

  bailiwick agents [list]               the agents, and how much each has at stake
  bailiwick agents capabilities ID      what an agent holds, the consequential first
  bailiwick agents create ID [SPEC]     a new agent that holds what is asked for, and nothing else
  bailiwick agents grant ID [SPEC]      widen an agent, after a question; without SPEC, pick from a list
  bailiwick agents revoke ID SPEC       narrow an agent
  bailiwick agents who SPEC             which agents may do something, and the line that lets them

  bailiwick skills list [--agent ID]    the skills, or those that an agent can satisfy
  bailiwick skills show NAME            what a skill says and needs
  bailiwick skills check [NAME]         what an agent lacks for a skill, and the grant to write

  bailiwick mcp serve (--agent ID | --personality DIR) [--http PORT]  serve tools to who speaks MCP
  bailiwick runner [--listen HOST:PORT]  run turns of the cluster that the workspace names

  bailiwick audit [FILE…] [--agent ID] [--denied] [--since 2h]   what agents did and were refused, and by which line
  bailiwick audit verify [--head DIGEST]  whether the log is as it was written
  bailiwick suggest (--agent ID | --personality DIR) [--since 7d]  the least with which all that was allowed would have been

  bailiwick doctor [--strict]           what is wrong or risky in this workspace, and how to mend it
  bailiwick manifest [--check]          write down what each tool touches, or find what touches more than that
  bailiwick completion SHELL            a script that completes this command line in bash, zsh or fish

Every command takes --json, and then prints one JSON document, and --workdir DIR, where to look for the workspace.

Options:
  -h, --help     this, or the help of a command
  --version      the version

Exit code: 0 done (a refused call of run is an answer), 1 refused or found wanting, 2 bad usage, unreadable input or output that
cannot be written, 130 stopped with Ctrl-C.
`

const held = `  --agent ID           an agent: its id, an unambiguous end of it (scout for agents/scout), or its file
  --personality DIR    a directory with config.yaml (and toolset.yaml), or an id in the workspace's personalities/
                       with both, what both allow`

const inTurn = `${held}
  --session ID         the session whose storage is used; without it, one that ends with the run
  --workdir DIR        where relative paths start and commands run; the current directory otherwise
  --attachments FILE   a file with the attachments of the turn: [{ "type", "ref", "url", "mimeType" }], or the message that
                       brought them: { "platform", "sessionKey", "messageId", "text", "attachments" }`

const turnOptions = `  CALLS.json           a file with [{ "id", "name", "args" }], or - for standard input
${inTurn}
  --json               print { "results": [{ "id", "name", "result" }], "events": [...] }; with --attachments also the
                       "text" for the model, with the block that names them
`

const run = `Usage: bailiwick run CALLS.json (--agent ID | --personality DIR) [options]

Executes calls side by side, each held to what its tool declares and the agent or the personality allows.

${turnOptions}`

const call = `Usage: bailiwick call TOOL [KEY=VALUE… | -] (--agent ID | --personality DIR) [options]

Calls one tool and prints its answer. 'bailiwick call TOOL --help' says what the tool takes and touches.

  TOOL                 the name of a tool; 'bailiwick tools list' has them
  KEY=VALUE            a parameter of the tool, read as its schema says: text as it is, a number, true or false, null,
                       a list or an object as JSON; KEY again and again makes a list of several
  -                    all parameters as one JSON object, from standard input
${inTurn}
  --json               print the one result: { "ok": true, "value" } or { "ok": false, "code", "error", "denial" }

Exit code: 0 done, 1 refused or failed, 2 parameters that the tool does not take, 130 stopped with Ctrl-C.
`

const explain = `Usage: bailiwick explain CALLS.json [--sandbox] (--agent ID | --personality DIR) [options]

As run, but nothing executes: says for each call whether it would be allowed, by what, or why not; and of a command
what it would see.

${turnOptions}  --sandbox            print all that a command would see: mounts, what is hidden or frozen in them, hosts, limits;
                       with --json as "sandbox" beside each "result"
`

const toolsList = `Usage: bailiwick tools list [--agent ID] [--personality DIR] [--workdir DIR] [--json]

Lists the tools: all of them, or what an agent or a personality can call.

${held}
`

const toolsMcp = `Usage:
  bailiwick tools mcp list                         the servers, what each requires, and how many of its tools are accepted
  bailiwick tools mcp add NAME -- COMMAND ARGS…    a new server that is started here, after a question
  bailiwick tools mcp add NAME --url URL           a new server that others run
  bailiwick tools mcp show NAME                    what a server requires, and what it says of its tools
  bailiwick tools mcp who NAME                     the agents and personalities that can use it, and what the others lack
  bailiwick tools mcp remove NAME                  take a server and its tools out, after a question

Servers stand under mcp_servers: in bailiwick.yaml. What a server says of its tools is a stranger's: nobody is offered them
before 'bailiwick manifest' has written them into the lock.

  NAME            letters, digits, '-' and single '_'; its tools are mcp__NAME__<tool>
  --requires SPEC what an agent must hold to use the server, and all that the server may touch; again for each grant
  --env REF       a secret that the server gets as the variable of that name; again for each
  --code PATH     a file or directory that the server reads as its own code; again for each
  --allows KIND   what the server may ask of whoever uses it: roots, sampling or elicitation; again for each
  --url URL       the address of a server that others run, over streamable HTTP
  --token REF     the secret that it is sent as a bearer token
  --yes           do not ask; then without --requires the server requires nothing, and may touch nothing
  --dry-run       show what would change in the file, and change nothing; nothing is asked
  --workdir DIR   where to look for the workspace; the current directory otherwise
  --json          print one JSON document

Without --requires, 'add' starts a command once with nothing held, and proposes the hosts that it was refused: pick each that
you want. Files that it was refused cannot be seen from outside.

Exit code: 0 done, 1 refused or not confirmed, 2 it cannot be written, 130 stopped with Ctrl-C.
`

const ID = `  ID              its id, an unambiguous end of it (scout for agents/scout), or its file`

const SPEC = `  SPEC            what to grant: resource.verb, with a scope in braces; several are separated by blanks or commas
                    records.read   net.get{hosts=[*.github.com,api.example.com]}   proc.exec{in=~/Work,cmds=[rg,jq]}`

const common = `  --workdir DIR   where to look for the workspace; the current directory otherwise`

const agents = `Usage:
  bailiwick agents [list]               the agents, and how much each has at stake
  bailiwick agents capabilities ID      what an agent holds, the consequential first
  bailiwick agents create ID [SPEC]     a new agent that holds what is asked for, and nothing else
  bailiwick agents grant ID [SPEC]      widen an agent, after a question; without SPEC, pick from a list
  bailiwick agents revoke ID SPEC       narrow an agent
  bailiwick agents who SPEC             which agents may do something, and the line that lets them

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

const DRY = `  --dry-run       show what would change in the file, and change nothing; nothing is asked`

const DOCUMENT = `{ "command", "outcome", "agent", "file", "grants", "warnings", "dissolved", "lost", "diff", "reason" }`

const agentsCreate = `Usage: bailiwick agents create ID [SPEC] [--yes] [--dry-run] [--workdir DIR] [--json]

Writes the record of a new agent, which holds what is asked for and nothing else. Without SPEC, pick from a list; where
there is no terminal, or with --yes, the agent then holds nothing. What is there already is never replaced.

  ID              scout is agents/scout; with a slash it is the whole id
${SPEC}
  --yes           do not ask; needed with a SPEC where there is no terminal, and with --json
${DRY}
${common}
  --json          print ${DOCUMENT}

Exit code: 0 created, 1 refused or not confirmed, 2 it cannot be written, 130 stopped with Ctrl-C.
`

const agentsGrant = `Usage: bailiwick agents grant ID [SPEC] [--yes] [--dry-run] [--workdir DIR] [--json]

Widens an agent. Shows what is at stake, what it allows and what the doctor says of it, asks, and replaces the record.
Shorthands (access:, sandbox:) are written out as entries of capabilities:; comments and the text below stay. Without
SPEC, pick from a list; nothing there is a default, and * is typed.

${ID}
${SPEC}
  --yes           do not ask; needed where there is no terminal, and with --json
${DRY}
${common}
  --json          print ${DOCUMENT}

Exit code: 0 granted or held already, 1 refused or not confirmed, 2 it cannot be written, 130 stopped with Ctrl-C.
`

const agentsRevoke = `Usage: bailiwick agents revoke ID SPEC [--dry-run] [--workdir DIR] [--json]

Narrows an agent by a scope, or takes a whole resource.verb away. Nothing is asked; --yes is accepted.

${ID}
${SPEC}
${DRY}
${common}
  --json          print ${DOCUMENT}

Exit code: 0 revoked or not held anyway, 1 what would be left cannot be written down, 2 it cannot be written.
`

const agentsWho = `Usage: bailiwick agents who SPEC [--workdir DIR] [--json]

Lists the agents that may do all of what SPEC says, each with the file and the line that let it, and those that may do a
part of it. Of several, an agent must hold each. A bare name of what lies outside (net.get, fs.read) asks for any scope.

${SPEC}
${common}
  --json          print { "asked", "agents": [{ "agent", "file", "by": [{ "file", "line", "written" }] }], "partly" }
`

const skills = `Usage:
  bailiwick skills list [--agent ID]            the skills, or those that an agent can satisfy
  bailiwick skills show NAME [--agent ID]       what a skill says and needs
  bailiwick skills check [NAME] [--agent ID]    what an agent lacks for a skill, and the grant to write

${ID}
${common}
  --json          print one JSON document
`

const mcp = `Usage: bailiwick mcp serve (--agent ID | --personality DIR) [--http PORT [--host ADDRESS]] [options]

Serves the tools that an agent or a personality may use to an editor or another agent that speaks MCP: over standard input
and output, until the input ends, or over HTTP, until it is stopped. Whatever is refused is said on standard error.

${held}
  --session ID         the session whose storage is used; without it, one that ends with the client
  --workdir DIR        where relative paths start and commands run; the current directory otherwise
  --http PORT          serve http://127.0.0.1:PORT/mcp to those who have the token; 0 takes a port that is free
  --host ADDRESS       listen at this address in place of 127.0.0.1: whoever reaches it needs only the token

With --http standard error has the address and, once, 'token: ...'. The token is also in .bailiwick/mcp/PORT.token, which only
its owner may read, until the server ends.

Exit code: 0 the client has left, 2 it cannot be served, 130 or 143 stopped.
`

const runner = `Usage: bailiwick runner [--listen HOST:PORT] [--address HOST:PORT] [--workdir DIR] [--json]

Takes its share of the sessions of a cluster, and runs their turns with the tools, the backends and the policies of this
workspace, until it is stopped. A turn that was made under another revision of a policy is refused. The cluster is named in
bailiwick.yaml: cluster: { key: CLUSTER_KEY }, and storage: { postgres: { url: DATABASE_URL } }.

  --listen HOST:PORT   where it listens; a free port of 127.0.0.1 otherwise
  --address HOST:PORT  where clients and other runners reach it, if that is another place
  --workdir DIR        where to look for the workspace
  --json               print where it is reached, once it is ready

Standard error has one line once it is ready, and one before it where PostgreSQL is away: then it waits. The first SIGTERM
or Ctrl-C ends it when what runs has come to its end, after 30 seconds at the latest; the second at once.

Exit code: 1 another runner has taken over from it, 2 it cannot start, 130 or 143 stopped.
`

const doctor = `Usage: bailiwick doctor [--strict] [--workdir DIR] [--json]

Looks over the workspace: records, grants, roots, personalities, tools, secrets and the sandbox of this platform. It
warns, names the line and the remedy, and blocks nothing.

  --strict        exit with 1 when there are findings
${common}
  --json          print one JSON document
`

const audit = `Usage: bailiwick audit [FILE…] [--agent ID] [--personality ID] [--tool NAME] [--capability CAP] [--session ID]
         [--denied] [--since WHEN] [--limit N | --all] [--follow] [--html FILE | --serve [PORT]] [--workdir DIR] [--json]

Shows what is in the audit log: each call with its result, and what was decided for it, allowed by which line or refused.
Above it stand how many there are, and the hosts, paths and commands that were asked for most. Options combine.

  FILE            logs to read in place of the workspace's own, of several machines perhaps, merged by time; a directory of
                  logs; - for standard input
  --agent ID      what was done for this agent: scout is agents/scout
  --personality ID   what was done under this personality
  --tool NAME     calls of this tool
  --capability CAP   decisions on this capability, and their calls: network.get, or network for all of its kind
  --session ID    what was done in this session
  --denied        refusals, and their calls
  --since WHEN    from then on: 90s, 15m, 2h or 7d ago, 2026-01-31, or 2026-01-31T09:30Z; without a zone it is UTC
  --limit N       the newest N calls; 100 otherwise, and with --json all
  --all           all of them, and all decisions of each
  --follow        go on with what is new, until Ctrl-C; it begins with the newest file, or with --since
  --html FILE     write a page for the browser, in one file
  --serve [PORT]  show this page live, at an address of this machine; without a port at a free one
${common}
  --json          print { "entries", "calls", "gaps", "summary" }: the decisions that were taken, and what came of each call;
                  with --follow one JSON object a line in place of a document, with its "type"

Exit code: 0 shown, 2 a log cannot be read, 130 stopped with Ctrl-C.
`

const auditVerify = `Usage: bailiwick audit verify [--head DIGEST] [--workdir DIR] [--json]

Says whether the log of the workspace is as it was written: nothing changed, added, moved or removed. That is known where
'audit: { chain: REF }' stands in bailiwick.yaml, and REF is the secret that the chain is made with.

  --head DIGEST   the digest that was printed before: whether the log goes on from there, so that its end was not cut off
${common}
  --json          print one JSON document

Exit code: 0 as it was written, 1 it is not, or nothing can be said, 2 it cannot be read.
`

const suggest = `Usage: bailiwick suggest (--agent ID | --personality DIR) [--since WHEN] [--siblings N] [--times N] [--apply [--yes]]
         [FILE…] [--workdir DIR] [--json]

From the audit log, the least grants of an agent, or entries of a personality, with which every decision that was allowed, and
would be allowed now, would have been: what was never used, and what could be narrower, as a diff of the file. What was refused
again and again is a question, and never advice. Nothing is written without --apply.

  FILE            logs to read in place of the workspace's own, of several machines perhaps; a directory of logs; - for standard
                  input
  --agent ID      an agent: its id, an unambiguous end of it (scout for agents/scout), or its file
  --personality DIR   a directory with config.yaml, or an id in the workspace's personalities/
  --since WHEN    from then on: 90s, 15m, 2h or 7d ago, 2026-01-31, or 2026-01-31T09:30Z; all of the log otherwise
  --siblings N    so many things in one folder, hosts of one suffix or records of one prefix are written as that, as far as it is
                  held; 3 otherwise, and 0 is never
  --times N       ask about what was refused so often; 3 otherwise
  --apply         write it, after a question
  --yes           do not ask; needed where there is no terminal, and with --json
${common}
  --json          print { "unused", "narrower": [{ "from", "to", "seen", ... }], "refused": [{ "spec", "times", "risk", ... }],
                  "siblings", "generalised", "decisions", "leftOut", "lines", "notes", "diff", ... }

Exit code: 0 suggested, applied, or nothing to suggest; 1 not confirmed, or it cannot be written down; 2 the log or the file
cannot be read; 130 stopped with Ctrl-C.
`

const init = `Usage: bailiwick init [DIR] [--dry-run] [--workdir DIR] [--json]

Makes a workspace that works at once: bailiwick.yaml, an agent, a personality, a tool in JavaScript with its test, and a
package.json that installs what they need. It overwrites nothing: with a file of its own in the way, it writes none.

  DIR             where; the current directory otherwise. It is made if it is not there
  --dry-run       show what would be written, and write nothing
  --workdir DIR   where DIR starts
  --json          print { "directory", "written", "files", "within", "next" }

Exit code: 0 written, 1 something is in the way, 2 it cannot be written.
`

const manifest = `Usage: bailiwick manifest [--check] [--workdir DIR] [--json]

Writes bailiwick.lock.json: what each tool of the workspace touches, and digests of what models read of it. Commit it, and
review its changes. With --check it compares the tools with the lock, says what changed, and writes nothing.

  --check         exit with 1 when a tool is new, touches more than is locked, or is a server's or a plugin's and changed
                  its description or parameters; what touches less, or is gone, is said and passes
${common}
  --json          print { "lock", "written", "passes", "tools", "changes": [{ "tool", "kind", "passes", "more", "less", ... }] }

Exit code: 0 written, or nothing to look at; 1 found wanting; 2 there is no workspace, or the lock cannot be read or written.
`

const completion = `Usage: bailiwick completion bash|zsh|fish

Prints a script that completes commands, options, agents, personalities, skills, grants and built-in tools. It looks at
names in the workspace, and loads none of its code.

  bash    in ~/.bashrc:                  source <(bailiwick completion bash)
  zsh     in ~/.zshrc, after compinit:   source <(bailiwick completion zsh)
  fish    once:                          bailiwick completion fish > ~/.config/fish/completions/bailiwick.fish

  --json          print { "shell", "script" }
`

const topics: ReadonlyMap<string, string> = new Map([
  ["", general],
  ["run", run],
  ["call", call],
  ["explain", explain],
  ["tools", toolsList],
  ["tools list", toolsList],
  ["tools mcp", toolsMcp],
  ["agents", agents],
  ["agents list", agentsList],
  ["agents capabilities", agentsCapabilities],
  ["agents create", agentsCreate],
  ["agents grant", agentsGrant],
  ["agents revoke", agentsRevoke],
  ["agents who", agentsWho],
  ["skills", skills],
  ["mcp", mcp],
  ["mcp serve", mcp],
  ["runner", runner],
  ["doctor", doctor],
  ["audit", audit],
  ["audit verify", auditVerify],
  ["suggest", suggest],
  ["init", init],
  ["manifest", manifest],
  ["completion", completion]
])

/**
 * The help that is asked for, if it is: no word at all asks for it, too. An unknown command has none. That of one tool
 * is in its schema, which has to be loaded.
 */
export const helpFor = (args: ReadonlyArray<string>): string | undefined => {
  if (args.length === 0) return general
  const end = args.indexOf("--")
  const before = end < 0 ? args : args.slice(0, end)
  const asked = before.includes("--help") || before.includes("-h")
  const [first] = before
  if (!asked && first !== "help") return undefined
  const words = (asked ? before : before.slice(1)).filter((arg) => !arg.startsWith("-"))
  if (words[0] === "call" && words.length > 1) return undefined
  return topics.get(words.slice(0, 2).join(" ")) ?? topics.get(words[0] ?? "")
}
