import { node } from "../lib/command.js"
import { commandOf } from "../lib/project.js"
import { fromCommand, type Step } from "../lib/step.js"

const biome = async (...args: ReadonlyArray<string>) =>
  fromCommand(await node([commandOf("@biomejs/biome", "biome"), ...args]))

export const lint: Step = {
  name: "lint",
  about: "lint rules, the room rules on imports, no import cycles",
  run: () => biome("lint", "--error-on-warnings", "--diagnostic-level=warn", "--max-diagnostics=100", ".")
}

export const format: Step = {
  name: "format",
  about: "everything is formatted (npm run format does it)",
  run: () => biome("format", "--max-diagnostics=100", ".")
}
