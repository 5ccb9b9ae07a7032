/** A guarded read of a small file, through the service that a tool gets, against Node's own `readFile`. */
import { mkdtempSync, promises, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Files } from "bailiwick"
import { Effect, Runtime, Schema } from "effect"
import { scoped } from "../src/capabilities/files/ScopedFiles.js"
import * as NodeFiles from "../src/layers/node/files/NodeFiles.js"
import { holder } from "../src/policy/gate/Asking.js"
import * as Authority from "../src/policy/lattice/Authority.js"
import { print, progress, type Row } from "./report.js"

const SIZE = 4096
const READS = 500
const ROUNDS = 25
const WARM_UP = 10
const AT_ONCE = [1, 10]

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

type Run = () => Promise<unknown>

const timed = async (run: Run): Promise<number> => {
  const from = process.hrtime.bigint()
  await run()
  return Number(process.hrtime.bigint() - from)
}

/** The median of what each pair of rounds gives: what is compared shares its moment. */
const against = async (ours: Run, theirs: Run): Promise<number> => {
  for (let round = 0; round < WARM_UP; round++) await Promise.all([ours(), theirs()])
  const ratios: Array<number> = []
  for (let round = 0; round < ROUNDS; round++) {
    const first = round % 2 === 0
    const one = await timed(first ? ours : theirs)
    const other = await timed(first ? theirs : ours)
    ratios.push(first ? one / other : other / one)
  }
  return median(ratios)
}

const readers = (directory: string, atOnce: number): { readonly ours: Run; readonly theirs: Run } => {
  const path = join(directory, "file")
  const authority = Schema.decodeSync(Authority.FromJson)({ files: { read: [`${directory}/`] } })
  const files = Files.make(
    scoped(holder({ authority, tool: "bench" }), { workdir: directory }, NodeFiles.make())
  )
  const turns = READS / atOnce
  const one = Array.from({ length: atOnce })
  const read = Effect.suspend(() => files.read(path))
  const run = Runtime.runPromise(Effect.runSync(Effect.provideService(Effect.runtime<Files>(), Files, files)))
  const inTurn = Effect.gen(function* () {
    for (let i = 0; i < turns; i++) yield* read
  })
  return {
    ours: async () => {
      if (atOnce === 1) return run(inTurn)
      for (let i = 0; i < turns; i++) await Promise.all(one.map(() => run(read)))
    },
    theirs: async () => {
      for (let i = 0; i < turns; i++) {
        if (atOnce === 1) await promises.readFile(path, "utf8")
        else await Promise.all(one.map(() => promises.readFile(path, "utf8")))
      }
    }
  }
}

export const rows = async (): Promise<ReadonlyArray<Row>> => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-bench-")))
  try {
    writeFileSync(join(directory, "file"), "x".repeat(SIZE))
    const ratios: Array<number> = []
    for (const atOnce of AT_ONCE) {
      progress(`files, ${atOnce} at once`)
      const { ours, theirs } = readers(directory, atOnce)
      ratios.push(await against(ours, theirs))
    }
    return [
      {
        work: `a guarded read of 4 KB against readFile, ${AT_ONCE.join(" and ")} at once`,
        atMost: 1.05,
        ratios
      }
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) print(await rows())
