/**
 * What an editor answers about the installed package: a name is defined in its source, or in its declaration, where nothing that it imports
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

/** Backends and edges have no sources with them: their declarations have the comments, and a name leads there. */
const DECLARED = "bailiwick/node"

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

const nameOf = (index: number): string => `${asked[index]?.[1]}.${asked[index]?.[2]}`

interface Seen {
  readonly complaints: ReadonlyArray<string>
  /** Where the name is defined, if it is defined in a source. */
  readonly source?: string
}

const look = async (ask: Ask, file: string, index: number): Promise<Seen> => {
  const place = { file, line: index + 1, offset: program[index]?.offset ?? 1 }
  const name = nameOf(index)
  const member = asked[index]?.[2]

  const [found] = ask("definition", place)
  if (found === undefined) return { complaints: [`the editor finds no definition of ${name}`] }
  const isSource = found.file.endsWith(".source.ts")
  if (!isSource && asked[index]?.[0] !== DECLARED) {
    return { complaints: [`${name} is defined in ${found.file}, which is no source`] }
  }
  const lines = (await readFile(found.file, "utf8")).split("\n")
  const line = lines[found.start.line - 1] ?? ""
  const isThere = line.slice(found.start.offset - 1, found.end.offset - 1) === member
  if (!isThere || !/^(export|\s+static) /.test(line)) {
    return { complaints: [`${name} is not declared here: '${line}'`] }
  }
  const [comment = ""] = ask("quickinfo", place).documentation.split("\n")
  const isAbove =
    comment !== "" && lines.slice(0, found.start.line - 1).some((above) => above.includes(comment))
  return {
    complaints: isAbove
      ? []
      : [`hovering over ${name} shows '${comment}', and not the comment of its source`],
    ...(isSource ? { source: found.file } : {})
  }
}

const missingIn = (ask: Ask, source: string): ReadonlyArray<string> =>
  ask("semanticDiagnosticsSync", { file: source })
    .filter(({ code = 0 }) => missing.includes(code))
    .map(({ start, text }) => `${source}, line ${start.line}: ${text}`)

/** Everything is opened before a source is checked: whatever is opened later, the server begins anew. */
export const checkEditor = async (folder: string): Promise<ReadonlyArray<string>> => {
  const file = join(folder, "editor.ts")
  await writeFile(file, program.map(({ text }) => text).join("\n"))
  const ask = editorServer()
  ask("compilerOptionsForInferredProjects", { options })
  ask("open", { file })
  const seen = await Promise.all(asked.map((_, index) => look(ask, file, index)))
  const sources = [...new Set(seen.flatMap(({ source = [] }) => source))]
  for (const source of sources) ask("open", { file: source })
  return [
    ...seen.flatMap(({ complaints }) => complaints),
    ...sources.flatMap((source) => missingIn(ask, source))
  ]
}
