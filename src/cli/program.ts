/** The process around a command: its streams, its signals, its end. */
import { homedir } from "node:os"
import { Writable } from "node:stream"
import { CliError } from "./CliError.js"
import { keepInput } from "./childrenOfTools.js"
import type { Handing } from "./entry.js"
import { HandOver } from "./HandOver.js"
import { loading } from "./loading.js"
import { hasReader, reserve, write, writeOut } from "./output.js"
import { nodeTty } from "./prompt/NodeTty.js"
import type { Tty } from "./prompt/Tty.js"
import { readStream } from "./read.js"
import { run } from "./run.js"
import type { Surroundings } from "./Surroundings.js"

const home = (): string | undefined => {
  try {
    const found = homedir()
    return found.startsWith("/") ? found : undefined
  } catch {
    return undefined
  }
}

/** A shell may stand in a directory that another has deleted. */
const currentDirectory = (): string | undefined => {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/** Settles when the text is out; a reader that has left is no error, and a full disk is one. */
const print = async (text: string): Promise<void> => {
  const failure = await write(text)
  if (failure !== undefined) throw new CliError(`${failure}; what the command did is done`)
}

/** Questions are shown where they are seen: a file that takes the answers of the program is not asked. */
const tty = (): Tty | undefined => {
  if (process.stdin.isTTY !== true || process.env.TERM === "dumb") return undefined
  const output = [process.stdout, process.stderr].find(({ isTTY }) => isTTY === true)
  return output === undefined ? undefined : nodeTty(process.stdin, output)
}

/** Whatever else would be printed goes to standard error. */
const pipes = () => {
  reserve()
  keepInput()
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => void writeOut(String(chunk), done)
  })
  return { input: process.stdin, output }
}

/** Put in by the build; from the sources there is none. */
declare const BAILIWICK_VERSION: string | undefined

const version = (): string | undefined =>
  typeof BAILIWICK_VERSION === "undefined" ? undefined : BAILIWICK_VERSION

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

interface Listening {
  readonly signal: () => AbortSignal
  readonly exitCode: () => number | undefined
  /** As a signal does, with this exit code. */
  readonly abort: (code: number) => void
}

/**
 * The first signal ends the turn with all that it started; the second ends the program. Nobody listens before a command
 * asks for the signal, for who listens has to come to it: until then there is nothing to tidy, and a signal ends the
 * program at once, in the midst of a long calculation, too.
 */
const listening = (): Listening => {
  const controller = new AbortController()
  let received: number | undefined
  let listens = false
  const listen = (): void => {
    listens = true
    for (const [name, code] of Object.entries(SIGNALS)) {
      process.on(name, () => abort(code))
    }
  }
  const abort = (code: number): void => {
    if (received !== undefined) process.exit(code)
    received = code
    controller.abort()
  }
  return {
    signal: () => {
      if (!listens) listen()
      return controller.signal
    },
    exitCode: () => received,
    abort
  }
}

export const main = async (args: ReadonlyArray<string>, handing?: Handing): Promise<void> => {
  const { abort, exitCode, signal } = listening()
  process.stdout.on("error", () => {})
  process.stderr.on("error", () => {})
  const cwd = currentDirectory()
  if (cwd === undefined) {
    process.stderr.write("bailiwick: the current directory does not exist any more; change to another\n")
    process.exit(2)
  }
  const around: Surroundings = {
    env: process.env,
    cwd,
    home: home(),
    stdin: () => readStream(process.stdin, "standard input"),
    stdout: { isTTY: process.stdout.isTTY === true, columns: process.stdout.columns },
    stderr: {
      isTTY: process.stderr.isTTY === true,
      columns: process.stderr.columns,
      write: (text) => process.stderr.write(text)
    },
    pipes,
    print,
    hasReader,
    complain: (text) => process.stderr.write(`${text}\n`),
    // Only a command that asks something looks at the input at all.
    get tty() {
      return tty()
    },
    get signal() {
      return signal()
    },
    interrupt: () => abort(SIGNALS.SIGINT),
    ...(handing === undefined ? loading(abort) : {}),
    program: handing?.program,
    version: handing?.version ?? version()
  }
  try {
    const code = await run(args, around)
    process.exit(exitCode() ?? code)
  } catch (error) {
    if (handing === undefined || !(error instanceof HandOver)) throw error
    await handing.handOver(error.program)
  }
}
