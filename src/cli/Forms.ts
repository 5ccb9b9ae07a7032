/**
 * The commands as data: their words, options and flags. Arguments are read by it, and shells complete by it. Without
 * imports: completion must cost no more than starting.
 */

/** What stands in the place of a word or of the value of an option. */
export type Kind =
  | "agents"
  | "capabilities"
  | "directories"
  | "files"
  | "grants"
  | "inquiries"
  | "new"
  | "parameters"
  | "personalities"
  | "servers"
  | "shells"
  | "skills"
  | "text"
  | "tools"

export interface Word {
  readonly name: string
  readonly kind: Kind
  readonly optional?: true
  /** Any number of them; only the last word of a command is so. */
  readonly many?: true
}

/** What a command takes beside `--workdir` and `--json`. */
export interface Form {
  readonly about: string
  readonly words: ReadonlyArray<Word>
  readonly options: ReadonlyArray<Option>
  readonly flags: ReadonlyArray<Flag>
}

interface Described {
  readonly about: string
}

/** Options with a value. */
export const options = {
  agent: { kind: "agents", about: "an agent" },
  personality: { kind: "personalities", about: "a personality" },
  session: { kind: "text", about: "a session: the one whose storage is used, or that is asked about" },
  attachments: { kind: "files", about: "the attachments of the turn" },
  requires: { kind: "grants", about: "a grant that the server needs" },
  env: { kind: "text", about: "a secret that the server gets as a variable" },
  code: { kind: "files", about: "what the server reads as its own code" },
  allows: { kind: "inquiries", about: "what the server may ask for: roots, sampling or elicitation" },
  url: { kind: "text", about: "the address of a server that others run" },
  token: { kind: "text", about: "the secret that such a server is sent as a bearer token" },
  http: { kind: "text", about: "the port to serve over HTTP on; 0 takes a free one" },
  host: { kind: "text", about: "the address to serve at, besides this machine alone" },
  listen: { kind: "text", about: "where a runner listens: HOST:PORT; a free port of this machine otherwise" },
  address: { kind: "text", about: "where others reach a runner, if that is another place: HOST:PORT" },
  tool: { kind: "tools", about: "a tool" },
  capability: { kind: "capabilities", about: "a capability, or all of its kind" },
  since: { kind: "text", about: "from when on: 2h, 7d, or a time" },
  limit: { kind: "text", about: "how many of the newest are shown" },
  html: { kind: "files", about: "the page to write" },
  serve: { kind: "text", about: "show the page live on this machine; a port may follow" },
  head: { kind: "text", about: "the digest that the log had before" },
  siblings: {
    kind: "text",
    about: "how many things side by side are written as what holds them; 0 is never"
  },
  times: { kind: "text", about: "how often something must have been refused to be asked about" },
  workdir: { kind: "directories", about: "where to look for the workspace" }
} as const satisfies Readonly<Record<string, Described & { readonly kind: Kind }>>

export type Option = keyof typeof options

/** Options that may stand alone, and what their value then looks like: all else after them is another word. */
export const valueMayFollow: ReadonlyMap<string, RegExp> = new Map<Option, RegExp>([["serve", /^\d+$/]])

/** Options that may be given again and again. */
export const repeatable: ReadonlySet<string> = new Set<Option>(["requires", "env", "code", "allows"])

export const flags = {
  json: { about: "print one JSON document" },
  yes: { about: "do not ask" },
  "dry-run": { about: "show what would change, and change nothing" },
  check: { about: "compare with the lock, and change nothing" },
  sandbox: { about: "show what a command would see" },
  strict: { about: "exit with 1 when there are findings" },
  denied: { about: "refusals alone" },
  follow: { about: "go on with what is new, until it is stopped" },
  all: { about: "show all, however many" },
  apply: { about: "write what is suggested, after a question" },
  help: { about: "what the command does" },
  version: { about: "the version" }
} as const satisfies Readonly<Record<string, Described>>

export type Flag = keyof typeof flags

export const shells = ["bash", "zsh", "fish"] as const

export type Shell = (typeof shells)[number]

const CALLS: Word = { name: "CALLS.json", kind: "files" }
const ID: Word = { name: "ID", kind: "agents" }
const SPEC: Word = { name: "SPEC", kind: "grants" }
const NAME: Word = { name: "NAME", kind: "skills" }
const SERVER: Word = { name: "NAME", kind: "servers" }

const form = (
  about: string,
  words: ReadonlyArray<Word> = [],
  options: ReadonlyArray<Option> = [],
  flags: ReadonlyArray<Flag> = []
): Form => ({ about, words, options, flags })

const maybe = (word: Word): Word => ({ ...word, optional: true })

const held: ReadonlyArray<Option> = ["personality", "agent"]

const turn: ReadonlyArray<Option> = [...held, "session", "attachments"]

export const forms = {
  init: form(
    "a workspace to start from",
    [{ name: "DIR", kind: "directories", optional: true }],
    [],
    ["dry-run"]
  ),
  run: form("execute calls, and say what came of them", [CALLS], turn),
  call: form(
    "call one tool, and print its answer",
    [
      { name: "TOOL", kind: "tools" },
      { name: "KEY=VALUE", kind: "parameters", optional: true, many: true }
    ],
    turn
  ),
  explain: form("say what would come of calls", [CALLS], turn, ["sandbox"]),
  "tools list": form("the tools, and what each touches", [], held),
  "tools mcp list": form("the MCP servers, what each requires, and how many of its tools are accepted"),
  "tools mcp add": form(
    "a new MCP server, after a question",
    [
      { name: "NAME", kind: "new" },
      { name: "COMMAND", kind: "text", optional: true, many: true }
    ],
    ["requires", "env", "code", "allows", "url", "token"],
    ["yes", "dry-run"]
  ),
  "tools mcp show": form("what an MCP server requires, and what it says of its tools", [SERVER]),
  "tools mcp who": form("who can use an MCP server, and what the others lack", [SERVER]),
  "tools mcp remove": form("take an MCP server out", [SERVER], [], ["yes", "dry-run"]),
  "agents list": form("the agents, and how much each has at stake"),
  "agents capabilities": form("what an agent holds", [ID]),
  "agents create": form(
    "a new agent that holds what is asked for",
    [{ name: "ID", kind: "new" }, maybe(SPEC)],
    [],
    ["yes", "dry-run"]
  ),
  "agents grant": form("widen an agent", [ID, maybe(SPEC)], [], ["yes", "dry-run"]),
  "agents revoke": form("narrow an agent", [ID, SPEC], [], ["yes", "dry-run"]),
  "agents who": form("which agents may do something", [SPEC]),
  "skills list": form("the skills", [], ["agent"]),
  "skills show": form("what a skill says and needs", [NAME], ["agent"]),
  "skills check": form("what an agent lacks for a skill", [maybe(NAME)], ["agent"]),
  "mcp serve": form("serve tools to who speaks MCP", [], [...held, "session", "http", "host"]),
  runner: form("run turns of the cluster that the workspace names", [], ["listen", "address"]),
  audit: form(
    "what agents did, and what they were refused",
    [{ name: "FILE", kind: "files", optional: true, many: true }],
    ["agent", "personality", "tool", "capability", "session", "since", "limit", "html", "serve"],
    ["denied", "follow", "all"]
  ),
  "audit verify": form("whether the log is as it was written", [], ["head"]),
  suggest: form(
    "the least with which all that was allowed would have been",
    [{ name: "FILE", kind: "files", optional: true, many: true }],
    ["agent", "personality", "since", "siblings", "times"],
    ["apply", "yes"]
  ),
  manifest: form("write down what each tool touches, or compare it with that", [], [], ["check"]),
  doctor: form("what is wrong or risky in this workspace", [], [], ["strict"]),
  completion: form("a script that completes this command line in a shell", [
    { name: "SHELL", kind: "shells" }
  ])
} as const satisfies Readonly<Record<string, Form>>

export type CommandName = keyof typeof forms

/** Every command takes these. */
export const common = { options: ["workdir"], flags: ["json"] } as const

export const formOf = (command: CommandName): Form => forms[command]

const names: ReadonlyArray<string> = Object.keys(forms)

export const commandNames = names

export const isCommand = (name: string): name is CommandName => names.includes(name)

/** First words of commands that have a second. */
export const groups: ReadonlyMap<string, string> = new Map([
  ["tools", "the tools, and what each touches"],
  ["tools mcp", "the MCP servers: how to add one, look at one, take one out"],
  ["agents", "what agents there are and hold; how to widen and narrow one"],
  ["skills", "the skills, and who can use them"],
  ["mcp", "the tools, for editors and agents that speak MCP"]
])

/** First words of the commands that load the tools of a workspace. */
export const loadTools: ReadonlySet<string> = new Set([
  "run",
  "explain",
  "call",
  "tools",
  "skills",
  "doctor",
  "manifest",
  "mcp",
  "runner"
])

/** What may follow the words of a group: the rest of a command, or one more word of a group. */
export const below = (group: string): ReadonlyArray<string> => [
  ...new Set(
    [...names, ...groups.keys()].flatMap((name) =>
      name.startsWith(`${group} `) ? [name.slice(group.length + 1).split(" ")[0] ?? ""] : []
    )
  )
]
