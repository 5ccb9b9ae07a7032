/**
 * Cold starts of modules without a snapshot, in the package as it is installed: those that ask where they are, and where their
 * imports lead, which are one file; and one without esbuild, from a pack of its files. Each call is in a process that is started for it.
 */
import { execFile } from "node:child_process"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { root, scratch, withFolder } from "../scripts/lib/project.js"
import { writeWithoutDeclarations } from "../scripts/package/withoutDeclarations.js"

const toolsAsking = (what: string): string => `import { Tool } from "bailiwick"
import { Effect, Schema } from "effect"
export const where = Tool.make({
  name: "where",
  description: "Where it is",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () => Effect.sync(() => ${what}.length)
})
`

const ROUNDS = 15

const WITHOUT_ESBUILD = pathToFileURL(join(root, "scripts/package/withoutEsbuild.mjs")).href

const MAIN = `import { spawnSync } from "node:child_process"
import * as Isolated from "bailiwick/isolated"
import { Tool } from "bailiwick"
import { Effect } from "effect"
const options = { directory: process.argv[2], spares: 0 }
const timed = async (run) => {
  const from = process.hrtime.bigint()
  await run()
  return Number(process.hrtime.bigint() - from) / 1e6
}
const bare = () => spawnSync(process.execPath, ["-e", "0"], { stdio: "ignore", env: {} })
await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
  const kit = yield* Isolated.toolkit(new URL("./" + process.argv[3] + ".js", import.meta.url), options)
  const call = () => Effect.runPromise(Tool.run(kit.where, {}))
  // The one that described itself is used first.
  yield* Effect.promise(call)
  const ratios = []
  for (let round = 0; round < ${ROUNDS}; round++) {
    const from = yield* Effect.promise(() => timed(bare))
    ratios.push((yield* Effect.promise(() => timed(call))) / from)
  }
  console.log(JSON.stringify(ratios))
})))
`

export interface Started {
  /** It asks where it is; where its imports lead; and nothing of it is bundled. */
  readonly placed: ReadonlyArray<number>
  readonly resolving: ReadonlyArray<number>
  readonly loose: ReadonlyArray<number>
}

/** How many times a bare start each takes, by rounds. */
export const rounds = (): Promise<Started> =>
  withFolder(scratch, async (folder) => {
    const modules = join(folder, "node_modules")
    await mkdir(modules)
    await writeWithoutDeclarations(join(modules, "bailiwick"))
    await symlink(join(root, "node_modules/effect"), join(modules, "effect"))
    await writeFile(join(folder, "package.json"), '{ "type": "module" }')
    await writeFile(join(folder, "placed.js"), toolsAsking("import.meta.url"))
    await writeFile(join(folder, "resolving.js"), toolsAsking('import.meta.resolve("effect")'))
    await writeFile(join(folder, "main.js"), MAIN)
    const started = async (name: string, ...options: ReadonlyArray<string>) => {
      const args = [...options, "main.js", join(folder, `state${options.length}`), name]
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder })
      return JSON.parse(stdout) as ReadonlyArray<number>
    }
    return {
      placed: await started("placed"),
      resolving: await started("resolving"),
      loose: await started("placed", "--import", WITHOUT_ESBUILD)
    }
  })
