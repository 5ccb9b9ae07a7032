/** The lint plugin as one file: every run of a linter loads it, and one file loads faster than thirty. */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { build } from "esbuild"
import { filesUnder, root } from "../lib/project.js"

export const bundlePlugin = async (file: string, minify = false): Promise<void> => {
  await build({
    entryPoints: [join(root, "src/lint/index.ts")],
    outfile: file,
    bundle: true,
    minify,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning"
  })
}

/** In place of the modules that the compiler has written to `dist`. Declarations stay. */
export const replaceByBundle = async (): Promise<void> => {
  const modules = filesUnder("dist/lint").filter((file) => file.endsWith(".js"))
  await Promise.all(modules.map((file) => rm(join(root, file))))
  await bundlePlugin(join(root, "dist/lint/index.js"), true)
}
