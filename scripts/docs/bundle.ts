/**
 * The programs of the documentation, ready to run. They are bundled together and share what they import: to compile the
 * sources anew for each of them would take longer than all of them run.
 */
import { join } from "node:path"
import { build } from "esbuild"
import { readManifest, root } from "../lib/project.js"

/** What the package's own names stand for here: its sources. The longest first, for a name also stands for what is below. */
const ownSources = (): Record<string, string> => {
  const { exports, name } = readManifest(root)
  const found = Object.entries(exports).flatMap(([subpath, target]) => {
    const source = typeof target === "string" ? undefined : target["bailiwick-source"]
    return source === undefined ? [] : [[`${name}${subpath.slice(1)}`, join(root, source)] as const]
  })
  return Object.fromEntries(found.sort(([a], [b]) => b.length - a.length))
}

/** The files to run, in the order of the sources. `folder` must be where imports resolve as they do in the repository. */
export const bundled = async (
  folder: string,
  sources: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const name = (index: number) => `program${index}`
  await build({
    entryPoints: sources.map((source, index) => ({ in: source, out: name(index) })),
    outdir: join(folder, "bundled"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    alias: ownSources(),
    logLevel: "warning"
  })
  return sources.map((_, index) => join(folder, "bundled", `${name(index)}.mjs`))
}
