/** Whether what is published of the types is whole: every declaration, and every source beside them, compiles there. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { node } from "../lib/command.js"
import { commandOf, root, scratch, withFolder } from "../lib/project.js"

const settings = {
  extends: join(root, "tsconfig.json"),
  compilerOptions: { customConditions: [], skipLibCheck: false, allowImportingTsExtensions: false },
  include: [join(root, "dist/types/*")]
}

/** Of the declarations of other packages no complaint is heard. */
export const checkPublished = (): Promise<ReadonlyArray<string>> =>
  withFolder(scratch, async (folder) => {
    const project = join(folder, "tsconfig.json")
    await writeFile(project, JSON.stringify(settings))
    const { output } = await node([
      commandOf("typescript7", "tsc"),
      "--project",
      project,
      "--singleThreaded",
      "--pretty",
      "false"
    ])
    return output.split("\n").filter((line) => /\berror TS/.test(line) && !line.startsWith("node_modules/"))
  })
