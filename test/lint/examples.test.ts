/** Our own examples are linted with our own rule, and it would bite. */
import { cpSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { lintAuthority } from "../../scripts/lint/authority.js"
import { scratchFolder } from "./scratch.js"

it("a violation in an example fails the lint step, and is the only thing that does", async () => {
  const folder = scratchFolder("examples")
  cpSync(join(root, "examples"), folder, { recursive: true })
  const weather = join(folder, "tools/weather.ts")
  writeFileSync(join(folder, "ambient.ts"), "export const key = process.env.WEATHER_API_KEY\n")
  cpSync(weather, join(folder, "fine.ts"))
  writeFileSync(weather, 'import { key } from "../ambient.js"\nexport const get = () => fetch(key)\n')
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(folder, path))

  const { ok, output } = await lintAuthority(files)

  expect(ok).toBe(false)
  expect(output).toContain("'fetch' goes around what the tool declares. Use Network, and declare network.")
  expect(output).toContain("'../ambient.js' leads to 'process.env'")
  expect(output).toContain("Found 0 warnings and 2 errors.")
})
