/**
 * The JavaScript of `dist`: a module for each entry point and one for the command line of a workspace, with what they
 * share in few files between them. There is one copy of everything, and a start reads tens of files instead of hundreds.
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { build, type Plugin } from "esbuild"
import ts from "typescript"
import { byModule } from "../../cli/plugins.js"
import { root } from "../../lib/project.js"

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

/** Of each entry, a path below `src` without its ending. */
export const splitModules = async (entries: ReadonlyArray<string>, output: string): Promise<void> => {
  await build({
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
    plugins: [sources]
  })
}
