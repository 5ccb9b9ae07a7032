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
import { pack } from "./packing.js"
import { compileScriptsBy } from "./scripts.js"

const linking = new Linking({
  namesOf: async (url) => Object.keys(Object(await import(url))),
  foreign: ofNode,
  read: (path) => readFileSync(path, "utf8"),
  note: () => {}
})

const made = ({ key, kind, names = [] }: Packed, text: Buffer, code: Buffer): Module => {
  const [url = ""] = key.split(" ")
  switch (kind) {
    case "module":
      return linking.ofText(url, text.toString("utf8"), code)
    case "json":
      return linking.ofJson(url, text.toString("utf8"))
    case "script":
      return linking.ofScript(url, names)
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
    const module = made(one, text, code)
    linking.modules.set(one.key, module)
    return module
  })
  index.modules.forEach(({ needs }, at) => {
    const of = all[at]
    const known = needs.flatMap(([key, place]) => {
      const to = all[place]
      return to === undefined ? [] : [[key, to] as const]
    })
    if (of !== undefined) linking.needs.set(of, new Map(known))
  })
  compileScriptsBy(linking)
  const roots = index.roots.flatMap((at) => all[at] ?? [])
  for (const root of roots) await linking.link(root)
  // As if Node had been given its entry.
  process.argv.splice(1, 1, fileURLToPath(roots[0]?.identifier ?? ""))
  await roots[0]?.evaluate()
}

const [, , first = "", written] = process.argv
if (written === undefined) await start(first)
else {
  await pack(first, written)
  process.exit()
}
