import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Finished, node } from "../lib/command.js"
import { commandOf, filesUnder, root, scratch, versionOf, withFolder } from "../lib/project.js"
import { failed, fromCommand, inOrder, type Result, type Step } from "../lib/step.js"
import { plain } from "../lib/terminal.js"
import { readTypeTest, together } from "../typetest/together.js"

/**
 * TSTyche would download a compiler that it is asked for by version; a module of node_modules it only loads.
 * The address of its registry is a closed port, so that a download is an error and not a surprise.
 */
const tstyche = (compiler: string, args: ReadonlyArray<string>): Promise<Finished> =>
  node([commandOf("tstyche"), ...args], {
    env: { TSTYCHE_TYPESCRIPT_MODULE: compiler, TSTYCHE_NPM_REGISTRY: "http://127.0.0.1:9" }
  })

/** The tests in `folder`, as few modules, with a configuration that knows of no others. */
const writeTogether = async (folder: string): Promise<void> => {
  const files = filesUnder("typetest").filter((file) => file.endsWith(".tst.ts"))
  const tests = await Promise.all(
    files.map(async (file) => readTypeTest(folder, file, await readFile(join(root, file), "utf8")))
  )
  const { apart, modules } = together(tests)
  await Promise.all([
    ...modules.map((text, index) => writeFile(join(folder, `${index}.tst.ts`), text)),
    writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.json"), include: ["."], exclude: [] })
    ),
    writeFile(
      join(folder, "tstyche.config.json"),
      JSON.stringify({
        rootPath: root,
        testFileMatch: [`${folder.slice(root.length + 1)}/*.tst.ts`, ...apart]
      })
    )
  ])
}

const judged = (compiler: string, finished: Finished): Result => {
  const version = versionOf(compiler)
  const output = plain(finished.output)
  if (finished.ok && !output.includes(`uses TypeScript ${version} `)) {
    return failed(`expected TSTyche to use TypeScript ${version}:\n${finished.output}`)
  }
  const count = /^Assertions:.*?(\d+) passed/m.exec(output)?.[1] ?? "0"
  return fromCommand(finished, `${count} assertions on ${version}`)
}

/** What fails together is run again file by file, which says where. */
const testOn = (compiler: string, folder: string) => async () => {
  const result = judged(compiler, await tstyche(compiler, ["--config", join(folder, "tstyche.config.json")]))
  if (result.ok) return result
  const apart = judged(compiler, await tstyche(compiler, []))
  return apart.ok ? result : apart
}

export const typetest: Step = {
  name: "typetest",
  about: "the type tests hold on TypeScript 5.9 and 6.0",
  run: () =>
    withFolder(scratch, async (folder) => {
      await writeTogether(folder)
      return inOrder(["typescript", "typescript6"].map((compiler) => testOn(compiler, folder)))
    })
}
