import { node } from "../lib/command.js"
import { commandOf } from "../lib/project.js"
import { fromCommand, type Step } from "../lib/step.js"

export const unused: Step = {
  name: "unused",
  about: "no unused file, export or dependency, and none that is not declared",
  run: async () =>
    fromCommand(await node([commandOf("knip"), "--no-progress", "--treat-config-hints-as-errors"]))
}
