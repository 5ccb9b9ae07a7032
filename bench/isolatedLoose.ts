/**
 * A cold start from loose files, of a module that cannot be bundled: the package as it is installed, a module that asks where
 * it is, and a call in a process that is started for it.
 */
import { execFile } from "node:child_process"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { root, scratch, withFolder } from "../scripts/lib/project.js"
import { writeWithoutDeclarations } from "../scripts/package/withoutDeclarations.js"

const TOOLS = `import { Tool } from "bailiwick"
import { Effect, Schema } from "effect"
export const where = Tool.make({
  name: "where",
  description: "Where it is",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () => Effect.succeed(import.meta.url.length)
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
  const kit = yield* Isolated.toolkit(new URL("./tools.js", import.meta.url), options)
  const call = () => Effect.runPromise(Tool.run(kit.where, {}))
  // The one that described itself is used first.
  yield* Effect.promise(call)
  const rounds = []
  for (let round = 0; round < ${ROUNDS}; round++) {
    rounds.push(yield* Effect.promise(async () => [await timed(bare), await timed(call)]))
  }
  console.log(JSON.stringify(rounds))
})))
`

/** Milliseconds of a bare start and of one from loose files, by rounds. */
export const rounds = (): Promise<ReadonlyArray<readonly [bare: number, loose: number]>> =>
  withFolder(scratch, async (folder) => {
    const modules = join(folder, "node_modules")
    await mkdir(modules)
    await writeWithoutDeclarations(join(modules, "bailiwick"))
    await symlink(join(root, "node_modules/effect"), join(modules, "effect"))
    await writeFile(join(folder, "package.json"), '{ "type": "module" }')
    await writeFile(join(folder, "tools.js"), TOOLS)
    await writeFile(join(folder, "main.js"), MAIN)
    const { stdout } = await promisify(execFile)(process.execPath, ["main.js", join(folder, "state")], {
      cwd: folder
    })
    return JSON.parse(stdout) as ReadonlyArray<readonly [number, number]>
  })
