import { readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { place } from "../docs/blocks.js"
import { check } from "../docs/check.js"
import { commentsOf, hasExample } from "../docs/comments.js"
import { compareOutput } from "../docs/output.js"
import { expectedErrors, type Program } from "../docs/programs.js"
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

/** How many programs run at once. */
const CONCURRENT = 2

/** Each is given its turn; the answers are in the order of what was asked. */
const inTurn = async <A, B>(
  all: ReadonlyArray<A>,
  atOnce: number,
  run: (one: A) => Promise<B>
): Promise<ReadonlyArray<B>> => {
  const answers = new Array<B>(all.length)
  const waiting = [...all.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      answers[next[0]] = await run(next[1])
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return answers
}

/** No colours, whatever the terminal: the documents show none. */
const options = { env: { FORCE_COLOR: undefined, NO_COLOR: "1" } }

export const docs: Step = {
  name: "docs",
  about: "every code block of the documents compiles, and prints what they say it prints",
  run: () =>
    withFolder(scratch, async (folder) => {
      const found = documents()
      const mistakes = found.has(README) ? [mistakesProgram()] : []
      const checked = check(found, new Set(Object.keys(readManifest(root).scripts)), mistakes)
      const problems = [...checked.problems, ...mistakes.flatMap(unannounced)]
      const sources = await Promise.all(
        checked.programs.map(async ({ source }, index) => {
          const file = join(folder, `${index}.ts`)
          await writeFile(file, source)
          return file
        })
      )
      const files = await bundled(join(folder, "bundled"), sources)
      const runs = await inTurn(files, CONCURRENT, (file) => node(["--enable-source-maps", file], options))
      for (const [index, program] of checked.programs.entries()) {
        const run = runs[index]
        if (run !== undefined) problems.push(...judge({ ...program, output: program.output ?? "" }, run))
      }
      for (const shown of checked.scripts) {
        problems.push(...judge(shown, await npm(["run", "--silent", shown.script], options)))
      }
      return fromProblems(problems, `${checked.blocks} blocks in ${found.size} documents`)
    })
}
