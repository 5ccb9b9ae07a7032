/** The walks of ARCHITECTURE.md are what the engine sees: every file that takes part is on the page, and no other. */
import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { root } from "../scripts/lib/project.js"
import { page } from "./docs/page.js"

const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href

let counted: Readonly<Record<string, ReadonlyArray<string>>> = {}

beforeAll(async () => {
  const args = ["--import", loader, "--conditions=bailiwick-source", join(root, "scripts/graph/walk.ts")]
  counted = await new Promise((done, fail) =>
    execFile(process.execPath, args, { cwd: root }, (error, stdout) =>
      error === null ? done(JSON.parse(stdout)) : fail(error)
    )
  )
})

interface Step {
  readonly file: string
  readonly asks: ReadonlyArray<string>
}

const files = (cell: string): ReadonlyArray<string> =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)

const stepsOf = (tool: string): ReadonlyArray<Step> => {
  const [, section = ""] = page("ARCHITECTURE.md").split(`### One \`${tool}\`, file by file`)
  return [...(section.split(/^##/m)[0] ?? "").matchAll(/^\| \d+ \|(.*)\|(.*)\|(.*)\|$/gm)].map(
    ([, file = "", _does, asks = ""]) => ({ file: files(file)[0] ?? "", asks: files(asks) })
  )
}

const roomOf = (file: string): string => file.split("/")[0] ?? ""

describe.each(["read_file", "web_fetch"])("the walk of %s", (tool) => {
  it("names every file that takes part, and no other", () => {
    const named = new Set(stepsOf(tool).flatMap(({ asks, file }) => [file, ...asks]))
    expect([...named].sort()).toEqual(counted[tool])
  })

  it("passes through twelve files, and through each room once on the way in and once on the way out", () => {
    const way = stepsOf(tool).map(({ file }) => file)
    expect(new Set(way).size).toBeLessThanOrEqual(12)
    const rooms = way.map(roomOf).filter((room, at, all) => room !== all[at - 1])
    expect(rooms).toEqual(["registry", "tools", "capabilities", "policy", "layers", "tools", "registry"])
  })
})
