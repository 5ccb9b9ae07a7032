import { readFileSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { place } from "../docs/blocks.js"
import { check } from "../docs/check.js"
import { commentsOf, hasExample } from "../docs/comments.js"
import { compareOutput } from "../docs/output.js"
import { expectedErrors, type Program } from "../docs/programs.js"
import type { Answer } from "../docs/programsInTurn.js"
import { type Finished, node, npm } from "../lib/command.js"
import { bundled } from "../lib/programs.js"
import { filesUnder, readManifest, root, scratch, withFolder } from "../lib/project.js"
import { fromProblems, type Step } from "../lib/step.js"

/** Pages, and sources whose doc comments hold examples; all of them, or those that are named. */
const documents = () => {
  const only = process.env.BAILIWICK_DOCS?.split(/[\s,]+/)
  const pages = [
    ...[README, "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"],
    ...filesUnder("docs").filter((file) => file.endsWith(".md"))
  ]
  const sources = filesUnder("src").filter((file) => file.endsWith(".ts"))
  return new Map(
    [
      ...pages.flatMap(read),
      ...sources
        .flatMap(read)
        .filter(([, text]) => hasExample(text))
        .map(([name, text]): [string, string] => [name, commentsOf(text)])
    ].filter(([name]) => only === undefined || only.includes(name))
  )
}

const read = (name: string): ReadonlyArray<[string, string]> => {
  try {
    return [[name, readFileSync(join(root, name), "utf8")]]
  } catch {
    return []
  }
}

const README = "README.md"

const MISTAKES = "examples/mistakes.ts"

/** A file of compile errors, each announced beside the tool that makes it. */
const mistakesProgram = (): Program => {
  const source = readFileSync(join(root, MISTAKES), "utf8")
  return { document: MISTAKES, line: 1, source, errors: expectedErrors(source), output: undefined }
}

const unannounced = ({ errors, source }: Program): ReadonlyArray<string> => {
  const tools = source.match(/Tool\.(make|exact)\(/g)?.length
  return errors.length === tools
    ? []
    : [`${MISTAKES} has ${tools} tools and announces ${errors.length} errors`]
}

const judge = (
  shown: { readonly document: string; readonly line: number; readonly output: string },
  finished: Finished
) => (finished.ok ? compareOutput(shown, finished.stdout) : [`${place(shown)} failed:\n${finished.output}`])

/** No colours, whatever the terminal: the documents show none. */
const options = { env: { FORCE_COLOR: undefined, NO_COLOR: "1" } }

/**
 * Runs programs in one process, which loads once what they all import, and whoever does not print there what it should in
 * a process of its own, which has the last word.
 */
const runAll = async (folder: string, programs: ReadonlyArray<Program>): Promise<ReadonlyArray<string>> => {
  const sources = await Promise.all(
    programs.map(async ({ source }, index) => {
      const file = join(folder, `${index}.ts`)
      await writeFile(file, source)
      return file
    })
  )
  const [inTurn = "", ...files] = await bundled(join(folder, "bundled"), [
    join(root, "scripts/docs/programsInTurn.ts"),
    ...sources
  ])
  const written = join(folder, "answers.json")
  await node([inTurn, written, ...files], options)
  const answers: ReadonlyArray<Answer> = JSON.parse(await readFile(written, "utf8"))
  const problems: Array<string> = []
  for (const [index, program] of programs.entries()) {
    const shown = { ...program, output: program.output ?? "" }
    const answer = answers[index]
    if (answer?.ok === true && compareOutput(shown, answer.printed).length === 0) continue
    problems.push(...judge(shown, await node(["--enable-source-maps", files[index] ?? ""], options)))
  }
  return problems
}

export const docs: Step = {
  name: "docs",
  about: "every code block of the documents compiles, and prints what they say it prints",
  run: () =>
    withFolder(scratch, async (folder) => {
      const found = documents()
      const mistakes = found.has(README) ? [mistakesProgram()] : []
      const checked = check(found, new Set(Object.keys(readManifest(root).scripts)), mistakes)
      const problems = [...checked.problems, ...mistakes.flatMap(unannounced)]
      if (checked.programs.length > 0) problems.push(...(await runAll(folder, checked.programs)))
      for (const shown of checked.scripts) {
        problems.push(...judge(shown, await npm(["run", "--silent", shown.script], options)))
      }
      return fromProblems(problems, `${checked.blocks} blocks in ${found.size} documents`)
    })
}
