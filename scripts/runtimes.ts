/**
 * `npm run test:runtimes`: the package as it would be published, used on this Node and on others, and on Bun. It prints one
 * line for each with what works there. A runtime that cannot be installed is named, and fails in CI. `npm run test:runtimes
 * -- bun "node 22"` tries only those.
 */
import { readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { transform } from "esbuild"
import { readManifest, root, withFolder } from "./lib/project.js"
import { isCI } from "./lib/system.js"
import { green, red } from "./lib/terminal.js"
import { install } from "./package/consumer.js"
import { packInto } from "./package/pack.js"
import { binaryOf } from "./runtimes/binary.js"
import { runtimes } from "./runtimes/list.js"
import { type Finding, tryOn } from "./runtimes/tryOn.js"

const print = (mark: string, name: string, text: string) => console.log(`${mark} ${name.padEnd(14)} ${text}`)

const report = (name: string, findings: ReadonlyArray<Finding>): boolean => {
  const problems = findings.filter(({ problem }) => problem !== undefined)
  const passed = findings.filter(({ problem }) => problem === undefined).map(({ part }) => part)
  print(problems.length === 0 ? green("✓") : red("✗"), name, passed.join(", "))
  for (const { part, problem } of problems) console.log(`  ${part}: ${problem}`)
  return problems.length === 0
}

/** Why nothing can be tried, if nothing can. */
const prepare = async (folder: string): Promise<string | undefined> => {
  const packed = await packInto(folder)
  if (typeof packed === "string") return packed
  const consumer = await install(join(folder, "consumer"), join(folder, packed.filename), readManifest(root))
  if (!consumer.ok) return consumer.output
  const source = await readFile(join(root, "scripts/runtimes/check.ts"), "utf8")
  const { code } = await transform(source, { loader: "ts", format: "esm", target: "node20" })
  await writeFile(join(folder, "consumer", "check.mjs"), code)
  return undefined
}

const holds = await withFolder(tmpdir(), async (folder) => {
  const problem = await prepare(folder)
  if (problem !== undefined) {
    console.error(problem)
    return false
  }
  const consumer = join(folder, "consumer")
  const asked = process.argv.slice(2).map((name) => name.toLowerCase())
  const isAsked = (name: string) =>
    asked.length === 0 || asked.some((one) => name.toLowerCase().startsWith(one))
  const own = `Node ${process.versions.node}`
  let hold = !isAsked(own) || report(own, await tryOn(consumer, process.execPath))
  for (const runtime of runtimes) {
    const name = `${runtime.name} ${runtime.version}`
    if (!isAsked(name)) continue
    const binary = await binaryOf(join(folder, name.replace(" ", "-")), runtime)
    if ("missing" in binary) {
      print(red("–"), name, `cannot be installed: ${binary.missing}`)
      hold &&= !isCI(process.env)
    } else hold = report(name, await tryOn(consumer, binary.file)) && hold
  }
  return hold
})
process.exitCode = holds ? 0 : 1
