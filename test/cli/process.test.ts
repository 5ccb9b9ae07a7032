// biome-ignore-all lint/suspicious/noTemplateCurlyInString: personalities write their variables like this
/** The command line as a process of its own: from its sources, and as it is bundled and installed. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { readManifest, root, scratch } from "../../scripts/lib/project.js"
import { has } from "../../scripts/lib/system.js"
import { installed } from "../installed.js"
import { programOf } from "../program.js"
import { Folder } from "./workspace.js"

const children: Array<ChildProcess> = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
})

const started = (
  folder: Folder,
  command: ReadonlyArray<string>,
  args: ReadonlyArray<string>
): ChildProcess => {
  const child = spawn(process.execPath, [...command, ...args], {
    cwd: folder.root,
    env: { PATH: process.env.PATH, HOME: folder.path("home"), XDG_STATE_HOME: folder.path("state") },
    stdio: ["ignore", "pipe", "pipe"]
  })
  children.push(child)
  return child
}

const ended = async (child: ChildProcess) => {
  let [stdout, stderr] = ["", ""]
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const [code, signal] = await once(child, "close")
  return { code, signal, stdout, stderr }
}

const runs = (folder: Folder, command: ReadonlyArray<string>, ...args: ReadonlyArray<string>) =>
  ended(started(folder, command, args))

const ours = ["run", "calls.json", "--personality", "personality"]

let output = ""

beforeAll(async () => {
  const from = await installed()
  output = mkdtempSync(join(scratch, "cli-"))
  cpSync(from, output, { recursive: true })
})

afterAll(() => rmSync(output, { recursive: true, force: true }))

const inDist = (path: string) => join(output, "dist", path)

const bundled = () => [inDist("cli/main.js")]

const sources = async () => [await programOf(join(root, "src/cli/main.ts"))]

describe.each([
  ["sources", sources],
  ["bundle", bundled]
] as const)("from its %s", (_kind, command) => {
  it("a turn with files and a store is done, and a refusal is an answer", async () => {
    const folder = new Folder({ "a.txt": "hello" }).personality('fs_reach: { read: ["${CWD}"] }')
    folder.write("calls.json", [
      { id: "1", name: "read_file", args: { path: "a.txt" } },
      { id: "2", name: "kv_set", args: { key: "a", value: "b" } },
      { id: "3", name: "read_file", args: { path: "/etc/hosts" } }
    ])
    const { code, stderr, stdout } = await runs(folder, await command(), ...ours, "--json")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const { results } = JSON.parse(stdout)
    expect(results.map(({ result }: { result: { ok: boolean } }) => result.ok)).toEqual([true, true, false])
  })
})

describe("the bundle", () => {
  it("answers help, the version and completion by words by itself", async () => {
    const folder = new Folder()
    rmSync(inDist("cli/hidden"), { force: true })
    renameSync(inDist("cli/program.json"), inDist("cli/hidden"))
    try {
      expect(await runs(folder, bundled(), "--help")).toMatchObject({ code: 0, stderr: "" })
      expect(await runs(folder, bundled())).toEqual(await runs(folder, bundled(), "--help"))
      for (const args of [
        ["call", "--help"],
        ["completion", "zsh"],
        ["__complete", "--", "call", "read_file", "p"],
        ["__complete", "--", "agents", "who", "net.g"]
      ]) {
        const { code, stderr, stdout } = await runs(folder, bundled(), ...args)
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
        expect(stdout).not.toBe("")
      }
      const { version } = readManifest(root)
      expect(await runs(folder, bundled(), "--version")).toMatchObject({
        code: 0,
        stdout: `${version}\n`,
        stderr: ""
      })
    } finally {
      renameSync(inDist("cli/hidden"), inDist("cli/program.json"))
    }
  })

  it("bad usage is one sentence on standard error, and no stack trace", async () => {
    const folder = new Folder().personality()
    folder.write("calls.json", "[{]")
    const { code, stderr, stdout } = await runs(folder, bundled(), ...ours, "--json")
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toBe("bailiwick: calls.json:1:3 is not JSON: a key in double quotes is expected here\n")
  })

  it("in a directory that is gone it says so in one sentence", async () => {
    const folder = new Folder().personality()
    folder.write("gone/x", "")
    const script = 'cd gone && rm -r ../gone && exec "$0" "$@"'
    const child = spawn("/bin/sh", ["-c", script, process.execPath, ...bundled(), ...ours], {
      cwd: folder.root,
      env: { PATH: process.env.PATH, HOME: folder.path("home") },
      stdio: ["ignore", "pipe", "pipe"]
    })
    children.push(child)
    expect(await ended(child)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "bailiwick: the current directory does not exist any more; change to another\n"
    })
  })

  it("a reader that leaves early is no error", async () => {
    const folder = new Folder({ "a.txt": "x".repeat(90_000) }).personality('fs_reach: { read: ["${CWD}"] }')
    folder.write("calls.json", [{ id: "1", name: "read_file", args: { path: "a.txt" } }])
    const child = started(folder, bundled(), [...ours, "--json"])
    child.stdout?.destroy()
    expect((await ended(child)).stderr).toBe("")
  })

  it("uses the code that V8 compiled only where it fits: with another's, or without, it runs", async () => {
    const cache = inDist("cli/program.cache")
    const compiled = readFileSync(cache)
    const folder = new Folder().personality()
    folder.write("calls.json", [])
    try {
      writeFileSync(cache, "not a cache")
      expect(await runs(folder, bundled(), ...ours)).toMatchObject({ code: 0, stderr: "" })
      rmSync(cache)
      expect(await runs(folder, bundled(), ...ours)).toMatchObject({ code: 0, stderr: "" })
    } finally {
      writeFileSync(cache, compiled)
    }
  })

  it("a module that somebody has changed runs as it is then, whether its length is the same or not", async () => {
    const folder = new Folder().personality()
    folder.write("calls.json", "[{]")
    const path = inDist("cli/program.js")
    const text = readFileSync(path, "utf8")
    const said = async () => (await runs(folder, bundled(), ...ours)).stderr
    const before = await said()
    try {
      writeFileSync(path, text.replace("is not JSON", "IS NOT JSON"))
      expect(await said()).toBe(before.replace("is not JSON", "IS NOT JSON"))
      writeFileSync(path, text.replace("is not JSON", "is none"))
      expect(await said()).toBe(before.replace("is not JSON", "is none"))
    } finally {
      writeFileSync(path, text)
    }
    expect(before).toContain("is not JSON")
    expect(await said()).toBe(before)
  })

  it("YAML is read by the package that is installed, be it the one of the build or another", async () => {
    const folder = new Folder().personality('description: "\\q"')
    folder.write("calls.json", [])
    const said = async () => (await runs(folder, bundled(), ...ours)).stderr
    const nearer = join(output, "node_modules/yaml")
    const file = join(nearer, "dist/compose/resolve-flow-scalar.js")
    const replaced = (text: string) => {
      cpSync(join(root, "node_modules/yaml"), nearer, { recursive: true })
      writeFileSync(file, readFileSync(file, "utf8").replace("Invalid escape sequence", text))
    }
    const before = await said()
    expect(before).toContain("Invalid escape sequence")
    try {
      for (const text of ["INVALID ESCAPE SEQUENCE", "No escape"]) {
        replaced(text)
        expect(await said()).toBe(before.replace("Invalid escape sequence", text))
        rmSync(nearer, { recursive: true })
        expect(await said()).toBe(before)
      }
    } finally {
      rmSync(nearer, { recursive: true, force: true })
    }
  })
})

/** Those of all processes whose command line has this text. */
const runningWith = (text: string): ReadonlyArray<string> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text)
      } catch {
        return false
      }
    })

describe("a signal", () => {
  it.runIf(has("bwrap")).each([
    ["SIGINT", "run", 130],
    ["SIGTERM", "run", 143],
    ["SIGINT", "call", 130]
  ] as const)(
    "[P39] %s ends a %s with its children, and exits with %i",
    async (signal, command, expected) => {
      const folder = new Folder({ "out/a": "" })
      folder.personality(
        'fs_reach: { read: ["${CWD}/out"], write: ["${CWD}/out"] }',
        "process: { allow: [node] }"
      )
      const mark = folder.root.slice(folder.root.lastIndexOf("/") + 1)
      const script = `/* ${mark} */ require("node:fs").writeFileSync("started", ""); setInterval(() => {}, 1000)`
      folder.write("calls.json", [
        { id: "1", name: "run_command", args: { command: "node", args: ["-e", script], cwd: "out" } }
      ])
      const one = ["call", "run_command", "command=node", "args=-e", `args=${script}`, "cwd=out"]
      const words = command === "run" ? ours : [...one, "--personality", "personality"]
      const begun = new Promise<void>((resolve) => {
        const watcher = watch(folder.path("out"), (_event, name) => {
          if (name === "started") resolve(watcher.close())
        })
      })
      const child = started(folder, bundled(), words)
      const end = ended(child)
      await Promise.race([
        begun,
        end.then(({ stderr, stdout }) => Promise.reject(new Error(`it ended early: ${stdout}${stderr}`)))
      ])
      expect(runningWith(mark)).not.toEqual([])
      child.kill(signal)
      expect(await end).toMatchObject({ code: expected, signal: null, stdout: "", stderr: "" })
      expect(runningWith(mark)).toEqual([])
    }
  )
})
