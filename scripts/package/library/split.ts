/**
 * The JavaScript of `dist`: a module for each entry point and one for the command line of a workspace, with what they
 * share in few files between them. There is one copy of everything, and a start reads tens of files instead of hundreds.
 */
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type OutputChunk, type Plugin, rolldown } from "rolldown"
import { readManifest, root } from "../../lib/project.js"
import { byModule } from "./byModule.js"
import { shortened } from "./names.js"

const sources: Plugin = {
  name: "sources",
  transform: { filter: { id: /\.ts$/ }, handler: byModule }
}

/** The program runs in the process that a command was started in, beside tools that import the library. */
const PROGRAM = "cli/program"

/** Where a process of an isolated tool begins. Nobody imports them: they are bundled, or started, by their paths. */
const WORKER = ["isolated/worker/main", "isolated/worker/loading"]

/** It is there before the library is, and waits at its top: what shares a chunk with one that does is split far smaller. */
const ALONE = ["isolated/worker/packed"]

/**
 * Texts that are in `cli/main.js` as well, which loads nothing else to print them. npm packs files by their names, so that
 * what is in both is compressed as one.
 */
const alike = {
  name: "mainTexts",
  test: /[\\/]src[\\/]cli[\\/](?:Forms|Help|completion[\\/]\w+)\.ts$/,
  includeDependenciesRecursively: false
}

/** What a log loads when it is a chain, and a backend elsewhere loads at once: no entry gives it to the other. */
const shared = {
  name: "auditChain",
  test: /[\\/]src[\\/]layers[\\/]node[\\/](?:audit[\\/]chain[\\/]\w+|secrets[\\/]HostSecret)\.ts$/,
  includeDependenciesRecursively: false
}

/** Chunks may take from the program whatever they share with it. Users are given what a module exports, and no more. */
const signatures: Plugin = {
  name: "signatures",
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type !== "chunk" || !file.isEntry || file.name === PROGRAM) continue
      const { exports: written = [] } = this.getModuleInfo(file.facadeModuleId ?? "") ?? {}
      const more = file.exports.find((name) => !written.includes(name))
      if (more !== undefined) throw new Error(`${file.fileName} exports ${more}, and its source does not`)
    }
  }
}

/** The files that are loaded with one of these, themselves included. */
const loadedWith = (
  from: ReadonlyArray<OutputChunk>,
  all: ReadonlyArray<OutputChunk>
): ReadonlySet<string> => {
  const found = new Set(from.map(({ fileName }) => fileName))
  for (const path of found) {
    const chunk = all.find(({ fileName }) => fileName === path)
    for (const imported of [...(chunk?.imports ?? []), ...(chunk?.dynamicImports ?? [])]) found.add(imported)
  }
  return found
}

const chunksOf = async (names: ReadonlyArray<string>): Promise<ReadonlyArray<OutputChunk>> => {
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(names.map((name) => [name, join(root, "src", `${name}.ts`)])),
    // Packages stay where they are installed.
    external: /^[^./]/,
    // For that of Node every module would load `node:module`, in case that one asks for `require`.
    platform: "neutral",
    resolve: { extensionAlias: { ".js": [".ts"] } },
    transform: {
      target: "node20",
      define: { BAILIWICK_VERSION: JSON.stringify(readManifest(root).version) }
    },
    treeshake: { moduleSideEffects: false },
    preserveEntrySignatures: "allow-extension",
    plugins: [sources, signatures]
  })
  const { output } = await bundle.generate({
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    codeSplitting: { groups: [alike, shared] }
  })
  return output.filter((file) => file.type === "chunk")
}

/** Of each entry, a path below `src` without its ending. */
export const splitModules = async (entries: ReadonlyArray<string>, output: string): Promise<void> => {
  const chunks = await chunksOf([...entries, PROGRAM, ...WORKER])
  const library = loadedWith(
    chunks.filter(({ isEntry, name }) => isEntry && name !== PROGRAM),
    chunks
  )
  for (const { code, fileName } of [...chunks, ...(await chunksOf(ALONE))]) {
    const file = join(output, fileName)
    await mkdir(dirname(file), { recursive: true })
    // The program shows no stack traces, so that what it alone loads needs no names at all.
    await writeFile(file, shortened(code, { functions: library.has(fileName) }))
  }
}
