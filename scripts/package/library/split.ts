/**
 * The JavaScript of `dist`: a module for each entry point and one for the command line of a workspace, with what they
 * share in few files between them. There is one copy of everything, and a start reads tens of files instead of hundreds.
 */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { build, type Metafile, type Plugin } from "esbuild"
import ts from "typescript"
import { readManifest, root } from "../../lib/project.js"
import { byModule } from "./byModule.js"
import { readModules } from "./modules.js"
import { shortEverywhere, shortInside } from "./names.js"

/** Comments are in the declarations, where editors look for them, and in the sources, where people do. */
const withoutComments = (text: string): string =>
  ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      removeComments: true
    }
  }).outputText

const sources: Plugin = {
  name: "sources",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: withoutComments(byModule(await readFile(path, "utf8"))),
      loader: "js"
    }))
  }
}

/** The program runs in the process that a command was started in, beside tools that import the library. */
const PROGRAM = "cli/program"

/** The files that are loaded with one of these, themselves included. */
const loadedWith = (from: Iterable<string>, outputs: Metafile["outputs"]): ReadonlySet<string> => {
  const found = new Set<string>(from)
  for (const path of found) {
    for (const { path: imported } of outputs[path]?.imports ?? [])
      if (imported in outputs) found.add(imported)
  }
  return found
}

/** The program shows no stack traces, so that what it alone loads needs no names at all. */
const shorten = async ({ outputs }: Metafile): Promise<void> => {
  const program = Object.keys(outputs).filter((path) => outputs[path]?.entryPoint?.endsWith(`${PROGRAM}.ts`))
  const library = Object.keys(outputs).filter(
    (path) => outputs[path]?.entryPoint !== undefined && !program.includes(path) && !path.includes("/chunks/")
  )
  const shared = loadedWith(library, outputs)
  const modules = readModules(root, Object.keys(outputs))
  for (const module of modules) {
    const text = await (shared.has(module.path) ? shortInside : shortEverywhere)(module)
    await writeFile(join(root, module.path), text)
  }
}

/** Of each entry, a path below `src` without its ending. */
export const splitModules = async (entries: ReadonlyArray<string>, output: string): Promise<void> => {
  const { metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: Object.fromEntries(
      [...entries, PROGRAM].map((name) => [name, join(root, "src", `${name}.ts`)])
    ),
    outdir: output,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    chunkNames: "chunks/[hash]",
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [sources],
    define: { BAILIWICK_VERSION: JSON.stringify(readManifest(root).version) }
  })
  await shorten(metafile)
}
