import { spawn } from "node:child_process"
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
  readonly seconds?: number
}

/** Runs a command to its end and keeps what it printed. Never rejects. */
const command = (file: string, args: ReadonlyArray<string>, options: Options = {}): Promise<Finished> =>
  new Promise((done) => {
    const seconds = options.seconds ?? 300
    const child = spawn(file, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...colourEnvironment, ...options.env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let stdout = ""
    let output = ""
    let stopped = false
    const timer = setTimeout(() => {
      stopped = true
      child.kill("SIGKILL")
    }, seconds * 1000)
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      output += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
    child.on("error", (error) => {
      clearTimeout(timer)
      done({ ok: false, stdout, output: `${output}${error.message}\n` })
    })
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (stopped) output += `stopped after ${seconds} seconds\n`
      else if (code !== 0) output += code === null ? `ended by ${signal}\n` : `exit code ${code}\n`
      done({ ok: code === 0, stdout, output })
    })
  })

export const node = (args: ReadonlyArray<string>, options?: Options) =>
  command(process.execPath, args, options)

export const npm = (args: ReadonlyArray<string>, options?: Options) =>
  command(process.platform === "win32" ? "npm.cmd" : "npm", args, options)
