/** The binary of a runtime, installed from npm into a folder of its own. */
import { access, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { installed } from "../package/consumer.js"
import type { Machine, Runtime } from "./list.js"

/** What npm ends with is the most telling, but for where it keeps its log. */
const why = (output: string): string =>
  output.split("\n").find((line) => /^npm (?:error|ERR!)/.test(line)) ?? "npm install fails"

export const binaryOf = async (
  folder: string,
  runtime: Runtime,
  machine: Machine = process
): Promise<{ readonly file: string } | { readonly missing: string }> => {
  const name = runtime.package(machine)
  if (name === undefined) return { missing: `nobody publishes it for ${machine.platform} ${machine.arch}` }
  await mkdir(folder, { recursive: true })
  const dependencies = { [name]: runtime.version }
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }))
  const { ok, output } = await installed(folder)
  if (!ok) return { missing: why(output) }
  const file = join(folder, "node_modules", name, runtime.binary(machine))
  return access(file).then(
    () => ({ file }),
    () => ({ missing: `${name} ${runtime.version} holds no ${runtime.binary(machine)}` })
  )
}
