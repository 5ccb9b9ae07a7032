/** A team's own tools in a process: real modules, real signals, and standard output that stays the program's own. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { installed, installedCommand } from "../installed.js"
import { Folder } from "./workspace.js"

const children: Array<ChildProcess> = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
})

/** A workspace that has `bailiwick` installed. */
const space = async (files: Readonly<Record<string, string>>): Promise<Folder> => {
  const folder = new Folder({ "package.json": '{ "type": "module" }', ...files }).personality()
  mkdirSync(folder.path("node_modules"))
  symlinkSync(await installed(), folder.path("node_modules/bailiwick"))
  for (const name of ["effect", "tsx"]) {
    symlinkSync(join(root, "node_modules", name), folder.path("node_modules", name))
  }
  return folder
}

const started = async (folder: Folder, args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [await installedCommand(), ...args], {
    cwd: folder.root,
    env: { PATH: process.env.PATH, HOME: folder.path("home") },
    stdio: ["ignore", "pipe", "pipe"]
  })
  children.push(child)
  let [stdout, stderr] = ["", ""]
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const end = once(child, "close").then(([code]) => ({ code, stdout, stderr }))
  return { child, end }
}

const TOOL = `
import { Tool } from "bailiwick"
import { Effect, Layer, Schema } from "effect"
import { appendFileSync, writeFileSync } from "node:fs"
const make = (name, execute) =>
  Tool.make({ name, description: name, parameters: Schema.Struct({}), capabilities: {}, execute })
`

const turn = ["run", "calls.json", "--personality", "personality", "--json"]

const calling = (...names: ReadonlyArray<string>) =>
  JSON.stringify(names.map((name) => ({ id: name, name, args: {} })))

describe("in a process", () => {
  it("JavaScript and TypeScript are loaded, and what they print goes to standard error", async () => {
    const folder = await space({
      "bailiwick.yaml": "tools: [./tools/one.js, ./tools/two.ts]",
      "tools/one.js": `${TOOL}
        console.log("loud")
        process.stdout.write("louder\\n")
        export const one = make("one", () => Effect.sync(() => { console.log("called"); return 1 }))`,
      "tools/two.ts": `import { Tool } from "bailiwick"
        import { Effect, Schema } from "effect"
        const value: number = 2
        export const tools = [Tool.make({
          name: "two", description: "d", parameters: Schema.Struct({}), capabilities: {}, execute: () => Effect.succeed(value)
        })]`,
      "calls.json": calling("one", "two")
    })
    const { code, stderr, stdout } = await (await started(folder, turn)).end
    expect({ code, stderr }).toEqual({ code: 0, stderr: "loud\nlouder\ncalled\n" })
    const { results } = JSON.parse(stdout)
    expect(results.map(({ result }: { result: unknown }) => result)).toEqual([
      { ok: true, value: 1 },
      { ok: true, value: 2 }
    ])
  })

  it("an interrupt releases the layer, and exits with 130", async () => {
    const folder = await space({
      "bailiwick.yaml": "tools: [./a.js]",
      "a.js": `${TOOL}
        const log = (text) => Effect.sync(() => appendFileSync("events", text + "\\n"))
        export const layer = Layer.scopedDiscard(Effect.acquireRelease(log("acquired"), () => log("released")))
        export const stuck = make("stuck", () => Effect.zipRight(Effect.sync(() => console.log("ready")), Effect.never))`,
      "calls.json": calling("stuck")
    })
    const { child, end } = await started(folder, turn)
    if (child.stderr !== null) await Promise.race([once(child.stderr, "data"), end])
    child.kill("SIGINT")
    expect(await end).toMatchObject({ code: 130, stdout: "" })
    expect(readFileSync(folder.path("events"), "utf8")).toBe("acquired\nreleased\n")
  })

  it.each([
    ["ends the program", "process.exit(0)"],
    ["waits for what never comes", "await new Promise(() => {})"]
  ])("a module that %s while it is loaded is named", async (_what, text) => {
    const folder = await space({ "bailiwick.yaml": "tools: [./a.js]", "a.js": text, "calls.json": "[]" })
    const { code, stderr, stdout } = await (await started(folder, turn)).end
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(`bailiwick: ${folder.path("a.js")} ended the program while it was loaded`)
    expect(stderr).not.toContain("    at ")
  })

  it("what fails where nobody waits is a sentence, and the layer is released", async () => {
    const folder = await space({
      "bailiwick.yaml": "tools: [./a.js]",
      "a.js": `${TOOL}
        export const layer = Layer.scopedDiscard(Effect.addFinalizer(() => Effect.sync(() => writeFileSync("released", ""))))
        export const late = make("late", () => Effect.zipRight(
          Effect.sync(() => { setImmediate(() => { throw new RangeError("hunter22") }) }), Effect.never))`,
      "calls.json": calling("late")
    })
    const { code, stderr } = await (await started(folder, turn)).end
    expect(code).toBe(2)
    expect(stderr).toBe(
      "bailiwick: code of the tools of this workspace failed where nothing waited for it (RangeError); catch it where it fails\n"
    )
    expect(existsSync(folder.path("released"))).toBe(true)
  })

  it("help and completion load nothing", async () => {
    const folder = await space({
      "bailiwick.yaml": "tools: [./a.js]",
      "a.js": 'import { writeFileSync } from "node:fs"; writeFileSync("loaded", "")'
    })
    for (const args of [
      ["run", "--help"],
      ["__complete", "--", "run", "--agent", ""]
    ]) {
      expect(await (await started(folder, args)).end).toMatchObject({ code: 0, stderr: "" })
    }
    expect(existsSync(folder.path("loaded"))).toBe(false)
  })
})
