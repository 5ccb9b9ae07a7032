/** Where an answer or a record cannot be written, the command says so and fails: it never looks done. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { installedCommand } from "../installed.js"
import { Folder } from "./workspace.js"

const RECORD = "---\nclass: agent\ncapabilities: [records.read]\n---\nBody\n"

const workspace = () =>
  new Folder({
    "bailiwick.yaml": "",
    "records/agents/scout.md": RECORD,
    "skills/tidy.md": "---\nname: tidy\ndescription: x\n---\nBody\n",
    "calls.json": "[]"
  })

const environment = (folder: Folder) => ({ PATH: process.env.PATH, HOME: folder.path("home") })

const commands: ReadonlyArray<ReadonlyArray<string>> = [
  [],
  ["--help"],
  ["--version"],
  ["completion", "bash"],
  ["completion", "zsh", "--json"],
  ["__complete", "--", "ag"],
  ["__complete", "--", "agents", "grant", "sc"],
  ["run", "calls.json", "--agent", "scout"],
  ["explain", "calls.json", "--agent", "scout", "--json"],
  ["tools", "list"],
  ["agents"],
  ["agents", "capabilities", "scout"],
  ["agents", "create", "helper"],
  ["agents", "grant", "scout", "records.create", "--yes"],
  ["agents", "grant", "scout", "records.delete", "--dry-run"],
  ["agents", "revoke", "scout", "records.read", "--json"],
  ["agents", "who", "records.read"],
  ["skills", "list"],
  ["skills", "show", "tidy"],
  ["skills", "check"],
  ["doctor"],
  ["doctor", "--json"]
]

describe.runIf(process.platform === "linux")("on a full disk", () => {
  it.each(commands.map((args) => [args]))("%j exits with 2 and one sentence", async (args) => {
    const folder = workspace()
    const full = openSync("/dev/full", "w")
    const child = spawn(process.execPath, [await installedCommand(), ...args], {
      cwd: folder.root,
      env: environment(folder),
      stdio: ["ignore", full, "pipe"]
    })
    closeSync(full)
    let stderr = ""
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    const [code] = await once(child, "close")
    const [sentence, ...others] = stderr.trim().split("\n").reverse()
    expect(sentence).toMatch(
      /^bailiwick: standard output could not be written: there is no space left where it goes/
    )
    expect({ code, others }).toEqual({ code: 2, others: [] })
  })

  it.each([
    [["grant", "scout", "records.create", "--yes"], "was not changed: no file may become that large here"],
    [["revoke", "scout", "records.read"], "was not changed: no file may become that large here"],
    [["create", "helper", "records.read", "--yes"], "was not created: "]
  ])("agents %j leaves the records as they were, and exits with 2", async (args, words) => {
    const folder = workspace()
    const files = () => readdirSync(folder.path("records/agents"))
    // No file may grow: to a writer that is a disk without space.
    const limited = `ulimit -f 0; exec "$0" "$@"`
    const command = [process.execPath, await installedCommand(), "agents", ...args]
    const failed: unknown = await promisify(execFile)("/bin/sh", ["-c", limited, ...command], {
      cwd: folder.root,
      env: environment(folder)
    }).catch((error) => error)
    expect(failed).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(words) })
    expect(readFileSync(folder.path("records/agents/scout.md"), "utf8")).toBe(RECORD)
    expect(files()).toEqual(["scout.md"])
  })
})
