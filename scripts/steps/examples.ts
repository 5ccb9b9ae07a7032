import { node } from "../lib/command.js"
import { bundled } from "../lib/programs.js"
import { filesUnder, root, scratch, withFolder } from "../lib/project.js"
import { fromProblems, type Step } from "../lib/step.js"

/** `mistakes.ts` is a file of compile errors, which the documentation step compiles. */
const isProgram = (file: string) =>
  /^examples\/[^/]+\.ts$/.test(file) && !file.endsWith(".test.ts") && file !== "examples/mistakes.ts"

const run = async (file: string, program: string): Promise<ReadonlyArray<string>> => {
  const finished = await node(["--enable-source-maps", program])
  return finished.ok ? [] : [`${file}:\n${finished.output}`]
}

export const examples: Step = {
  name: "examples",
  about: "every example runs and exits 0",
  run: () =>
    withFolder(scratch, async (folder) => {
      const files = filesUnder("examples").filter(isProgram)
      const programs = await bundled(
        folder,
        files.map((file) => `${root}/${file}`)
      )
      const problems: Array<string> = []
      for (const [index, program] of programs.entries()) {
        problems.push(...(await run(files[index] ?? program, program)))
      }
      return fromProblems(problems, `${files.length} programs`)
    })
}
