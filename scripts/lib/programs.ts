/**
 * TypeScript programs of the repository, ready to run. Programs that are bundled together share what they import: to
 * compile the sources anew for each of them would take longer than they run.
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { build, type Plugin } from "esbuild"
import { byModule } from "../package/library/byModule.js"
import { readManifest, root } from "./project.js"

/** What the package's own names stand for here: its sources. The longest first, for a name also stands for what is below. */
const ownSources = (): Record<string, string> => {
  const { exports, name } = readManifest(root)
  const found = Object.entries(exports).flatMap(([subpath, target]) => {
    const source = typeof target === "string" ? undefined : target["bailiwick-source"]
    return source === undefined ? [] : [[`${name}${subpath.slice(1)}`, join(root, source)] as const]
  })
  return Object.fromEntries(found.sort(([a], [b]) => b.length - a.length))
}

/** Native, or too large to be taken along. */
const external = [
  ..."libsql undici vitest @effect/vitest typescript esbuild eslint @typescript-eslint/parser".split(" ")
]

/** CommonJS packages that are taken along ask for `require`. */
const banner =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'

/** As the package is built: a program then starts with what it uses of Effect, and not with all of it. */
const lean: Plugin = {
  name: "lean",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) =>
      ["src", "test"].some((folder) => path.startsWith(join(root, folder)))
        ? { contents: byModule(await readFile(path, "utf8")), loader: "ts" }
        : undefined
    )
  }
}

/** The files to run, in the order of the sources. `folder` must be where imports resolve as they do in the repository. */
export const bundled = async (
  folder: string,
  sources: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const name = (index: number) => `program${index}`
  await build({
    entryPoints: sources.map((source, index) => ({ in: source, out: name(index) })),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external,
    banner: { js: banner },
    alias: ownSources(),
    plugins: [lean],
    logLevel: "warning"
  })
  return sources.map((_, index) => join(folder, `${name(index)}.mjs`))
}
