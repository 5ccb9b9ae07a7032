/**
 * What an editor answers about the installed package: where a name is defined must be its source, with a comment above
 * it that hovering shows, and in the source nothing may be missing.
 */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import ts from "typescript"

/** A function of a namespace, a static of a tag, what a module passes on from another; and one for each subpath. */
const asked = [
  ["bailiwick", "Tool", "make"],
  ["bailiwick", "Network", "get"],
  ["bailiwick", "Registry", "make"],
  ["bailiwick", "Builtin", "readFile"],
  ["bailiwick/node", "NodeFiles", "layer"],
  ["bailiwick/testing", "TestNetwork", "layerMemory"]
] as const

/** The server that editors speak to, without a process and a protocol between. */
const server = () => {
  const session = new ts.server.Session({
    host: {
      ...ts.sys,
      setTimeout,
      clearTimeout,
      setImmediate,
      clearImmediate,
      writeOutputIsTTY: () => false
    },
    cancellationToken: ts.server.nullCancellationToken,
    useSingleInferredProject: false,
    useInferredProjectPerProjectRoot: false,
    byteLength: Buffer.byteLength,
    hrtime: process.hrtime,
    logger: {
      close: () => {},
      hasLevel: () => false,
      loggingEnabled: () => false,
      perftrc: () => {},
      info: () => {},
      startGroup: () => {},
      endGroup: () => {},
      msg: () => {},
      getLogFileName: () => undefined
    },
    canUseEvents: false
  })
  return (command: string, args: object): unknown =>
    session.executeCommand({ seq: 0, type: "request", command, arguments: args }).response
}

const missing = new Set([2307, 2306, 7016])

export const checkEditor = async (folder: string): Promise<ReadonlyArray<string>> => {
  const file = join(folder, "editor.ts")
  const lines = asked.map(([from, name], index) => `import { ${name} as name${index} } from "${from}"`)
  const uses = asked.map(([, , member], index) => `void name${index}.${member}`)
  await writeFile(file, [...lines, ...uses].join("\n"))
  const ask = server()
  ask("open", { file })
  const problems: Array<string> = []
  for (const [index, [from, name, member]] of asked.entries()) {
    const place = { file, line: lines.length + index + 1, offset: `void name${index}.`.length + 1 }
    const [found] = ask("definition", place) as ReadonlyArray<ts.server.protocol.DefinitionInfo>
    console.log(found)
    const info = ask("quickinfo", place) as ts.server.protocol.QuickInfoResponseBody
    console.log(info)
    if (found) {
      ask("open", { file: found.file })
      console.log(ask("semanticDiagnosticsSync", { file: found.file }))
    }
  }
  return problems
}
