/** The command line as data. What is not understood is refused with what was probably meant. */
import { closest } from "../policy/text/Closest.js"
import { quote } from "../policy/text/Quote.js"
import { type AuditOptions, auditOptions } from "./auditOptions.js"
import { CliError } from "./CliError.js"
import {
  below,
  type CommandName,
  commandNames,
  common,
  type Flag,
  flags,
  formOf,
  groups,
  isCommand,
  options,
  repeatable,
  type Shell,
  shells,
  valueMayFollow
} from "./Forms.js"
import { digestOf, portOf, sessionOf } from "./optionValues.js"
import { type SuggestOptions, suggestOptions } from "./suggestOptions.js"

/** Every command: where it looks for a workspace, and whether it prints JSON. */
interface Shared {
  readonly workdir: string | undefined
  readonly json: boolean
}

/** Whose authority: an agent's, a personality's, or what both allow. */
interface Held extends Shared {
  readonly agent: string | undefined
  readonly personality: string | undefined
}

/** What a turn is taken under, beside its calls. */
export interface TurnOptions extends Held {
  readonly session: string | undefined
  readonly attachments: string | undefined
}

export interface TurnCommand extends TurnOptions {
  readonly command: "run" | "explain"
  readonly calls: string
  /** Whether the plan of each command is shown. */
  readonly sandbox: boolean
}

export interface CallCommand extends TurnOptions {
  readonly command: "call"
  readonly tool: string
  /** `KEY=VALUE` each, or `-` alone. */
  readonly given: ReadonlyArray<string>
}

/** The help of one tool; without one, that of `call`. */
export interface CallHelpCommand extends Shared {
  readonly command: "call --help"
  readonly tool: string | undefined
}

export interface ToolsListCommand extends Held {
  readonly command: "tools list"
}

export interface ServersCommand extends Shared {
  readonly command: "tools mcp list" | "tools mcp show" | "tools mcp who" | "tools mcp remove"
  readonly server: string
  readonly yes: boolean
  readonly dryRun: boolean
}

export interface ServersAddCommand extends Shared {
  readonly command: "tools mcp add"
  readonly server: string
  /** The command and its arguments; none with a URL. */
  readonly started: ReadonlyArray<string>
  readonly url: string | undefined
  readonly token: string | undefined
  readonly requires: ReadonlyArray<string>
  readonly env: ReadonlyArray<string>
  readonly code: ReadonlyArray<string>
  readonly allows: ReadonlyArray<string>
  readonly yes: boolean
  readonly dryRun: boolean
}

export interface AgentsCommand extends Shared {
  readonly command: "agents capabilities" | "agents create" | "agents grant" | "agents revoke"
  readonly agent: string
  /** Without one, `grant` and `create` let the operator pick. */
  readonly spec: string | undefined
  readonly yes: boolean
  /** Shows what would be written, and writes nothing. */
  readonly dryRun: boolean
}

export interface AgentsListCommand extends Shared {
  readonly command: "agents list"
}

export interface AgentsWhoCommand extends Shared {
  readonly command: "agents who"
  readonly spec: string
}

export interface SkillsCommand extends Shared {
  readonly command: "skills list" | "skills show" | "skills check"
  readonly skill: string | undefined
  readonly agent: string | undefined
}

export interface McpServeCommand extends Held {
  readonly command: "mcp serve"
  readonly session: string | undefined
  /** Over HTTP in place of standard input and output. */
  readonly http: { readonly port: number; readonly host: string | undefined } | undefined
}

/** Where something is on a network. */
export interface Place {
  readonly host: string
  readonly port: number
}

export interface RunnerCommand extends Shared {
  readonly command: "runner"
  readonly listen: Place | undefined
  readonly address: Place | undefined
}

export interface DoctorCommand extends Shared {
  readonly command: "doctor"
  readonly strict: boolean
}

export interface ManifestCommand extends Shared {
  readonly command: "manifest"
  /** Compares, and writes nothing. */
  readonly check: boolean
}

export interface AuditCommand extends Shared, AuditOptions {
  readonly command: "audit"
}

export interface AuditVerifyCommand extends Shared {
  readonly command: "audit verify"
  /** The digest that the log had before. */
  readonly head: string | undefined
}

export interface SuggestCommand extends Shared, SuggestOptions {
  readonly command: "suggest"
}

export interface InitCommand extends Shared {
  readonly command: "init"
  readonly directory: string | undefined
  readonly dryRun: boolean
}

export interface CompletionCommand extends Shared {
  readonly command: "completion"
  readonly shell: Shell
}

export type Command =
  | TurnCommand
  | CallCommand
  | CallHelpCommand
  | ToolsListCommand
  | ServersCommand
  | ServersAddCommand
  | AgentsListCommand
  | AgentsWhoCommand
  | AgentsCommand
  | SkillsCommand
  | McpServeCommand
  | RunnerCommand
  | DoctorCommand
  | AuditCommand
  | AuditVerifyCommand
  | SuggestCommand
  | ManifestCommand
  | InitCommand
  | CompletionCommand

const meant = (word: string, known: Iterable<string>, otherwise: string): string => {
  const near = closest(word, known)
  return near === undefined ? otherwise : `did you mean '${near}'?`
}

const inQuotes = (names: ReadonlyArray<string>): string => names.map((command) => `'${command}'`).join(" or ")

const LISTS = "'bailiwick --help' lists them"

/** What was probably meant by words that are no command: a slip in either word, or a second word without its first. */
const nearest = (first: string, two: string): string => {
  const last = commandNames.filter((command) => command.endsWith(` ${first}`))
  const twoWords = last.filter((command) => command.split(" ").length === 2)
  const second = twoWords.length > 0 ? twoWords : last
  if (second.length > 0) return `did you mean ${inQuotes(second)}?`
  const firstWords = [...commandNames.filter((command) => !command.includes(" ")), ...groups.keys()]
  const other = meant(first, firstWords, LISTS)
  return first === two ? other : meant(two, commandNames, other)
}

const commandOf = (
  words: ReadonlyArray<string>
): { readonly command: CommandName; readonly rest: ReadonlyArray<string> } => {
  const [first, second] = words
  if (first === undefined) throw new CliError(`no command is given; ${LISTS}`)
  // 'audit' is one, and so is 'audit verify'.
  for (const length of [3, 2, 1]) {
    const name = words.slice(0, length).join(" ")
    if (words.length >= length && isCommand(name)) return { command: name, rest: words.slice(length) }
  }
  if (first === "agents" && second === undefined) return { command: "agents list", rest: [] }
  // Help that there is has been given by now.
  if (first === "help" && second !== undefined) return commandOf(words.slice(1))
  const two = `${first} ${second ?? ""}`.trim()
  const isDeep = second !== undefined && groups.has(two)
  const [group, next] = isDeep ? [two, words[2]] : [first, second]
  const inside = below(group)
  if (inside.length > 0) {
    const all = inside.map((command) => `${group} ${command}`)
    const every = `write ${inQuotes(all)}`
    const near = next === undefined ? undefined : closest(next, inside)
    throw new CliError(
      next === undefined
        ? `'${group}' needs a command of its own; ${every}`
        : `'${group}' has no command ${quote(next)}; ${near === undefined ? every : `did you mean '${group} ${near}'?`}`
    )
  }
  throw new CliError(`${quote(first)} is not a command; ${nearest(first, two)}`)
}

interface Split {
  readonly words: ReadonlyArray<string>
  readonly given: ReadonlyArray<{ readonly name: string; readonly value: string | undefined }>
}

const isFlag = (name: string): name is Flag => Object.keys(flags).includes(name)

const known = [...Object.keys(options), ...Object.keys(flags)]

/** The option that was probably meant: a slip, or its first letter alone. */
const nearestOption = (arg: string, name: string, command: string | undefined): string => {
  const [letter] = /^-([a-z])$/.exec(arg)?.slice(1) ?? []
  const starting = known.filter((option) => letter !== undefined && option.startsWith(letter))
  const near = starting.length === 1 ? starting[0] : closest(name, known)
  if (near !== undefined) return `did you mean '--${near}'?`
  return command === "call"
    ? "parameters of a tool are written KEY=VALUE, and other words follow '--'"
    : LISTS
}

/** Words and options in any order; after `--` there are only words. A lone `-` is a word. */
const split = (args: ReadonlyArray<string>): Split => {
  const words: Array<string> = []
  const given: Array<Split["given"][number]> = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ""
    if (arg === "--") {
      words.push(...args.slice(i + 1))
      break
    }
    if (!arg.startsWith("-") || arg === "-") {
      words.push(arg)
      continue
    }
    const equals = arg.indexOf("=")
    const name = arg === "-h" ? "help" : (equals < 0 ? arg : arg.slice(0, equals)).replace(/^--/, "")
    if ((!arg.startsWith("--") && arg !== "-h") || !known.includes(name)) {
      throw new CliError(`${quote(arg)} is not an option; ${nearestOption(arg, name, words[0])}`)
    }
    const flag = isFlag(name)
    if (flag && equals >= 0) throw new CliError(`--${name} takes no value; write it alone`)
    const isAlone = flag || (equals < 0 && valueMayFollow.get(name)?.test(args[i + 1] ?? "") === false)
    const value = isAlone ? undefined : equals >= 0 ? arg.slice(equals + 1) : args[++i]
    if (!isAlone && (value === undefined || value === "")) {
      throw new CliError(`--${name} needs a value; write it after the option`)
    }
    if (!repeatable.has(name) && given.some((one) => one.name === name))
      throw new CliError(`--${name} is given twice; keep one`)
    given.push({ name, value })
  }
  return { words, given }
}

const usageOf = (command: CommandName): string =>
  [
    "bailiwick",
    command,
    ...formOf(command).words.map(({ many, name, optional }) => {
      const shown = many ? `${name}…` : name
      return optional ? `[${shown}]` : shown
    })
  ].join(" ")

const wordsOf = (command: CommandName, rest: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { words } = formOf(command)
  const extra = rest[words.length]
  if (extra !== undefined && words.at(-1)?.many !== true) {
    throw new CliError(
      `${quote(extra)} is one word too many for '${command}'; quote what holds blanks or braces`
    )
  }
  const missing = words.find((word, at) => rest[at] === undefined && word.optional !== true)
  if (missing === undefined) return rest
  throw new CliError(
    missing.name === "CALLS.json"
      ? `'${command}' needs a file of calls; write 'bailiwick ${command} CALLS.json', or - for stdin`
      : `'${command}' needs ${missing.name}; write '${usageOf(command)}'`
  )
}

const shellOf = (word: string): Shell => {
  const shell = shells.find((one) => one === word)
  if (shell !== undefined) return shell
  throw new CliError(
    `there is no completion for ${quote(word)}; ${meant(word, shells, `write ${shells.map((one) => `'${one}'`).join(", ")}`)}`
  )
}

/** Throws a `CliError`. */
export const parseArguments = (args: ReadonlyArray<string>): Command => {
  const { given, words } = split(args)
  const { command, rest } = commandOf(words)
  const form = formOf(command)
  const allowed: ReadonlyArray<string> = [
    ...form.options,
    ...form.flags,
    ...common.options,
    ...common.flags,
    // Only the help of a tool is not given by now.
    ...(command === "call" ? ["help"] : [])
  ]
  const foreign = given.find(({ name }) => !allowed.includes(name))
  if (foreign !== undefined) {
    throw new CliError(
      `'${command}' has no option --${foreign.name}; 'bailiwick ${command} --help' lists them`
    )
  }
  const option = (name: string) => given.find((one) => one.name === name)?.value
  const all = (name: string) =>
    given.flatMap((one) => (one.name === name && one.value !== undefined ? [one.value] : []))
  const flag = (name: string) => given.some((one) => one.name === name)
  const shared = { workdir: option("workdir"), json: flag("json") }
  if (command === "call" && (flag("help") || words[0] === "help")) {
    return { command: "call --help", ...shared, tool: rest[0] }
  }
  const [first, second] = wordsOf(command, rest)
  const [agent, personality] = [option("agent"), option("personality")]
  switch (command) {
    case "tools list":
      return { command, ...shared, agent, personality }
    case "tools mcp list":
    case "tools mcp show":
    case "tools mcp who":
    case "tools mcp remove":
      return { command, ...shared, server: first ?? "", yes: flag("yes"), dryRun: flag("dry-run") }
    case "tools mcp add":
      return {
        command,
        ...shared,
        server: first ?? "",
        started: rest.slice(1),
        url: option("url"),
        token: option("token"),
        requires: all("requires"),
        env: all("env"),
        code: all("code"),
        allows: all("allows"),
        yes: flag("yes"),
        dryRun: flag("dry-run")
      }
    case "agents list":
      return { command, ...shared }
    case "agents who":
      return { command, ...shared, spec: first ?? "" }
    case "agents capabilities":
    case "agents create":
    case "agents grant":
    case "agents revoke":
      return {
        command,
        ...shared,
        agent: first ?? "",
        spec: second,
        yes: flag("yes"),
        dryRun: flag("dry-run")
      }
    case "completion":
      return { command, ...shared, shell: shellOf(first ?? "") }
    case "skills list":
    case "skills show":
    case "skills check":
      return { command, ...shared, agent, skill: first }
    case "mcp serve":
      return { command, ...shared, ...mcpOptions(option) }
    case "runner":
      return { command, ...shared, listen: placeOf("listen", option), address: placeOf("address", option) }
    case "doctor":
      return { command, ...shared, strict: flag("strict") }
    case "audit":
      return { command, ...shared, ...auditOptions(rest, option, flag, shared.json) }
    case "audit verify":
      return { command, ...shared, head: digestOf("head", option("head")) }
    case "suggest":
      return { command, ...shared, ...suggestOptions(rest, option, flag) }
    case "init":
      return { command, ...shared, directory: first, dryRun: flag("dry-run") }
    case "manifest":
      return { command, ...shared, check: flag("check") }
    case "run":
    case "explain":
      return {
        command,
        ...shared,
        ...turnOptions(command, option),
        calls: first ?? "",
        sandbox: flag("sandbox")
      }
    case "call":
      return { command, ...shared, ...turnOptions(command, option), tool: first ?? "", given: rest.slice(1) }
  }
}

const turnOptions = (
  command: CommandName,
  option: (name: string) => string | undefined
): Omit<TurnOptions, keyof Shared> => {
  const [agent, personality] = [option("agent"), option("personality")]
  if (personality === undefined && agent === undefined) {
    throw new CliError(
      `'${command}' needs to know what is allowed; add --agent with a record, or --personality with a directory or an id`
    )
  }
  return {
    agent,
    personality,
    session: sessionOf(option("session")),
    attachments: option("attachments")
  }
}

/** `HOST:PORT`; an address of IPv6 stands in brackets. */
const placeOf = (name: string, option: (name: string) => string | undefined): Place | undefined => {
  const text = option(name)
  if (text === undefined) return undefined
  const [, inBrackets, plain, port] = /^(?:\[([\da-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = inBrackets ?? plain
  if (host === undefined || port === undefined) {
    throw new CliError(
      `--${name} takes a host and a port, as in 127.0.0.1:34431, and ${quote(text)} is none; port 0 takes a free one`
    )
  }
  return { host, port: portOf(name, port) }
}

const mcpOptions = (
  option: (name: string) => string | undefined
): Omit<McpServeCommand, "command" | keyof Shared> => {
  const { agent, personality, session } = turnOptions("mcp serve", option)
  const [http, host] = [option("http"), option("host")]
  if (http === undefined && host !== undefined) throw new CliError("--host goes with --http; add the port")
  if (http !== undefined && session !== undefined) {
    throw new CliError(
      "--session goes without --http, where every client has a session of its own; leave it out"
    )
  }
  return {
    agent,
    personality,
    session,
    http: http === undefined ? undefined : { port: portOf("http", http), host }
  }
}
