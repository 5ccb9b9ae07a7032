/** Full text over ten thousand records on the disk, against ripgrep over the same files. */
import { execFileSync } from "node:child_process"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import * as NodeRecords from "../src/layers/node/records/NodeRecords.js"
import { sight } from "../src/policy/gate/Asking.js"
import { print, progress, type Row } from "./report.js"

const RECORDS = 10_000
const FOLDERS = 50
const ROUNDS = 15

/** What was changed so shortly before is read again, as it must be. */
const SETTLED_MILLIS = 2500

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const timed = async (run: () => unknown): Promise<number> => {
  const from = process.hrtime.bigint()
  await run()
  return Number(process.hrtime.bigint() - from)
}

/** The same notes each time: a few words are everywhere, and most are rare, as in any language. */
const notes = () => {
  let state = 7
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
  const letters = "etaoinshrdlcumwfgypbvk"
  const syllable = () => `${letters[Math.floor(random() * 22)]}${"aeiou"[Math.floor(random() * 5)]}`
  const vocabulary = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, syllable).join("")
  )
  const word = () => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? ""
  const words = (count: number) => Array.from({ length: count }, word).join(" ")
  return (index: number): string => {
    const head = `title: ${words(3)}\nclass: ${index % 10 === 0 ? "deliberation" : "note"}\ncreated: 2026-01-${10 + (index % 18)}\ntags: [${word()}, ${word()}]`
    const size = 1000 + random() * 3000
    let body = `# ${words(4)}\n\nSee [[notes${index % FOLDERS}/n${Math.floor(random() * RECORDS)}]].\n`
    while (body.length < size) body += `\n${words(12)}.${random() < 0.2 ? "\n" : ""}`
    return `---\n${head}\n---\n${body}\n`
  }
}

const write = (directory: string): ReadonlyArray<string> => {
  const note = notes()
  for (let i = 0; i < FOLDERS; i++) mkdirSync(join(directory, `notes${i}`), { recursive: true })
  return Array.from({ length: RECORDS }, (_, i) => {
    const path = join(directory, `notes${i % FOLDERS}`, `n${i}.md`)
    writeFileSync(path, note(i))
    return path
  })
}

const readAll = (directory: string): void => {
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) readFileSync(join(entry.parentPath, entry.name), "utf8")
  }
}

export const rows = async (): Promise<ReadonlyArray<Row>> => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-bench-")))
  try {
    progress("records, writing them")
    const [path = ""] = write(directory)
    const [rare = ""] = readFileSync(path, "utf8").match(/[a-z]{8}/) ?? []
    await setTimeout(SETTLED_MILLIS)
    const records = NodeRecords.make({ directory })
    const ours = () =>
      Effect.runPromise(
        records.search(
          { query: rare },
          sight(records, () => true)
        )
      )
    const theirs = () => execFileSync("rg", ["-c", rare, directory], { stdio: ["ignore", "pipe", "ignore"] })
    readAll(directory)
    progress("records, the first query")
    const reading = await timed(() => readAll(directory))
    const first = await timed(ours)
    const again = await timed(() => readAll(directory))
    const ratios: Array<number> = []
    for (let round = 0; round < ROUNDS; round++) {
      progress(`records, round ${round + 1} of ${ROUNDS}`)
      const isFirst = round % 2 === 0
      const one = await timed(isFirst ? ours : theirs)
      const other = await timed(isFirst ? theirs : ours)
      ratios.push(isFirst ? one / other : other / one)
    }
    return [
      { work: "a search over 10,000 records against rg -c", atMost: 1.5, ratios: [median(ratios)] },
      {
        work: "the first search over 10,000 records against reading them all",
        atMost: 40,
        ratios: [first / ((reading + again) / 2)]
      }
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) print(await rows())
