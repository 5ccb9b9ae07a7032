/**
 * What the command line costs in a workspace with a tool of its own, which the workspace's installation runs, as a
 * multiple of a bare `node -e 0`: one call of a tool that does nothing.
 */
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { bundle } from "../scripts/cli/bundle.js"
import { root } from "../scripts/lib/project.js"
import { entries } from "../scripts/package/library/entries.js"
import { splitModules } from "../scripts/package/library/split.js"

const tool = (imports: string) => `import { Tool } from "bailiwick"
${imports}
export const noop = Tool.make({
  name: "noop",
  description: "Does nothing",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () => Effect.void
})
`

const DEEP = 'import * as Effect from "effect/Effect"\nimport * as Schema from "effect/Schema"'
const BARREL = 'import { Effect, Schema } from "effect"'

/** The package as it is published, without its declarations. */
const packaged = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true })
  await copyFile(join(root, "package.json"), join(folder, "package.json"))
  await splitModules(entries(), join(folder, "dist"))
  await bundle(join(folder, "dist/cli"))
  return folder
}

const workspace = async (folder: string, installed: string, imports: string): Promise<string> => {
  await mkdir(join(folder, "node_modules"), { recursive: true })
  await symlink(installed, join(folder, "node_modules/bailiwick"))
  await symlink(join(root, "node_modules/effect"), join(folder, "node_modules/effect"))
  await mkdir(join(folder, "personality"))
  await writeFile(join(folder, "bailiwick.yaml"), "tools: [./tool.mjs]\n")
  await writeFile(join(folder, "tool.mjs"), tool(imports))
  await writeFile(join(folder, "personality/config.yaml"), "id: bench\n")
  return folder
}

/** Commands to time, in a folder that is kept for as long. */
export const subjects = async (folder: string) => {
  const installed = await packaged(join(folder, "package"))
  const main = join(installed, "dist/cli/main.js")
  const call = (directory: string) => [
    main,
    "call",
    "noop",
    "--personality",
    join(directory, "personality"),
    "--workdir",
    directory
  ]
  return [
    {
      work: "bailiwick call of an own tool that imports effect by module, to node -e 0",
      atMost: 9,
      args: call(await workspace(join(folder, "deep"), installed, DEEP))
    },
    {
      work: "bailiwick call of an own tool that imports effect whole, to node -e 0",
      atMost: 12,
      args: call(await workspace(join(folder, "barrel"), installed, BARREL))
    }
  ]
}
