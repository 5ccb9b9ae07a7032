/** The lint plugin of the sources as one file, as an engine can load it. */
import { join } from "node:path"
import { build } from "esbuild"
import { root } from "../lib/project.js"

export const bundlePlugin = async (file: string): Promise<void> => {
  await build({
    entryPoints: [join(root, "src/lint/index.ts")],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning"
  })
}
