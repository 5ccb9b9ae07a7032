/** Isolated tools of an installed package, in processes: where nothing bundles them, and where nothing holds them. */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { installed } from "../installed.js"
import { Strangers, toolText } from "./strangers.js"

const greets = toolText("greet", '({ name }) => Effect.succeed("hello " + name)', {
  parameters: "{ name: Schema.String }"
})

/** What an installed package finds beside itself: all that is here, and neither esbuild nor anything that brings it. */
const linkOthers = (folder: string): void => {
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (/^(?:\.|esbuild|@esbuild|bailiwick|tsx|vite|vitest)/.test(name)) continue
    symlinkSync(join(root, "node_modules", name), join(folder, name))
  }
}

const space = async (): Promise<Strangers> => {
  const made = new Strangers("[stranger]", { "package.json": '{ "type": "module" }' })
  mkdirSync(made.path("node_modules"))
  linkOthers(made.path("node_modules"))
  cpSync(await installed(), made.path("node_modules/bailiwick"), { recursive: true })
  return made.package("stranger", greets)
}

const run = (
  folder: Strangers,
  args: ReadonlyArray<string>,
  path = process.env.PATH
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve) => {
    const program = folder.path("node_modules/bailiwick/dist/cli/main.js")
    const options = { cwd: folder.root, env: { PATH: path, HOME: folder.path("home") } }
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr })
    )
  })

const call = ["call", "greet", "name=you", "--personality", "personality", "--json"]

describe("an installed workspace", () => {
  it("runs them without esbuild, from a pack of their files; with it, bundled; and nowhere unheld, unless it is said", async () => {
    const folder = await space()
    expect(await run(folder, ["manifest"])).toMatchObject({ code: 0, stderr: "" })
    const called = await run(folder, call)
    expect(JSON.parse(called.stdout)).toEqual({ ok: true, value: "hello you" })

    // With esbuild they are bundled, wherever links lead to what the library needs.
    const kept = () => readdirSync(folder.path(".bailiwick/isolated")).map((name) => name.split(".").pop())
    expect(kept().sort()).toEqual(["mjs", "pack", "packed"])
    for (const name of ["esbuild", "@esbuild"])
      symlinkSync(join(root, "node_modules", name), folder.path("node_modules", name))
    expect(JSON.parse((await run(folder, call)).stdout)).toEqual({ ok: true, value: "hello you" })
    expect(kept()).toContain("blob")

    // Here nothing holds a process: there is no bwrap on the way to programs.
    const nowhere = dirname(folder.write("empty/file", ""))
    const unheld = await run(folder, call, nowhere)
    expect(unheld.code).toBe(1)
    expect(JSON.parse(unheld.stdout)).toMatchObject({
      ok: false,
      code: "not_available",
      error: expect.stringMatching(/greet is isolated.*bwrap.*sandbox: preferred/s)
    })
    const doctor = await run(folder, ["doctor"], nowhere)
    expect(doctor.stdout).toContain("greet")
    expect(doctor.stdout).toContain("isolated")
    expect((await run(folder, ["tools", "list", "--json"], nowhere)).stdout).toContain('"greet"')

    folder.write("bailiwick.yaml", "tools: [stranger]\nsandbox: preferred\n")
    const open = await run(folder, call, nowhere)
    expect(JSON.parse(open.stdout)).toEqual({ ok: true, value: "hello you" })
    expect(open.stderr).toContain("nothing holds the process of stranger/index.js")
  })
})
