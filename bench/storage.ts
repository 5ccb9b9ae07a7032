/**
 * The store on the disk, through the service that a tool gets, against SQLite itself on the same file system: a swap, many
 * at once, a read; and what it costs a new process to load and open it. With `BAILIWICK_LMDB=<folder of the package>` also
 * against lmdb, which the store stood on before.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Exit, Schema, Scope } from "effect"
import { scoped } from "../src/capabilities/storage/ScopedStorage.js"
import * as NodeStorage from "../src/layers/node/storage/NodeStorage.js"
import { holder } from "../src/policy/gate/Asking.js"
import * as Authority from "../src/policy/lattice/Authority.js"
import { print, progress, type Row } from "./report.js"
import { lmdb, type Peer, sqlite } from "./storagePeers.js"

const ROUNDS = 15
const SWAPS = 20
const AT_ONCE = 64
const READS = 500
const STARTS = 15

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

type Run = () => Promise<unknown>

const timed = async (run: Run): Promise<number> => {
  const from = process.hrtime.bigint()
  await run()
  return Number(process.hrtime.bigint() - from)
}

/** The median of what each round gives: what is compared shares its moment. */
const against = async (ours: Run, theirs: Run): Promise<number> => {
  for (const warm of [ours, theirs]) await warm()
  const ratios: Array<number> = []
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = round % 2 === 0 ? [ours, theirs] : [theirs, ours]
    const [one, other] = [await timed(first), await timed(second)]
    ratios.push(first === ours ? one / other : other / one)
  }
  return median(ratios)
}

/** What a tool would do, without the tool. */
const ownStore = async (directory: string): Promise<Peer> => {
  const scope = Effect.runSync(Scope.make())
  const authority = Schema.decodeSync(Authority.FromJson)({ storage: { use: ["session"] } })
  const backend = await Effect.runPromise(Scope.extend(NodeStorage.make({ directory }), scope))
  const store = scoped(holder({ authority, tool: "bench" }), { scope: "session" }, "session:bench", backend)
  return {
    get: (key) => Effect.runPromise(store.get({ key })),
    getMany: (key, times) =>
      Effect.runPromise(
        Effect.gen(function* () {
          for (let i = 0; i < times; i++) yield* store.get({ key })
        })
      ),
    swap: (key, expected, value) => Effect.runPromise(store.compareAndSet({ key, expected, value })),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const counting =
  (peer: Peer, times: number): Run =>
  async () => {
    for (let i = 0; i < times; i++) {
      const current = await peer.get("counter")
      if (!(await peer.swap("counter", current, String(Number(current ?? 0) + 1)))) throw new Error("lost")
    }
  }

/** Each of a key of its own, which it changes every time. */
const together = (peer: Peer, name: string): Run => {
  let before: string | null = null
  return async () => {
    const after = String(Number(before ?? 0) + 1)
    const swapped = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => peer.swap(`${name}/${index}`, before, after))
    )
    if (swapped.includes(false)) throw new Error("lost")
    before = after
  }
}

const reading =
  (peer: Peer): Run =>
  () =>
    peer.getMany("counter", READS)

/** What each may cost, in the order of the rows. */
type Limits = readonly [swap: number, together: number, read: number]

const compared = async (
  ours: Peer,
  theirs: Peer,
  name: string,
  [swap, atOnce, read]: Limits
): Promise<ReadonlyArray<Row>> => {
  const ratios = async (what: string, of: (peer: Peer) => Run) => {
    progress(`storage: ${what} against ${name}`)
    return [await against(of(ours), of(theirs))]
  }
  return [
    {
      work: `a read and a swap, one after the other, against ${name}`,
      atMost: swap,
      ratios: await ratios("swaps", (peer) => counting(peer, SWAPS))
    },
    {
      work: `${AT_ONCE} swaps at once, against ${name}`,
      atMost: atOnce,
      ratios: await ratios("many swaps", (peer) => together(peer, name))
    },
    { work: `a read, against ${name}`, atMost: read, ratios: await ratios("reads", reading) }
  ]
}

const elapsed = (args: ReadonlyArray<string>): number => {
  const from = process.hrtime.bigint()
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] })
  if (status !== 0) throw new Error(`node ${args.join(" ")}: ${stderr}`)
  return Number(process.hrtime.bigint() - from)
}

/** A process that loads what keeps entries, opens a store that is there, and reads one: what each run of a command pays. */
const starts = (directory: string, subjects: ReadonlyArray<readonly [name: string, program: string]>) => {
  const files = subjects.map(([name, program], index) => {
    const file = join(directory, `start${index}.mjs`)
    writeFileSync(file, program)
    return { name, file, found: [] as Array<number> }
  })
  for (const { file } of files) elapsed([file])
  for (let round = 1; round <= STARTS; round++) {
    progress(`storage: start ${round} of ${STARTS}`)
    const bare = elapsed(["-e", "0"])
    for (const { file, found } of files) found.push(elapsed([file]) / bare)
  }
  return files.map(
    ({ found, name }): Row => ({
      work: `node that opens ${name} and reads, against node -e 0`,
      atMost: 2,
      ratios: [median(found)]
    })
  )
}

export const rows = async (): Promise<ReadonlyArray<Row>> => {
  const directory = mkdtempSync(join(tmpdir(), "bailiwick-bench-"))
  try {
    const ours = await ownStore(join(directory, "ours"))
    const found: Array<Row> = []
    const raw = await sqlite(join(directory, "raw.db"))
    found.push(...(await compared(ours, raw.peer, raw.name, [2, 0.5, 3])))
    await raw.peer.close()
    const programs: Array<readonly [string, string]> = [[raw.name, raw.program]]
    const folder = process.env.BAILIWICK_LMDB
    if (folder !== undefined) {
      const before = await lmdb(folder, join(directory, "lmdb"))
      found.push(...(await compared(ours, before.peer, "lmdb", [4, 12, 20])))
      await before.peer.close()
      programs.push(["lmdb", before.program])
    }
    await ours.close()
    return [...found, ...starts(directory, programs)]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) print(await rows())
