/**
 * The command line as two files: a small entry that answers help by itself, and everything else as one script with the
 * code that V8 compiled of it.
 */
import { chmod, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type BuildOptions, build, type Plugin } from "esbuild"
import { node } from "../lib/command.js"
import { readManifest, root, scratch, withFolder } from "../lib/project.js"

/** Native, or large and needed by few calls: loaded from where they are installed, when they are used. */
const external = ["lmdb", "undici"]

/** Schemas can make test data, which a command line does not. */
const withoutTestData: Plugin = {
  name: "without-test-data",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^fast-check$/ }, ({ path }) => ({ path, namespace: "empty" }))
    onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "module.exports = {}" }))
  }
}

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
    plugins: [withoutTestData],
    supported: { "dynamic-import": false },
    // A function of what it needs, so that a script can be run where modules are not known.
    banner: { js: "(function(module,require){" },
    footer: { js: "})" }
  })

/** Runs the script as the entry would, and keeps at the end what was compiled on the way. */
const warming = `
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Script } from "node:vm"
const [filename, ...args] = process.argv.slice(2)
const script = new Script(readFileSync(filename, "utf8"), { filename })
process.on("exit", () => writeFileSync(filename + ".cache", script.createCachedData()))
const module = { exports: {} }
script.runInThisContext()(module, createRequire(filename))
await module.exports.main(args)
`

const compiled = (output: string): Promise<void> =>
  withFolder(scratch, async (folder) => {
    const personality = join(folder, "personality")
    await mkdir(personality)
    await writeFile(join(folder, "bailiwick.yaml"), "")
    await writeFile(join(personality, "config.yaml"), `id: warm\nfs_reach: { read: ["\${CWD}"] }\n`)
    const calls = [
      { id: "1", name: "list_attachments", args: {} },
      { id: "2", name: "read_file", args: { path: "bailiwick.yaml" } },
      { id: "3", name: "read_file", args: { path: "/outside" } }
    ]
    await writeFile(join(folder, "calls.json"), JSON.stringify(calls))
    await writeFile(join(folder, "warm.mjs"), warming)
    const args = [
      join(output, "program.cjs"),
      ...["run", join(folder, "calls.json"), "--personality", personality, "--workdir", folder]
    ]
    const warmed = await node([join(folder, "warm.mjs"), ...args])
    if (!warmed.ok) throw new Error(`the bundled program does not run:\n${warmed.output}`)
  })

/** Into `dist/cli`, or another folder from which the dependencies can be found. */
export const bundle = async (output: string = join(root, "dist/cli")): Promise<void> => {
  await mkdir(output, { recursive: true })
  await Promise.all([entry(output), program(output)])
  await chmod(join(output, "main.js"), 0o755)
  await compiled(output)
}
