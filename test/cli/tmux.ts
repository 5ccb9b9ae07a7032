/** A real terminal: a shell in tmux, on a socket of its own, with the command line as `bw`. */
import { execFile, execFileSync } from "node:child_process"
import { chmodSync, createReadStream, type ReadStream, readFileSync } from "node:fs"
import { promisify } from "node:util"
import { installedCommand } from "../installed.js"
import type { Folder } from "./workspace.js"

const run = promisify(execFile)

const script = (program: string) => `#!/bin/sh
echo $$ > "$HOME/../pid"
exec '${process.execPath}' '${program}' "$@"
`

const PATIENCE = 600_000

export class Tmux {
  private commands = 0

  private constructor(
    private readonly folder: Folder,
    private readonly output: ReadStream
  ) {}

  static async start(folder: Folder, size: { columns: number; rows: number }): Promise<Tmux> {
    folder.write("home/x", "")
    chmodSync(folder.write("bw", script(await installedCommand())), 0o755)
    execFileSync("mkfifo", [folder.path("output")])
    const shell = `exec env -i PATH='${folder.root}:${process.env.PATH}' HOME='${folder.path("home")}' TERM=screen LANG=C.UTF-8 PS1='ready> ' /bin/sh`
    const args = ["-u", "-f", "/dev/null", "new-session", "-d", "-x", `${size.columns}`, "-y", `${size.rows}`]
    const tmux = new Tmux(folder, createReadStream(folder.path("output"), "utf8"))
    await tmux.tmux(...args, "-c", folder.root, shell)
    return tmux.ready().catch(async (error) => {
      await tmux.end()
      throw error
    })
  }

  private async ready(): Promise<this> {
    // Whatever the screen is told is told here too, so that nobody has to guess when to look.
    await this.tmux("pipe-pane", `exec cat > '${this.folder.path("output")}'`)
    await this.press("Enter")
    await this.sees("ready>")
    return this
  }

  private async tmux(...args: ReadonlyArray<string>): Promise<string> {
    return (await run("tmux", ["-S", this.folder.path("tmux"), ...args])).stdout
  }

  screen(): Promise<string> {
    return this.tmux("capture-pane", "-p")
  }

  /** Waits until the screen shows something; it is looked at whenever something was written to it. */
  async sees(words: string | RegExp): Promise<string> {
    const seen = (screen: string) => (typeof words === "string" ? screen.includes(words) : words.test(screen))
    let screen = ""
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not seen: ${words}\n${screen}`)), PATIENCE)
    })
    try {
      for (;;) {
        const written = new Promise<void>((done) => this.output.once("data", () => done()))
        screen = await this.screen()
        if (seen(screen)) return screen
        await Promise.race([written, late])
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Keys by their names in tmux: `Enter`, `Down`, `C-c`. */
  async press(...keys: ReadonlyArray<string>): Promise<void> {
    await this.tmux("send-keys", ...keys)
  }

  async type(text: string): Promise<void> {
    await this.tmux("send-keys", "-l", "--", text)
  }

  /** Types a command, which tells its exit code on a line of its own. What the one before it showed is gone by then. */
  async command(line: string): Promise<void> {
    this.commands++
    await this.type("clear")
    await this.press("Enter")
    await this.sees(/^ready>\s*$/)
    await this.type(`clear; ${line}; echo "[${this.commands}] exit=$?"`)
    await this.press("Enter")
  }

  /** Waits until the last command has ended, and not one before it. */
  exits(code: number): Promise<string> {
    return this.sees(`[${this.commands}] exit=${code}\n`)
  }

  /** As a terminal pastes: marked, where that was asked for. */
  async paste(text: string): Promise<void> {
    await this.tmux("set-buffer", "--", text)
    await this.tmux("paste-buffer", "-p", "-r")
  }

  async seesCursor(): Promise<boolean> {
    return (await this.tmux("display-message", "-p", "#{cursor_flag}")).trim() === "1"
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.tmux("resize-window", "-x", `${columns}`, "-y", `${rows}`)
  }

  /** The process id of the command line that runs. */
  pid(): number {
    return Number(readFileSync(this.folder.path("pid"), "utf8"))
  }

  async end(): Promise<void> {
    await this.tmux("kill-server")
    this.output.destroy()
  }
}
