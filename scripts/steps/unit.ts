import { node } from "../lib/command.js"
import { commandOf } from "../lib/project.js"
import { shards } from "../lib/shards.js"
import { fromCommand, fromProblems, inOrder, type Step } from "../lib/step.js"
import { plain } from "../lib/terminal.js"

/** Many tests wait for processes of their own: two parts at a time keep the cores busy meanwhile. */
const AT_ONCE = 2

export const unit: Step = {
  name: "unit",
  about: "unit and property tests",
  run: async () => {
    let count = 0
    const part = (args: ReadonlyArray<string>) => async () => {
      const finished = await node([commandOf("vitest"), ...args])
      count += Number(/^\s*Tests .*?(\d+) passed/m.exec(plain(finished.output))?.[1] ?? 0)
      return fromCommand(finished)
    }
    const result = await inOrder(shards.map(part), AT_ONCE)
    return result.ok ? fromProblems([], `${count} tests`) : result
  }
}
