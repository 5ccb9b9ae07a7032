import { join } from "node:path"
import { node } from "../lib/command.js"
import { commandOf, root, versionOf } from "../lib/project.js"
import { fromCommand, type Step } from "../lib/step.js"

export const types: Step = {
  name: "types",
  about: "src and examples compile on TypeScript 5.9, and no member of a class is unused",
  run: async () =>
    fromCommand(
      await node([commandOf("tsx"), join(root, "scripts/unused/check.ts")]),
      versionOf("typescript")
    )
}

/** The fastest one has what nobody but this repository compiles. On 6.0 the type tests are run. */
export const types7: Step = {
  name: "types7",
  about: "the whole repository compiles on TypeScript 7.0",
  run: async () => {
    // Several checkers check much of the same, and there is something else to do for the other cores.
    const project = ["--project", "tsconfig.json", "--noEmit", "--singleThreaded"]
    return fromCommand(await node([commandOf("typescript7", "tsc"), ...project]), versionOf("typescript7"))
  }
}
