/** The package as a project has it installed, less its declarations. It is built once in a run, and starts as fast as it does there. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import { bundle } from "../scripts/cli/bundle.js"
import { effectByModule } from "../scripts/cli/plugins.js"
import { root, scratch } from "../scripts/lib/project.js"
import { entries } from "../scripts/package/library/entries.js"

const built = async (): Promise<string> => {
  mkdirSync(scratch, { recursive: true })
  const folder = mkdtempSync(join(scratch, "installed-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(root, "package.json"), join(folder, "package.json"))
  await Promise.all([
    build({
      entryPoints: [...entries(), "cli/program"].map((name) => ({
        in: join(root, `src/${name}.ts`),
        out: name
      })),
      outdir: join(folder, "dist"),
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node20",
      packages: "external",
      plugins: [effectByModule],
      logLevel: "warning"
    }),
    bundle(join(folder, "dist/cli"))
  ])
  return folder
}

let made: Promise<string> | undefined

/** The folder of the package, to be linked to from a `node_modules`. */
export const installed = (): Promise<string> => {
  made ??= built()
  return made
}

/** The command, to be given to Node. */
export const installedCommand = async (): Promise<string> => join(await installed(), "dist/cli/main.js")
