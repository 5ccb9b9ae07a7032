/**
 * `npm run test:mutants`: laws broken on purpose, each in a copy of the repository. The tests as `npm test` runs them must
 * notice every one: otherwise they are too few.
 */
import { cp, readFile, symlink, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { node } from "./lib/command.js"
import { commandOf, root, scratch, withFolder } from "./lib/project.js"
import { green, red } from "./lib/terminal.js"
import { list, type Mutant } from "./mutants/list.js"

const isCopied = (path: string): boolean => !["node_modules", ".git", ".tmp", "dist"].includes(basename(path))

/** Whether the tests notice. */
const isCaught = async (folder: string, { file, from, tests, to }: Mutant): Promise<boolean> => {
  const path = join(folder, file)
  const original = await readFile(path, "utf8")
  if (original.split(from).length !== 2) throw new Error(`${file} does not hold this once: ${from}`)
  await writeFile(path, original.replace(from, to))
  try {
    const { ok, output } = await node([commandOf("vitest"), "run", ...tests], { cwd: folder })
    // What does not load at all has been broken in another way than was meant.
    if (!ok && !/Tests .*failed/.test(output)) throw new Error(output)
    return !ok
  } finally {
    await writeFile(path, original)
  }
}

/** Whether all are caught. */
export const mutants = (): Promise<boolean> =>
  withFolder(scratch, async (folder) => {
    for (const name of [
      "src",
      "test",
      "scripts",
      "examples",
      "vitest.config.ts",
      "tsconfig.json",
      "package.json"
    ]) {
      await cp(join(root, name), join(folder, name), { recursive: true, filter: isCopied })
    }
    await symlink(join(root, "node_modules"), join(folder, "node_modules"))
    let all = true
    for (const mutant of list) {
      const caught = await isCaught(folder, mutant)
      console.log(`${caught ? green("caught") : red("missed")}  ${mutant.law}`)
      all &&= caught
    }
    return all
  })

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = (await mutants()) ? 0 : 1
