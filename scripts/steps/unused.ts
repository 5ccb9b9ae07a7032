import { join } from "node:path"
import ts from "typescript"
import { node } from "../lib/command.js"
import { commandOf, readManifest, root } from "../lib/project.js"
import { fromCommand, fromProblems, inOrder, type Step } from "../lib/step.js"
import { unusedMembers } from "../unused/members.js"

/** The modules that users import, as they stand in `src`. */
const entries = (): ReadonlyArray<string> =>
  Object.values(readManifest(root).exports).flatMap((target) => {
    const source = typeof target === "string" ? undefined : target["bailiwick-source"]
    return source === undefined ? [] : [source.replace(/^\.\//, "")]
  })

const programOf = (config: string): ts.Program => {
  const read = ts.getParsedCommandLineOfConfigFile(
    join(root, config),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} }
  )
  if (read === undefined) throw new Error(`${config} cannot be read`)
  return ts.createProgram(read.fileNames, read.options)
}

export const unused: Step = {
  name: "unused",
  about: "no unused file, export, dependency or member of a class, and none that is not declared",
  run: () =>
    inOrder([
      async () =>
        fromCommand(await node([commandOf("knip"), "--no-progress", "--treat-config-hints-as-errors"])),
      async () =>
        fromProblems(
          unusedMembers({
            program: programOf("tsconfig.json"),
            root,
            isSource: (path) => path.startsWith("src/"),
            entries: entries()
          })
        )
    ])
}
