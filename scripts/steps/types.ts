import { join } from "node:path"
import { node } from "../lib/command.js"
import { commandOf, root, versionOf } from "../lib/project.js"
import { fromCommand, type Step } from "../lib/step.js"

export const types: Step = {
  name: "types",
  about: "the whole repository compiles on TypeScript 5.9, and no member of a class is unused",
  run: async () =>
    fromCommand(
      await node([commandOf("tsx"), join(root, "scripts/unused/check.ts")]),
      versionOf("typescript")
    )
}

/** On 6.0 the type tests are run, which say more of the same types than a compilation. */
export const types7: Step = {
  name: "types7",
  about: "src, examples and typetest compile on TypeScript 7.0",
  run: async () => {
    // Several checkers check much of the same, and there is something else to do for the other cores.
    const project = ["--project", "tsconfig.ts7.json", "--noEmit", "--singleThreaded"]
    return fromCommand(await node([commandOf("typescript7", "tsc"), ...project]), versionOf("typescript7"))
  }
}
