/** A held child against the least that bubblewrap does: `/` as it is and no network. And against itself with hosts. */
import { spawn } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Schema } from "effect"
import { scoped } from "../src/capabilities/process/ScopedProcess.js"
import * as NodeProcess from "../src/layers/node/process/NodeProcess.js"
import { holder } from "../src/policy/gate/Asking.js"
import * as Authority from "../src/policy/lattice/Authority.js"
import { print, progress, type Row } from "./report.js"

type Run = () => Promise<unknown>

const LEAST = ["--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "--", "true"]

const least: Run = () =>
  new Promise((resolve, reject) => {
    const child = spawn("/usr/bin/bwrap", LEAST, { cwd: "/", stdio: ["ignore", "pipe", "pipe"] })
    child.stdout.on("data", () => {})
    child.stderr.on("data", () => {})
    child.on("error", reject)
    child.on("close", resolve)
  })

const ROUNDS = 60
const PER_ROUND = 4

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const elapsed = async (run: Run): Promise<number> => {
  const from = process.hrtime.bigint()
  for (let i = 0; i < PER_ROUND; i++) await run()
  return Number(process.hrtime.bigint() - from) / PER_ROUND / 1e6
}

/** The median of each, in rounds that share their moment. */
const interleaved = async (work: string, runs: ReadonlyArray<Run>): Promise<ReadonlyArray<number>> => {
  for (const run of runs) for (let i = 0; i < 5; i++) await elapsed(run)
  const all = runs.map((): Array<number> => [])
  for (let round = 0; round < ROUNDS; round++) {
    progress(`${work}: round ${round + 1} of ${ROUNDS}`)
    for (let i = 0; i < runs.length; i++) {
      const at = (round + i) % runs.length
      all[at]?.push(await elapsed(runs[at] ?? least))
    }
  }
  return all.map(median)
}

const measured = Effect.gen(function* () {
  const root = yield* Effect.acquireRelease(
    Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "bench-sandbox-")))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  writeFileSync(join(root, "file"), "x")
  const backend = yield* NodeProcess.make({ sandbox: { quarantine: `${root}.quarantine` } })
  const reach = [`${root}/`]
  const authority = (hosts: ReadonlyArray<string>) =>
    Schema.decodeSync(Authority.FromJson)({
      process: { exec: [{ argv: "*", in: `${root}/` }] },
      files: { read: reach, write: reach, delete: reach },
      network: { get: hosts, post: hosts, put: hosts, delete: hosts }
    })
  const held = (hosts: ReadonlyArray<string>): Run => {
    const operations = scoped(
      holder({ authority: authority(hosts), tool: "bench" }),
      { workdir: root },
      backend
    )
    return () => Effect.runPromise(operations.spawn({ binary: "true", args: [] }))
  }
  const work = "a held child that does nothing, without and with hosts"
  const [base = Number.NaN, alone = Number.NaN, reaching = Number.NaN] = yield* Effect.promise(() =>
    interleaved(work, [least, held([]), held(["api.example.com"])])
  )
  if (process.env.BENCH_MILLIS !== undefined) console.log({ base, alone, reaching })
  return [
    {
      work: "a held child that does nothing / bwrap with '/' and no network",
      atMost: 2.2,
      ratios: [alone / base]
    },
    { work: "the same with hosts, through a proxy of its own", atMost: 3.3, ratios: [reaching / base] }
  ] satisfies ReadonlyArray<Row>
})

export const rows = (): Promise<ReadonlyArray<Row>> => Effect.runPromise(Effect.scoped(measured))

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) print(await rows())
