/**
 * What an editor answers about the installed package: a name is defined in its source, where nothing that it imports
 * is missing, and hovering shows the comment that stands there.
 */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Ask, editorServer } from "./editorServer.js"

/** A function of a namespace, a static of a tag, what a module passes on from another; and one of each subpath. */
const asked = [
  ["bailiwick", "Tool", "make"],
  ["bailiwick", "Network", "get"],
  ["bailiwick", "Registry", "make"],
  ["bailiwick", "Builtin", "readFile"],
  ["bailiwick/node", "NodeSecrets", "layerDotEnv"],
  ["bailiwick/testing", "TestNetwork", "layerMemory"]
] as const

/** Of the complaints about a file: it imports a module, or something of a module, that is not there. */
const missing = [2305, 2307, 2724, 7016]

/** As editors set them where a file is of no project, which is so for a source of a package. */
const options = { module: "ESNext", moduleResolution: "Bundler", target: "ES2022", strict: true }

/** A line for each name, and where the name stands in it. */
const program = asked.map(([from, namespace, member], index) => {
  const local = `${namespace}${index}`
  const before = `import { ${namespace} as ${local} } from "${from}"; void ${local}.`
  return { text: `${before}${member}`, offset: before.length + 1 }
})

const complaintsAbout = async (ask: Ask, file: string, index: number): Promise<ReadonlyArray<string>> => {
  const [, namespace, member] = asked[index] ?? []
  const place = { file, line: index + 1, offset: program[index]?.offset ?? 1 }
  const name = `${namespace}.${member}`

  const [found] = ask("definition", place)
  if (found === undefined) return [`the editor finds no definition of ${name}`]
  if (!found.file.endsWith(".source.ts")) return [`${name} is defined in ${found.file}, which is no source`]
  const lines = (await readFile(found.file, "utf8")).split("\n")
  const line = lines[found.start.line - 1] ?? ""
  const isThere = line.slice(found.start.offset - 1, found.end.offset - 1) === member
  if (!isThere || !/^(export|\s+static) /.test(line)) return [`${name} is not declared here: '${line}'`]

  const [comment = ""] = ask("quickinfo", place).documentation.split("\n")
  const isAbove =
    comment !== "" && lines.slice(0, found.start.line - 1).some((above) => above.includes(comment))
  ask("open", { file: found.file })
  return [
    ...(isAbove ? [] : [`hovering over ${name} shows '${comment}', and not the comment of its source`]),
    ...ask("semanticDiagnosticsSync", { file: found.file })
      .filter(({ code = 0 }) => missing.includes(code))
      .map(({ start, text }) => `the source of ${name}, line ${start.line}: ${text}`)
  ]
}

export const checkEditor = async (folder: string): Promise<ReadonlyArray<string>> => {
  const file = join(folder, "editor.ts")
  await writeFile(file, program.map(({ text }) => text).join("\n"))
  const ask = editorServer()
  ask("compilerOptionsForInferredProjects", { options })
  ask("open", { file })
  const complaints = await Promise.all(asked.map((_, index) => complaintsAbout(ask, file, index)))
  return complaints.flat()
}
