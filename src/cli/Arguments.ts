/** The command line as data. What is not understood is refused with what was probably meant. */
import { closest } from "../policy/internal/closest.js"
import { quote } from "../policy/internal/text.js"
import { CliError } from "./CliError.js"

export interface TurnCommand {
  readonly command: "run" | "explain"
  readonly calls: string
  readonly personality: string
  readonly session: string | undefined
  readonly workdir: string | undefined
  readonly attachments: string | undefined
  readonly json: boolean
}

export interface ToolsListCommand {
  readonly command: "tools list"
  readonly personality: string | undefined
  readonly workdir: string | undefined
  readonly json: boolean
}

export type Command = TurnCommand | ToolsListCommand

/** Options that take a value, by command; every command takes `--json`. */
const options: Readonly<Record<Command["command"], ReadonlyArray<string>>> = {
  run: ["personality", "agent", "session", "workdir", "attachments"],
  explain: ["personality", "agent", "session", "workdir", "attachments"],
  "tools list": ["personality", "agent", "workdir"]
}

const commands = Object.keys(options)

const isCommand = (name: string): name is Command["command"] => commands.includes(name)

const meant = (word: string, known: ReadonlyArray<string>, otherwise: string): string => {
  const near = closest(word, known)
  return near === undefined ? otherwise : `did you mean '${near}'?`
}

const commandOf = (words: ReadonlyArray<string>) => {
  const [first, second] = words
  if (first === undefined) throw new CliError("no command is given; 'bailiwick --help' lists them")
  if (isCommand(first)) return { command: first, rest: words.slice(1) }
  const two = `${first} ${second ?? ""}`.trim()
  if (second !== undefined && isCommand(two)) return { command: two, rest: words.slice(2) }
  const help = "'bailiwick --help' lists them"
  throw new CliError(
    first === "tools"
      ? `'tools' needs a command of its own; ${second === undefined ? "write 'tools list'" : meant(two, commands, "write 'tools list'")}`
      : `${quote(first)} is not a command; ${meant(first, commands, help)}`
  )
}

interface Split {
  readonly words: ReadonlyArray<string>
  readonly given: ReadonlyArray<{ readonly name: string; readonly value: string | undefined }>
}

const known = [...new Set(Object.values(options).flat()), "json", "help", "version"]

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
    const flag = name === "json" || name === "help" || name === "version"
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

/** Throws a `CliError`. */
export const parseArguments = (args: ReadonlyArray<string>): Command => {
  const { given, words } = split(args)
  const { command, rest } = commandOf(words)
  const foreign = given.find(({ name }) => name !== "json" && !options[command].includes(name))
  if (foreign !== undefined) {
    throw new CliError(
      `'${command}' has no option --${foreign.name}; 'bailiwick ${command} --help' lists them`
    )
  }
  const option = (name: string) => given.find((one) => one.name === name)?.value
  if (option("agent") !== undefined) {
    throw new CliError("--agent is not supported yet; use --personality with a directory")
  }
  const json = given.some(({ name }) => name === "json")
  const [personality, workdir] = [option("personality"), option("workdir")]
  const [calls, extra] = command === "tools list" ? [undefined, rest[0]] : rest
  if (extra !== undefined) throw new CliError(`${quote(extra)} is one word too many for '${command}'`)
  if (command === "tools list") return { command, personality, workdir, json }
  if (calls === undefined) {
    throw new CliError(
      `'${command}' needs a file of calls; write 'bailiwick ${command} CALLS.json', or - for stdin`
    )
  }
  if (personality === undefined) {
    throw new CliError(
      `'${command}' needs to know what is allowed; add --personality with a directory or an id`
    )
  }
  return {
    command,
    calls,
    personality,
    workdir,
    session: sessionOf(option("session")),
    attachments: option("attachments"),
    json
  }
}

const sessionOf = (id: string | undefined): string | undefined => {
  if (id !== undefined && !/^[^\p{C}\s]{1,128}$/u.test(id)) {
    throw new CliError("--session takes one word of at most 128 characters")
  }
  return id
}
