/**
 * The command line as two programs: a small entry that answers help by itself, and everything else as one script, which
 * the entry puts together from the modules of the library and runs with the code that V8 compiled of it before.
 */
import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { build } from "esbuild"
import { readManifest, root } from "../lib/project.js"
import { link, modulesFrom } from "./link.js"
import { bundlePackages } from "./packages.js"

const entry = (file: string) =>
  build({
    entryPoints: [join(root, "src/cli/bundled.ts")],
    outfile: file,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["bailiwick-source"],
    legalComments: "none",
    logLevel: "warning",
    banner: { js: "#!/usr/bin/env node" },
    define: { BAILIWICK_VERSION: JSON.stringify(readManifest(root).version) }
  })

const program = async (dist: string): Promise<void> => {
  const packages = "cli/packages.cjs"
  const modules = modulesFrom(dist, ["cli/program.js"])
  await bundlePackages(modules, join(dist, packages))
  await writeFile(join(dist, "cli/program.json"), JSON.stringify(link(dist, modules, packages)))
}

/** Into a `dist` that has the modules of the library, and from which the dependencies can be found. */
export const bundle = async (dist: string = join(root, "dist")): Promise<void> => {
  const main = join(dist, "cli/main.js")
  await Promise.all([entry(main), program(dist)])
  await chmod(main, 0o755)
}
