/** Completion as somebody at a shell meets it: the script is sourced, and Tab is pressed. */
import { execFile } from "node:child_process"
import { chmodSync, existsSync } from "node:fs"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { has } from "../../scripts/lib/system.js"
import { installedCommand } from "../installed.js"
import { Tmux } from "./tmux.js"
import { Folder } from "./workspace.js"

const run = promisify(execFile)

const AGENT = "---\nclass: agent\ncapabilities: []\n---\n"

/** With the command line as `bailiwick`, and an agent whose name would do something if a shell read it. */
const workspace = async (): Promise<Folder> => {
  const folder = new Folder({
    "bailiwick.yaml": "",
    "home/x": "",
    "calls.json": "[]",
    "records/agents/scout.md": AGENT,
    "records/agents/scribe.md": AGENT,
    "records/agents/$(touch evil).md": AGENT
  })
  const program = await installedCommand()
  const script = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`
  chmodSync(folder.write("bin/bailiwick", script), 0o755)
  return folder
}

const environment = (folder: Folder) => ({
  PATH: `${folder.path("bin")}:${process.env.PATH}`,
  HOME: folder.path("home"),
  LANG: "C.UTF-8",
  TERM: "screen"
})

describe.runIf(has("bash"))("in bash", () => {
  /** What bash would offer for words of which the last one is being typed. */
  const offered = async (folder: Folder, ...words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    const script = `
      source <(bailiwick completion bash)
      complete -p bailiwick > /dev/null || exit 1
      COMP_WORDS=(bailiwick "$@"); COMP_CWORD=$#
      _bailiwick 2> /dev/null
      printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await run("bash", ["--norc", "-c", script, "bash", ...words], {
      cwd: folder.root,
      env: environment(folder)
    })
    return stdout.split("\n").filter((line) => line !== "")
  }

  it.each([
    [
      ["agents", "c"],
      ["capabilities", "create"]
    ],
    [
      ["agents", "grant", "agents/"],
      ["agents/scout", "agents/scribe"]
    ],
    [["agents", "grant", "scout", "net.g"], ["net.get"]],
    [["run", "calls.json", "--agent", "=", "scr"], ["scribe"]],
    [["doctor", "--st"], ["--strict"]],
    [["call", "read_f"], ["read_file"]],
    [["call", "read_file", "path", "=", "x", "l"], ["limit="]],
    [["call", "read_file", "path", "=", "l"], []]
  ])("%j is completed by %j, and nothing is run", async (words, expected) => {
    const folder = await workspace()
    expect(await offered(folder, ...words)).toEqual(expected)
    expect(existsSync(folder.path("evil"))).toBe(false)
  })
})

describe.runIf(has("fish"))("in fish", () => {
  const offered = async (folder: Folder, line: string): Promise<ReadonlyArray<string>> => {
    const script = "bailiwick completion fish | source; complete -C $argv[1]"
    const { stdout } = await run("fish", ["--no-config", "-c", script, line], {
      cwd: folder.root,
      env: environment(folder)
    })
    return stdout.split("\n").flatMap((one) => (one === "" ? [] : [one.split("\t")[0] ?? ""]))
  }

  it.each([
    ["bailiwick agents c", ["capabilities", "create"]],
    ["bailiwick agents grant agents/", ["agents/scout", "agents/scribe"]],
    ["bailiwick agents grant scout net.g", ["net.get"]],
    ["bailiwick run calls.json --agent=scr", ["--agent=scribe"]],
    ["bailiwick run cal", ["calls.json"]],
    ["bailiwick doctor --st", ["--strict"]],
    ["bailiwick call read_file p", ["path="]]
  ])("%s is completed by %j, and nothing is run", async (line, expected) => {
    const folder = await workspace()
    expect(await offered(folder, line)).toEqual(expected)
    expect(existsSync(folder.path("evil"))).toBe(false)
  })
})

const atPrompt = {
  bash: { start: "bash --norc --noprofile", ready: "source <(bailiwick completion bash)" },
  zsh: {
    start: "zsh -f",
    ready: "autoload -U compinit && compinit -u && source <(bailiwick completion zsh)"
  }
} as const

describe.each(["bash", "zsh"] as const)("at the prompt of %s", (shell) => {
  it.runIf(has("tmux") && has(shell))(
    "Tab completes commands, agents, options, grants and files",
    async () => {
      const folder = await workspace()
      const tmux = await Tmux.start(folder, { columns: 100, rows: 30 })
      const { ready, start } = atPrompt[shell]
      const tab = async (typed: string, seen: string) => {
        await tmux.type(`bailiwick ${typed}`)
        await tmux.press("Tab")
        // A screen has no blanks at the end of its lines.
        await tmux.sees(`bailiwick ${seen}\n`)
        await tmux.press("C-u")
      }
      try {
        await tmux.type(`PATH='${folder.path("bin")}':$PATH; PS1='% '; export PATH PS1; exec ${start}`)
        await tmux.press("Enter")
        await tmux.type(`PS1='now> '; ${ready}; echo sour''ced`)
        await tmux.press("Enter")
        await tmux.sees(/^sourced$/m)
        await tab("agents cre", "agents create")
        await tab("agents grant agents/scr", "agents grant agents/scribe")
        await tab("agents who secr", "agents who secrets.read")
        await tab("doctor --st", "doctor --strict")
        await tab("call read_file pa", "call read_file path=")
        await tmux.type("bailiwick call read_file pa")
        await tmux.press("Tab")
        await tmux.type("x")
        await tmux.sees("bailiwick call read_file path=x\n")
        await tmux.press("C-u")
        await tab("explain cal", "explain calls.json")
        await tab("run calls.json --agent=scr", "run calls.json --agent=scribe")
        expect(existsSync(folder.path("evil"))).toBe(false)
      } finally {
        await tmux.end()
      }
    }
  )
})
