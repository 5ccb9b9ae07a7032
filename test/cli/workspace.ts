/** A throw-away workspace, and the command line run inside it: in this process, or as one of its own. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Tty } from "../../src/cli/prompt/Tty.js"
import { run } from "../../src/cli/run.js"
import type { Surroundings } from "../../src/cli/Surroundings.js"
import { afterTest } from "../cleanup.js"

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly stdin?: string
  readonly env?: Record<string, string>
  readonly cwd?: string
  readonly home?: string | undefined
  readonly isTTY?: boolean
  readonly columns?: number
  readonly signal?: AbortSignal
  readonly tty?: Tty
  readonly stderrIsTTY?: boolean
  /** What is done with the arguments, in place of what the command line does. */
  readonly perform?: typeof run
  /** What a program from the sources loads; the bundle loads nothing itself. */
  readonly load?: Surroundings["load"]
  readonly version?: string
  readonly pipes?: Surroundings["pipes"]
}

export class Folder {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-cli-")))

  constructor(files: Readonly<Record<string, string>> = {}) {
    afterTest(() => rmSync(this.root, { recursive: true, force: true }))
    for (const [path, text] of Object.entries(files)) this.write(path, text)
  }

  path(...parts: ReadonlyArray<string>): string {
    return join(this.root, ...parts)
  }

  write(path: string, text: string | object): string {
    const whole = this.path(path)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, typeof text === "string" ? text : JSON.stringify(text))
    return whole
  }

  /** Writes `personality/config.yaml`. */
  personality(...lines: ReadonlyArray<string>): this {
    this.write("personality/config.yaml", ["id: tester", ...lines].join("\n"))
    return this
  }

  async bailiwick(args: ReadonlyArray<string>, options: Options = {}): Promise<Outcome> {
    const [out, err]: [Array<string>, Array<string>] = [[], []]
    const stop = new AbortController()
    const around: Surroundings = {
      env: { XDG_STATE_HOME: this.path("state"), PATH: process.env.PATH, ...options.env },
      cwd: options.cwd ?? this.root,
      home: "home" in options ? options.home : this.path("home"),
      stdin: () => Promise.resolve(options.stdin ?? ""),
      stdout: { isTTY: options.isTTY ?? false, columns: options.columns },
      stderr: {
        isTTY: options.stderrIsTTY ?? false,
        columns: options.columns,
        write: (text) => {
          err.push(text)
        }
      },
      print: async (text) => {
        out.push(text)
      },
      complain: (text) => err.push(`${text}\n`),
      tty: options.tty,
      signal: options.signal ?? stop.signal,
      interrupt: () => stop.abort(),
      load: options.load,
      version: options.version,
      pipes: options.pipes
    }
    const code = await (options.perform ?? run)(args, around)
    return { code, stdout: out.join(""), stderr: err.join("") }
  }

  /** Runs calls under `personality/` and answers with the results by id. */
  async calls(
    calls: ReadonlyArray<object>,
    options: Options & { readonly args?: ReadonlyArray<string> } = {}
  ) {
    const outcome = await this.bailiwick(
      ["run", "-", "--personality", "personality", "--json", ...(options.args ?? [])],
      { ...options, stdin: JSON.stringify(calls) }
    )
    if (outcome.code !== 0) throw new Error(outcome.stderr)
    const { events, results } = JSON.parse(outcome.stdout)
    return {
      events,
      results: results.map(({ result }: { result: unknown }) => result),
      stderr: outcome.stderr
    }
  }
}
