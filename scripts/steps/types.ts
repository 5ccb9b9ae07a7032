import { join } from "node:path"
import { node } from "../lib/command.js"
import { commandOf, root, versionOf } from "../lib/project.js"
import { fromCommand, inOrder, type Step } from "../lib/step.js"

const compile = (compiler: string, project: string) => async () => {
  const version = versionOf(compiler)
  const finished = await node([commandOf(compiler, "tsc"), "--project", project, "--noEmit"])
  return fromCommand({ ...finished, output: `TypeScript ${version}:\n${finished.output}` }, version)
}

export const types: Step = {
  name: "types",
  about: "the whole repository compiles on TypeScript 5.9, and no member of a class is unused",
  run: async () =>
    fromCommand(
      await node([commandOf("tsx"), join(root, "scripts/unused/check.ts")]),
      versionOf("typescript")
    )
}

export const types7: Step = {
  name: "types7",
  about: "src, examples and typetest compile on TypeScript 7.0 and 6.0",
  run: () =>
    inOrder([compile("typescript7", "tsconfig.ts7.json"), compile("typescript6", "tsconfig.ts7.json")])
}
