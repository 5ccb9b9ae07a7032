/**
 * Where a worker begins that is started from a pack, and where a pack is made. What it is started from is loaded by nobody else.
 *
 * @since 0.1.0
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Module } from "node:vm"
import { indexOf, type Packed, piecesOf } from "../protocol/Pack.js"
import { Linking, ofNode } from "./linking.js"
import { namesOf } from "./names.js"
import { pack } from "./packing.js"
import { Scripts } from "./scripts.js"

const linking: Linking = new Linking({
  namesOf,
  foreign: ofNode,
  read: (path) => readFileSync(path, "utf8"),
  run: (path) => scripts.run(path),
  note: () => {}
})

const scripts = new Scripts(linking)

const addressOf = (key: string): string => key.replace(/ .*/, "")

/** Nothing where it is a script that no module imports. */
const made = ({ key, kind, names, requires }: Packed, text: string, code: Buffer): Module | undefined => {
  const url = addressOf(key)
  switch (kind) {
    case "module":
      return linking.ofText(url, text, code)
    case "json":
      return linking.ofJson(url, text)
    case "script":
      scripts.packed.set(fileURLToPath(url), { text, code, needs: new Map(requires) })
      return names === undefined ? undefined : linking.ofScript(url, names)
    case "builtin":
      return linking.ofBuiltin(url)
  }
}

const start = async (path: string): Promise<void> => {
  const file = readFileSync(path)
  const index = indexOf(file)
  const pieces = piecesOf(file, index)
  const all = index.modules.map((one, at) => {
    const { code = Buffer.alloc(0), text = Buffer.alloc(0) } = pieces[at] ?? {}
    const module = made(one, text.toString("utf8"), code)
    if (module !== undefined) linking.modules.set(one.key, module)
    return module
  })
  index.modules.forEach(({ needs }, at) => {
    const module = all[at]
    const found = needs.flatMap(([key, place]) => {
      const to = all[place]
      return to === undefined ? [] : [[key, to] as const]
    })
    if (module !== undefined) linking.needs.set(module, new Map(found))
  })
  const roots = index.roots.flatMap((at) => all[at] ?? [])
  for (const root of roots) await linking.link(root)
  // As if Node had been given its entry.
  process.argv.splice(1, 2, fileURLToPath(roots[0]?.identifier ?? ""))
  await roots[0]?.evaluate()
}

const [, , first = "", written] = process.argv
if (written === undefined) await start(first)
else {
  await pack(first, written)
  process.exit()
}
