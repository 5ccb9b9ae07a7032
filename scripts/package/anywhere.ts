/** What touches nothing of the world loads nothing of Node: it runs in a browser as well, and a bundler takes it there. */
import { posix } from "node:path"
import ts from "typescript"

/** The modules of `dist` that are for Node, or for linters, which run there. */
const isForNode = (path: string): boolean =>
  /^dist\/(?:adapters|cli|cluster|isolated|layers|lint|mcp|postgres)\//.test(path)

/** Complaints about the modules at these paths, and about all that they load. */
export const checkAnywhere = (
  paths: ReadonlyArray<string>,
  read: (path: string) => string
): ReadonlyArray<string> =>
  paths
    .filter((path) => path.endsWith(".js") && !isForNode(path))
    .flatMap((entry) => {
      const loaded = new Set([entry])
      const complaints: Array<string> = []
      for (const path of loaded) {
        for (const { fileName } of ts.preProcessFile(read(path)).importedFiles) {
          if (fileName.startsWith(".")) loaded.add(posix.join(posix.dirname(path), fileName))
          else if (fileName.startsWith("node:")) complaints.push(`${entry} loads ${fileName}, in ${path}`)
        }
      }
      return complaints
    })
