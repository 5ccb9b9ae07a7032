/**
 * What the audit log costs: batches of calls with it against the same without, and a question about the last day to a log of
 * ten million entries against the same to a log of that day alone.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { AuditSink, Authority, Builtin, Policy, Registry, type ToolResult, Turn } from "bailiwick"
import { Audit, NodeAttachments, NodeFiles, NodeSecrets, NodeStorage } from "bailiwick/node"
import { Context, Effect, Exit, Layer, Schema, Scope } from "effect"
import { scratch, withFolder } from "../scripts/lib/project.js"
import { writeWithoutDeclarations } from "../scripts/package/withoutDeclarations.js"
import { generate } from "./auditEntries.js"
import { compare } from "./pairs.js"
import { print, progress, type Row } from "./report.js"
import { backends, executing } from "./world.js"

const CALLS = 64

interface Work {
  readonly name: string
  readonly batch: Effect.Effect<ReadonlyArray<{ readonly result: ToolResult.ToolResult }>>
  readonly over: Context.Context<never>
}

const batchOf = (name: string, args: (index: number) => object) =>
  Array.from({ length: CALLS }, (_, index) => ({ id: String(index), name, args: args(index) }))

const works = (directory: string, live: Context.Context<never>): ReadonlyArray<Work> => {
  const files = join(directory, "files")
  const registry = Registry.make(Builtin.readFile, Builtin.kvGet)
  const policy = Policy.make({
    authority: Schema.decodeSync(Authority.FromJson)({
      files: { read: [`${directory}/`] },
      storage: { use: ["session"] }
    }),
    asDeclared: ["attachments"]
  })
  const turn = Turn.make({ session: "bench", policy, workdir: directory })
  const idle = executing(10, 10, CALLS)
  return [
    {
      name: "read_file",
      batch: registry.execute(
        turn,
        batchOf("read_file", () => ({ path: files }))
      ),
      over: live
    },
    {
      name: "kv_get",
      batch: registry.execute(
        turn,
        batchOf("kv_get", (index) => ({ key: `k${index}` }))
      ),
      over: live
    },
    { name: "calls that do nothing", batch: idle.registry.execute(idle.turn, idle.calls), over: backends }
  ]
}

interface Kept {
  readonly name: string
  readonly atMost: number
  readonly options: Omit<Audit.Options, "directory">
}

/** What an fsync costs is a matter of the disk: the limit says that it is one for a batch, and not one for a call. */
const ways: ReadonlyArray<Kept> = [
  { name: "with the log", atMost: 1.25, options: {} },
  { name: "with the log and a chain", atMost: 3, options: { chain: "AUDIT_KEY" } },
  { name: "with the log and fsync", atMost: 20, options: { fsync: true } }
]

const secrets = NodeSecrets.layerEnvironment({ environment: { AUDIT_KEY: "only for measuring" } })

const costs = async (): Promise<ReadonlyArray<Row>> => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-bench-")))
  const scope = Effect.runSync(Scope.make())
  const built = <A, E>(layer: Layer.Layer<A, E>) => Effect.runPromise(Layer.buildWithScope(layer, scope))
  try {
    writeFileSync(join(directory, "files"), "x".repeat(4096))
    const live = await built(
      Layer.mergeAll(
        NodeFiles.layer(),
        NodeAttachments.layer(),
        NodeStorage.layer({ directory: join(directory, "storage") })
      )
    )
    const rows: Array<Row> = []
    for (const { atMost, name, options } of ways) {
      const log = await built(
        Audit.layer({ directory: join(directory, "audit"), ...options }).pipe(Layer.provide(secrets))
      )
      for (const { batch, name: what, over } of works(directory, live)) {
        const failed = (await Effect.runPromise(Effect.provide(batch, over))).find(({ result }) => !result.ok)
        if (failed !== undefined) throw new Error(JSON.stringify(failed))
        const [theirs, ours] = [over, Context.add(over, AuditSink, Context.get(log, AuditSink))].map(
          (context) => () => Effect.runPromise(Effect.provide(batch, context))
        )
        if (ours === undefined || theirs === undefined) continue
        const work = `${CALLS} ${what} ${name}, against without`
        const ratio = await compare({ work, ours, theirs, atOnce: 1, perRound: 8 })
        rows.push({ work, atMost, ratios: [ratio] })
      }
    }
    return rows
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  }
}

const ENTRIES = 10_000_000
const DAYS = 100
const ROUNDS = 7

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const elapsed = (args: ReadonlyArray<string>, cwd: string): number => {
  const from = process.hrtime.bigint()
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "pipe"] })
  if (status !== 0) throw new Error(`node ${args.join(" ")}: ${stderr}`)
  return Number(process.hrtime.bigint() - from)
}

/** In a process of its own: what it leaves in memory is none of the bench's. */
const generated = (directory: string, days: number): string => {
  writeFileSync(join(directory, "bailiwick.yaml"), "")
  const log = join(directory, ".bailiwick", "audit")
  const { status } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), "--generate", log, String(days), String(ENTRIES / DAYS)],
    { stdio: "inherit" }
  )
  if (status !== 0) throw new Error("the log could not be made")
  return directory
}

const forgetIndexes = (directory: string): void => {
  const log = join(directory, ".bailiwick", "audit")
  for (const name of readdirSync(log)) if (name.endsWith(".index")) rmSync(join(log, name))
}

/** The table of what was refused in the last day. */
const questions = (): Promise<ReadonlyArray<Row>> =>
  withFolder(scratch, async (folder) => {
    const installed = join(folder, "package")
    await writeWithoutDeclarations(installed)
    const args = [
      join(installed, "dist/cli/main.js"),
      "audit",
      "--since",
      "24h",
      "--denied",
      "--agent",
      "agent-3"
    ]
    const made: Array<string> = []
    try {
      progress(`audit: making a log of ${ENTRIES} entries`)
      for (const days of [DAYS, 2]) {
        made.push(generated(realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-bench-"))), days))
      }
      const [large = "", small = ""] = made
      const found: Record<"indexed" | "not", Array<number>> = { indexed: [], not: [] }
      const seconds: Array<number> = []
      elapsed(args, small)
      for (let round = 1; round <= ROUNDS; round++) {
        progress(`audit: question ${round} of ${ROUNDS}`)
        for (const each of ["not", "indexed"] as const) {
          if (each === "not") for (const one of made) forgetIndexes(one)
          const [one, other] = [elapsed(args, large), elapsed(args, small)]
          found[each].push(one / other)
          seconds.push(one / 1e9)
        }
      }
      return [
        {
          work: "audit --since 24h of 10 million entries against 200,000, without an index and with",
          atMost: 1.5,
          ratios: [median(found.not), median(found.indexed)]
        },
        { work: "the same of 10 million entries, in seconds", atMost: 3, ratios: [median(seconds)] }
      ]
    } finally {
      for (const directory of made) rmSync(directory, { recursive: true, force: true })
    }
  })

export const rows = async (): Promise<ReadonlyArray<Row>> => [...(await costs()), ...(await questions())]

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what, directory = "", days = "", entries = ""] = process.argv.slice(2)
  if (what === "--generate") generate(directory, Number(days), Number(entries))
  else print(await rows())
}
