/** What happens before anything is loaded: help, version and most of completion are answered, and only then is there work. */
import { answerText, complete } from "./completion/Complete.js"
import { script } from "./completion/Script.js"
import { shells } from "./Forms.js"
import { helpFor } from "./Help.js"
import { write } from "./output.js"

/** What a program that has the library to itself is told, so that it can leave a command to another. */
export interface Handing {
  readonly version: string
  /** The same program, with the library and the packages that are installed. */
  readonly program: string
  /** Runs the command with the program of a workspace, which ends the process. */
  readonly handOver: (program: string) => Promise<void>
}

/** The rest of the program, behind a door that is opened only when it is needed. */
export interface Program {
  readonly main: (args: ReadonlyArray<string>, handing?: Handing) => Promise<void>
}

const COMPLETE = "__complete"

/** What needs no workspace, if that is all. */
const atOnce = (args: ReadonlyArray<string>, version: () => string): string | undefined => {
  const help = helpFor(args)
  if (help !== undefined) return help
  const [first, second, third] = args
  if (first === "--version") return `${version()}\n`
  if (first === COMPLETE) return answerText(complete(args.slice(1)))
  const shell = first === "completion" && third === undefined && shells.find((one) => one === second)
  return shell ? script(shell) : undefined
}

export const start = async (
  args: ReadonlyArray<string>,
  version: () => string,
  load: () => Program | Promise<Program>
): Promise<void> => {
  const text = atOnce(args, version)
  if (text === undefined) return (await load()).main(args)
  const failure = await write(text)
  if (failure === undefined) return
  process.stderr.on("error", () => {}).write(`bailiwick: ${failure}\n`)
  process.exitCode = 2
}
