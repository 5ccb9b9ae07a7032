/** The installed command, as the shell would start it. */
import { existsSync } from "node:fs"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type Finished, command as run } from "../lib/command.js"

/** One call that needs nothing, and one for each package that only such a call loads. */
const calls = [
  { id: "1", name: "list_attachments", args: {} },
  { id: "2", name: "search_files", args: { path: ".", pattern: "id: \\w+" } },
  { id: "3", name: "kv_set", args: { key: "a", value: "b" } }
]

/** A wildcard is held against the list of public suffixes, which is a package too. */
const personality = `id: consumer
fs_reach: { read: ["\${CWD}"] }
safety: { network: { allow: ["*.github.com"] } }
`

interface Answers {
  readonly results: ReadonlyArray<{ readonly result: { readonly ok: boolean } }>
}

const explain = ({ ok, output, stdout }: Finished): ReadonlyArray<string> => {
  if (!ok) return [`running the installed command:\n${output}`]
  const { results }: Answers = JSON.parse(stdout)
  return results.length === calls.length && results.every(({ result }) => result.ok)
    ? []
    : [`the installed command does not do what it is asked:\n${output}`]
}

/** Tools of the project's own: the installation that the project has runs them, with its copy of the library. */
const ownTools: ReadonlyArray<readonly [path: string, text: string]> = [
  ["own/bailiwick.yaml", "tools: [./tools/index.mjs]\n"],
  ["own/personality/config.yaml", "id: own\n"],
  ["own/calls.json", '[{ "id": "1", "name": "whoami", "args": {} }]'],
  [
    "own/tools/index.mjs",
    `import { Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Schema } from "effect"
console.log("loaded")
export const layer = Layer.scopedDiscard(Effect.addFinalizer(() => Effect.sync(() => console.log("released"))))
export const whoami = Tool.make({
  name: "whoami",
  description: "Who I am",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () => Effect.succeed("a tool of my own")
})
`
  ]
]

/** Standard output is one document: what tools print goes elsewhere. */
const resultsIn = (stdout: string): ReadonlyArray<unknown> => {
  try {
    const { results }: { readonly results: ReadonlyArray<{ readonly result: unknown }> } = JSON.parse(stdout)
    return results.map(({ result }) => result)
  } catch {
    return []
  }
}

const checkOwnTools = async (folder: string, runtime: string): Promise<ReadonlyArray<string>> => {
  for (const [path, text] of ownTools) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const command = join(folder, "node_modules", ".bin", "bailiwick")
  const { ok, output, stdout } = await run(
    runtime,
    [command, "run", "calls.json", "--personality", "personality", "--json"],
    { cwd: join(folder, "own") }
  )
  if (!ok) return [`a tool of the project's own:\n${output}`]
  const answered = JSON.stringify(resultsIn(stdout)) === '[{"ok":true,"value":"a tool of my own"}]'
  const heard = ["loaded\n", "released\n"].every((line) => output.includes(line))
  return answered && heard ? [] : [`a tool of the project's own answers:\n${output}`]
}

/** Where the first start keeps the code that was compiled. */
const cacheIn = (folder: string) => join(folder, "node_modules/bailiwick/dist/cli/program.cache")

/** As a disk would that lost a part of the file. */
const damage = async (path: string): Promise<void> => {
  const kept = await readFile(path)
  await writeFile(path, kept.fill(0, kept.length >> 1, (kept.length >> 1) + 4096))
}

/**
 * Three times: nothing is compiled yet; the code is kept; what is kept is damaged, which V8 itself does not see. Then a
 * workspace with tools of its own, twice: the second start finds what the first has compiled, where Node keeps it.
 */
export const checkCommand = async (
  folder: string,
  runtime = process.execPath
): Promise<ReadonlyArray<string>> => {
  await mkdir(join(folder, "personality"), { recursive: true })
  await rm(cacheIn(folder), { force: true })
  await writeFile(join(folder, "personality/config.yaml"), personality)
  await writeFile(join(folder, "calls.json"), JSON.stringify(calls))
  const command = join("node_modules", ".bin", "bailiwick")
  const start = async () =>
    explain(
      await run(runtime, [command, "run", "calls.json", "--personality", "personality", "--json"], {
        cwd: folder,
        env: { XDG_STATE_HOME: join(folder, "state") }
      })
    )
  const first = await start()
  if (first.length > 0) return first
  if (!existsSync(cacheIn(folder))) return ["the installed command has not kept the code that was compiled"]
  const second = await start()
  await damage(cacheIn(folder))
  return [
    ...second,
    ...(await start()),
    ...(await checkOwnTools(folder, runtime)),
    ...(await checkOwnTools(folder, runtime))
  ]
}
