/** The command line as data. What is not understood is refused with what was probably meant. */
import { closest } from "../policy/text/Closest.js"
import { quote } from "../policy/text/Quote.js"
import { CliError } from "./CliError.js"

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

export interface TurnCommand extends Held {
  readonly command: "run" | "explain"
  readonly calls: string
  readonly session: string | undefined
  readonly attachments: string | undefined
}

export interface ToolsListCommand extends Held {
  readonly command: "tools list"
}

export interface AgentsCommand extends Shared {
  readonly command: "agents capabilities" | "agents grant" | "agents revoke"
  readonly agent: string
  /** Without one, `grant` lets the operator pick. */
  readonly spec: string | undefined
  readonly yes: boolean
}

export interface AgentsListCommand extends Shared {
  readonly command: "agents list"
}

export interface SkillsCommand extends Shared {
  readonly command: "skills list" | "skills show" | "skills check"
  readonly skill: string | undefined
  readonly agent: string | undefined
}

export interface DoctorCommand extends Shared {
  readonly command: "doctor"
  readonly strict: boolean
}

export type Command =
  | TurnCommand
  | ToolsListCommand
  | AgentsListCommand
  | AgentsCommand
  | SkillsCommand
  | DoctorCommand

/** What a command takes beside `--workdir` and `--json`: words, options with a value, and flags. */
interface Form {
  readonly words: ReadonlyArray<string>
  readonly options: ReadonlyArray<string>
  readonly flags: ReadonlyArray<string>
}

const turnForm: Form = {
  words: ["CALLS.json"],
  options: ["personality", "agent", "session", "attachments"],
  flags: []
}

const forms: Readonly<Record<Command["command"], Form>> = {
  run: turnForm,
  explain: turnForm,
  "tools list": { words: [], options: ["personality", "agent"], flags: [] },
  "agents list": { words: [], options: [], flags: [] },
  "agents capabilities": { words: ["ID"], options: [], flags: [] },
  "agents grant": { words: ["ID", "[SPEC]"], options: [], flags: ["yes"] },
  "agents revoke": { words: ["ID", "SPEC"], options: [], flags: ["yes"] },
  "skills list": { words: [], options: ["agent"], flags: [] },
  "skills show": { words: ["NAME"], options: ["agent"], flags: [] },
  "skills check": { words: ["[NAME]"], options: ["agent"], flags: [] },
  doctor: { words: [], options: [], flags: ["strict"] }
}

const commands = Object.keys(forms)

const isCommand = (name: string): name is Command["command"] => commands.includes(name)

const meant = (word: string, known: ReadonlyArray<string>, otherwise: string): string => {
  const near = closest(word, known)
  return near === undefined ? otherwise : `did you mean '${near}'?`
}

const commandOf = (
  words: ReadonlyArray<string>
): { readonly command: Command["command"]; readonly rest: ReadonlyArray<string> } => {
  const [first, second] = words
  if (first === undefined) throw new CliError("no command is given; 'bailiwick --help' lists them")
  if (isCommand(first)) return { command: first, rest: words.slice(1) }
  if (first === "agents" && second === undefined) return { command: "agents list", rest: [] }
  const two = `${first} ${second ?? ""}`.trim()
  if (second !== undefined && isCommand(two)) return { command: two, rest: words.slice(2) }
  const below = commands.filter((command) => command.startsWith(`${first} `))
  if (below.length > 0) {
    const all = `write ${below.map((command) => `'${command}'`).join(" or ")}`
    throw new CliError(
      `'${first}' needs a command of its own; ${second === undefined ? all : meant(two, below, all)}`
    )
  }
  throw new CliError(
    `${quote(first)} is not a command; ${meant(two, commands, meant(first, commands, "'bailiwick --help' lists them"))}`
  )
}

interface Split {
  readonly words: ReadonlyArray<string>
  readonly given: ReadonlyArray<{ readonly name: string; readonly value: string | undefined }>
}

const flags = [...new Set(Object.values(forms).flatMap((form) => form.flags)), "json", "help", "version"]

const known = [...new Set(Object.values(forms).flatMap((form) => form.options)), "workdir", ...flags]

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
    const name = (equals < 0 ? arg : arg.slice(0, equals)).replace(/^--/, "")
    if (!arg.startsWith("--") || !known.includes(name)) {
      const dashed = known.map((option) => `--${option}`)
      throw new CliError(
        `${quote(arg)} is not an option; ${meant(arg, dashed, "'bailiwick --help' lists them")}`
      )
    }
    const flag = flags.includes(name)
    if (flag && equals >= 0) throw new CliError(`--${name} takes no value; write it alone`)
    const value = flag ? undefined : equals >= 0 ? arg.slice(equals + 1) : args[++i]
    if (!flag && (value === undefined || value === "")) {
      throw new CliError(`--${name} needs a value; write it after the option`)
    }
    if (given.some((one) => one.name === name)) throw new CliError(`--${name} is given twice; keep one`)
    given.push({ name, value })
  }
  return { words, given }
}

const wordsOf = (command: Command["command"], rest: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { words } = forms[command]
  const extra = rest[words.length]
  if (extra !== undefined) {
    throw new CliError(
      `${quote(extra)} is one word too many for '${command}'; quote what holds blanks or braces`
    )
  }
  const missing = words.find((word, at) => rest[at] === undefined && !word.startsWith("["))
  if (missing === undefined) return rest
  const usage = `write 'bailiwick ${command} ${words.join(" ")}'`
  throw new CliError(
    missing === "CALLS.json"
      ? `'${command}' needs a file of calls; write 'bailiwick ${command} CALLS.json', or - for stdin`
      : `'${command}' needs ${missing}; ${usage}`
  )
}

/** Throws a `CliError`. */
export const parseArguments = (args: ReadonlyArray<string>): Command => {
  const { given, words } = split(args)
  const { command, rest } = commandOf(words)
  const form = forms[command]
  const allowed = [...form.options, ...form.flags, "workdir", "json"]
  const foreign = given.find(({ name }) => !allowed.includes(name))
  if (foreign !== undefined) {
    throw new CliError(
      `'${command}' has no option --${foreign.name}; 'bailiwick ${command} --help' lists them`
    )
  }
  const option = (name: string) => given.find((one) => one.name === name)?.value
  const flag = (name: string) => given.some((one) => one.name === name)
  const [first, second] = wordsOf(command, rest)
  const shared = { workdir: option("workdir"), json: flag("json") }
  const [agent, personality] = [option("agent"), option("personality")]
  switch (command) {
    case "tools list":
      return { command, ...shared, agent, personality }
    case "agents list":
      return { command, ...shared }
    case "agents capabilities":
    case "agents grant":
    case "agents revoke":
      return { command, ...shared, agent: first ?? "", spec: second, yes: flag("yes") }
    case "skills list":
    case "skills show":
    case "skills check":
      return { command, ...shared, agent, skill: first }
    case "doctor":
      return { command, ...shared, strict: flag("strict") }
    case "run":
    case "explain":
      if (personality === undefined && agent === undefined) {
        throw new CliError(
          `'${command}' needs to know what is allowed; add --agent with a record, or --personality with a directory or an id`
        )
      }
      return {
        command,
        ...shared,
        agent,
        personality,
        calls: first ?? "",
        session: sessionOf(option("session")),
        attachments: option("attachments")
      }
  }
}

const sessionOf = (id: string | undefined): string | undefined => {
  if (id !== undefined && !/^[^\p{C}\s]{1,128}$/u.test(id)) {
    throw new CliError("--session takes one word of at most 128 characters")
  }
  return id
}
