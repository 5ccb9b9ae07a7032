import { node } from "../lib/command.js"
import { commandOf } from "../lib/project.js"
import { fromCommand, type Step } from "../lib/step.js"
import { plain } from "../lib/terminal.js"

export const unit: Step = {
  name: "unit",
  about: "unit and property tests",
  run: async () => {
    const finished = await node([commandOf("vitest"), "run"])
    const count = /^\s*Tests .*?(\d+) passed/m.exec(plain(finished.output))?.[1]
    return fromCommand(finished, count === undefined ? undefined : `${count} tests`)
  }
}
