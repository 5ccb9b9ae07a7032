import { modules } from "../graph/modules.js"
import { complaints } from "../graph/rules.js"
import { node } from "../lib/command.js"
import { commandOf, filesUnder } from "../lib/project.js"
import { fromCommand, fromProblems, inOrder, type Step } from "../lib/step.js"
import { lintAuthority } from "../lint/authority.js"

const biome = async (...args: ReadonlyArray<string>) =>
  fromCommand(await node([commandOf("@biomejs/biome", "biome"), ...args]))

export const lint: Step = {
  name: "lint",
  about:
    "lint rules, who may import whom, no import cycles between files or folders, no entry into private files, no ambient authority in examples",
  run: () =>
    inOrder([
      () => biome("lint", "--error-on-warnings", "--diagnostic-level=warn", "--max-diagnostics=100", "."),
      async () => fromProblems(complaints(modules())),
      () => lintAuthority(filesUnder("examples").filter((file) => file.endsWith(".ts")))
    ])
}

export const format: Step = {
  name: "format",
  about: "everything is formatted (npm run format does it)",
  run: () => biome("format", "--max-diagnostics=100", ".")
}
