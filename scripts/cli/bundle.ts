/**
 * The command line as two files: a small entry that answers help by itself, and everything else as one script, which
 * the entry runs with the code that V8 compiled of it before.
 */
import { chmod, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { type BuildOptions, build } from "esbuild"
import { readManifest, root } from "../lib/project.js"
import { effectByModule, lazily, withoutTestData } from "./plugins.js"

/** Of modules that are themselves loaded only when a call needs them. */
const external = ["htmlparser2", "ipaddr.js", "libsql", "undici"]

/** Large, and in the way of every start although few calls use them. */
const large = ["re2js", "tldts"]

const common: BuildOptions = {
  bundle: true,
  platform: "node",
  target: "node20",
  minify: true,
  conditions: ["bailiwick-source"],
  legalComments: "none",
  logLevel: "warning"
}

const entry = (output: string) =>
  build({
    ...common,
    entryPoints: [join(root, "src/cli/bundled.ts")],
    outfile: join(output, "main.js"),
    format: "esm",
    banner: { js: "#!/usr/bin/env node" },
    define: { BAILIWICK_VERSION: JSON.stringify(readManifest(root).version) }
  })

const program = (output: string) =>
  build({
    ...common,
    entryPoints: [join(root, "src/cli/program.ts")],
    outfile: join(output, "program.cjs"),
    format: "cjs",
    external,
    plugins: [withoutTestData, effectByModule, lazily(large)],
    supported: { "dynamic-import": false },
    // A function of what it needs, so that a script can be run where modules are not known.
    banner: { js: "(function(module,require){" },
    footer: { js: "})" }
  })

/** Into `dist/cli`, or another folder from which the dependencies can be found. */
export const bundle = async (output: string = join(root, "dist/cli")): Promise<void> => {
  await mkdir(output, { recursive: true })
  await Promise.all([entry(output), program(output)])
  await chmod(join(output, "main.js"), 0o755)
}
