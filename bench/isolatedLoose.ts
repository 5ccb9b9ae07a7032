/**
 * Cold starts of modules without a snapshot, in the package as it is installed: one that asks where it is, which is one file,
 * and one that asks for more than that, which is run from its files as all are where there is no esbuild. Each call is in a
 * process that is started for it.
 */
import { execFile } from "node:child_process"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
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
  const calls = []
  for (const name of ["placed", "loose"]) {
    const kit = yield* Isolated.toolkit(new URL("./" + name + ".js", import.meta.url), options)
    const call = () => Effect.runPromise(Tool.run(kit.where, {}))
    // The one that described itself is used first.
    yield* Effect.promise(call)
    calls.push(call)
  }
  const rounds = []
  for (let round = 0; round < ${ROUNDS}; round++) {
    rounds.push(yield* Effect.promise(async () => {
      const times = []
      for (const run of [bare, ...calls]) times.push(await timed(run))
      return times
    }))
  }
  console.log(JSON.stringify(rounds))
})))
`

type Round = readonly [bare: number, placed: number, loose: number]

/** Milliseconds of a bare start, of one from a file that asks where it is, and of one from loose files, by rounds. */
export const rounds = (): Promise<ReadonlyArray<Round>> =>
  withFolder(scratch, async (folder) => {
    const modules = join(folder, "node_modules")
    await mkdir(modules)
    await writeWithoutDeclarations(join(modules, "bailiwick"))
    await symlink(join(root, "node_modules/effect"), join(modules, "effect"))
    await writeFile(join(folder, "package.json"), '{ "type": "module" }')
    await writeFile(join(folder, "placed.js"), toolsAsking("import.meta.url"))
    await writeFile(join(folder, "loose.js"), toolsAsking('import.meta.resolve("effect")'))
    await writeFile(join(folder, "main.js"), MAIN)
    const { stdout } = await promisify(execFile)(process.execPath, ["main.js", join(folder, "state")], {
      cwd: folder
    })
    return JSON.parse(stdout) as ReadonlyArray<Round>
  })
