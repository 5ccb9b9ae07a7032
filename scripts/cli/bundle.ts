/**
 * The command line as two programs: a small entry that answers help by itself, and everything else as one script, which
 * the entry puts together from the modules of the library and runs with the code that V8 compiled of it before.
 */
import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { readManifest, root } from "../lib/project.js"
import { shortened } from "../package/library/names.js"
import { template } from "../page/template.js"
import { link, modulesFrom } from "./link.js"
import { bundlePackages } from "./packages.js"

const entry = async (file: string): Promise<void> => {
  const bundle = await rolldown({
    cwd: root,
    input: join(root, "src/cli/bundled.ts"),
    platform: "node",
    resolve: { extensionAlias: { ".js": [".ts"] } },
    transform: {
      target: "node20",
      define: { BAILIWICK_VERSION: JSON.stringify(readManifest(root).version) }
    }
  })
  const { output } = await bundle.generate({ format: "esm" })
  await writeFile(file, `#!/usr/bin/env node\n${shortened(output[0].code, { functions: false })}`)
}

const program = async (dist: string): Promise<void> => {
  const packages = "cli/packages.cjs"
  const modules = modulesFrom(dist, ["cli/program.js"])
  await bundlePackages(modules, join(dist, packages))
  await writeFile(join(dist, "cli/program.json"), JSON.stringify(link(dist, modules, packages)))
}

/** The page that a command fills with data. */
const page = async (dist: string): Promise<void> => writeFile(join(dist, "cli/page.html"), await template())

/** Into a `dist` that has the modules of the library, and from which the dependencies can be found. */
export const bundle = async (dist: string = join(root, "dist")): Promise<void> => {
  const main = join(dist, "cli/main.js")
  await Promise.all([entry(main), program(dist), page(dist)])
  await chmod(main, 0o755)
}
