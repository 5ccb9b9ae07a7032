/** Where a program of the system is missing: left out in words elsewhere, and a failure in CI. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, expect, it } from "vitest"
import { root } from "../scripts/lib/project.js"

const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href

/** A machine with these programs and no others; what they do does not matter. */
const folders: Array<string> = []
const machine = (...names: ReadonlyArray<string>): string => {
  const folder = mkdtempSync(join(tmpdir(), "bailiwick-path-"))
  folders.push(folder)
  for (const name of names) symlinkSync(process.execPath, join(folder, name))
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** `npm test` with the one step that does least, on a machine with these programs. */
const test = (env: Record<string, string>) =>
  spawnSync(process.execPath, ["--import", loader, join(root, "scripts/test.ts"), "format"], {
    cwd: root,
    encoding: "utf8",
    env: { HOME: process.env.HOME ?? "/", NO_COLOR: "1", ...env }
  })

it("says in one line what it left out and how to install it", () => {
  const { status, stdout } = test({ PATH: machine("node") })
  expect(status).toBe(0)
  expect(stdout).toContain("to run them: apt-get install ripgrep tmux\n")
})

it("fails in CI, before anything runs", () => {
  const { status, stderr, stdout } = test({ PATH: machine("node"), CI: "true" })
  expect(status).toBe(2)
  expect(stderr).toContain("CI is set, and programs are missing")
  expect(stdout).not.toContain("format")
})

it("says nothing where nothing is missing", () => {
  const { stdout } = test({ PATH: machine("node", "rg", "tmux") })
  expect(stdout).not.toContain("apt-get install ripgrep tmux")
})
