/**
 * What the command line costs before it works, as a multiple of a bare `node -e 0`: help, and a turn with one call that
 * does nothing, of a built-in tool and of tools of a workspace's own. All take turns, round by round, because the minutes
 * of a machine differ.
 */
import { spawnSync } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { scratch, withFolder } from "../scripts/lib/project.js"
import { writeWithoutDeclarations } from "../scripts/package/withoutDeclarations.js"
import { subjects as ownTools } from "./ownTools.js"
import { print, progress, type Row } from "./report.js"

const ROUNDS = 25

const elapsed = (args: ReadonlyArray<string>): number => {
  const from = process.hrtime.bigint()
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] })
  if (status !== 0) throw new Error(`node ${args.join(" ")}: ${stderr}`)
  return Number(process.hrtime.bigint() - from)
}

/** The command line as it is installed, and a turn for it. */
const bundled = async (folder: string, installed: string) => {
  const personality = join(folder, "personality")
  await mkdir(personality)
  await writeFile(join(personality, "config.yaml"), "id: bench\n")
  await writeFile(join(folder, "calls.json"), '[{ "id": "1", "name": "list_attachments", "args": {} }]')
  const main = join(installed, "dist/cli/main.js")
  return [
    { work: "bailiwick --help, to node -e 0", atMost: 1.5, args: [main, "--help"] },
    {
      work: "bailiwick run with one call that does nothing, to node -e 0",
      atMost: 3,
      args: [main, "run", join(folder, "calls.json"), "--personality", personality, "--workdir", folder]
    }
  ]
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** The median of what each round gives, each against the bare start of its own round. */
export const rows = (): Promise<ReadonlyArray<Row>> =>
  withFolder(scratch, async (folder) => {
    const installed = join(folder, "package")
    await writeWithoutDeclarations(installed)
    const prepared = [
      ...(await bundled(folder, installed)),
      ...(await ownTools(join(folder, "own"), installed))
    ]
    const subjects = prepared.map((subject) => ({ ...subject, found: [] as number[] }))
    for (const { args } of subjects) elapsed(args)
    for (let round = 1; round <= ROUNDS; round++) {
      progress(`start-up: round ${round} of ${ROUNDS}`)
      const bare = elapsed(["-e", "0"])
      for (const { args, found } of subjects) found.push(elapsed(args) / bare)
    }
    return subjects.map(({ atMost, found, work }) => ({ work, atMost, ratios: [median(found)] }))
  })

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) print(await rows())
