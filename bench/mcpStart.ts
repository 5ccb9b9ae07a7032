/**
 * How long a client waits for `bailiwick mcp serve`, as it is installed, until its first answer, as a multiple of a bare
 * `node -e 0`. Both take turns, round by round, because the minutes of a machine differ.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { scratch, withFolder } from "../scripts/lib/project.js"
import { writeWithoutDeclarations } from "../scripts/package/withoutDeclarations.js"
import { print, progress, type Row } from "./report.js"

const ROUNDS = 25

const since = (from: bigint): number => Number(process.hrtime.bigint() - from)

const bare = (): number => {
  const from = process.hrtime.bigint()
  spawnSync(process.execPath, ["-e", "0"], { stdio: "ignore" })
  return since(from)
}

const initialize = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } }
})}\n`

const ready = `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`

const list = `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" })}\n`

/** Until the answer to the request of this id is there. */
const answered = async (args: ReadonlyArray<string>, text: string, id: number): Promise<number> => {
  const from = process.hrtime.bigint()
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
  let said = ""
  const taken = new Promise<number>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk
      if (said.includes(`"id":${id},`) && said.endsWith("\n")) resolve(since(from))
    })
    child.once("exit", () => reject(new Error(`it ended without an answer: ${said}`)))
  })
  child.stdin.write(text)
  const elapsed = await taken
  child.stdin.end()
  await once(child, "close")
  return elapsed
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const rows = (): Promise<ReadonlyArray<Row>> =>
  withFolder(scratch, async (folder) => {
    const installed = join(folder, "package")
    await writeWithoutDeclarations(installed)
    await mkdir(join(folder, "personality"))
    await writeFile(join(folder, "bailiwick.yaml"), "")
    await writeFile(join(folder, "personality/config.yaml"), "id: bench\n")
    const main = join(installed, "dist/cli/main.js")
    const args = [main, "mcp", "serve", "--personality", join(folder, "personality"), "--workdir", folder]
    const first = () => answered(args, initialize, 1)
    const menu = () => answered(args, `${initialize}${ready}${list}`, 2)
    await first()
    await menu()
    const [answers, menus]: [Array<number>, Array<number>] = [[], []]
    for (let round = 1; round <= ROUNDS; round++) {
      progress(`mcp serve: round ${round} of ${ROUNDS}`)
      const alone = bare()
      answers.push((await first()) / alone)
      menus.push((await menu()) / alone)
    }
    return [
      {
        work: "bailiwick mcp serve to its first answer, to node -e 0",
        atMost: 4,
        ratios: [median(answers)]
      },
      {
        work: "the same to the list of its tools, for which backends are loaded",
        atMost: 6,
        ratios: [median(menus)]
      }
    ]
  })

print(await rows())
