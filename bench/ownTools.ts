/**
 * What the command line costs in a workspace with a tool of its own, which the workspace's installation runs, as a
 * multiple of a bare `node -e 0`: one call of a tool that does nothing.
 */
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { root } from "../scripts/lib/project.js"

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

/** Commands to time, in a folder that is kept for as long, of a package that is installed. */
export const subjects = async (folder: string, installed: string) => {
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
