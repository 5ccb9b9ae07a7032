/** Commands that the steps run, each with all that it starts. None outlives this process, however that ends. */
import { type ChildProcess, spawn } from "node:child_process"
import { root } from "./project.js"
import { colourEnvironment } from "./terminal.js"

export interface Finished {
  readonly ok: boolean
  readonly stdout: string
  /** Standard output and standard error, in the order in which they came. */
  readonly output: string
}

export interface Options {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

const running = new Set<ChildProcess>()

/** Each leads a group of its own, so that workers go with who started them. */
const killGroup = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL")
  } catch {
    // It has ended already.
  }
}

const killAll = (): void => {
  for (const child of running) killGroup(child)
}

process.on("exit", killAll)
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129]
] as const) {
  process.on(signal, () => process.exit(code))
}

/**
 * Runs a command to its end and keeps what it printed. Never rejects. There is no limit on its time: a slow machine
 * would meet it, and whoever waits can end this process, and with it all that it has started.
 */
export const command = (
  file: string,
  args: ReadonlyArray<string>,
  options: Options = {}
): Promise<Finished> =>
  new Promise((done) => {
    const child = spawn(file, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...colourEnvironment, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32"
    })
    running.add(child)
    let stdout = ""
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      output += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
    child.on("error", (error) => {
      running.delete(child)
      done({ ok: false, stdout, output: `${output}${error.message}\n` })
    })
    child.on("close", (code, signal) => {
      // Whoever it left behind in its group has nobody to work for.
      killGroup(child)
      running.delete(child)
      if (code !== 0) output += code === null ? `ended by ${signal}\n` : `exit code ${code}\n`
      done({ ok: code === 0, stdout, output })
    })
  })

export const node = (args: ReadonlyArray<string>, options?: Options) =>
  command(process.execPath, args, options)

export const npm = (args: ReadonlyArray<string>, options?: Options) =>
  command(process.platform === "win32" ? "npm.cmd" : "npm", args, options)
