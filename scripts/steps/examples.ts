import { node } from "../lib/command.js"
import { commandOf, filesUnder } from "../lib/project.js"
import { fromProblems, type Step } from "../lib/step.js"

/** `mistakes.ts` is a file of compile errors, which the documentation step compiles. */
const isProgram = (file: string) =>
  /^examples\/[^/]+\.ts$/.test(file) && !file.endsWith(".test.ts") && file !== "examples/mistakes.ts"

const run = async (file: string): Promise<ReadonlyArray<string>> => {
  const finished = await node([commandOf("tsx"), "--conditions=bailiwick-source", file])
  return finished.ok ? [] : [`${file}:\n${finished.output}`]
}

export const examples: Step = {
  name: "examples",
  about: "every example runs and exits 0",
  run: async () => {
    const programs = filesUnder("examples").filter(isProgram)
    const problems: Array<string> = []
    for (const file of programs) problems.push(...(await run(file)))
    return fromProblems(problems, `${programs.length} programs`)
  }
}
