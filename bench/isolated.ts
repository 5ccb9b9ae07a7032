/**
 * Isolated tools against the same tools in this process: a call that does nothing, one by one and 64 at once, and 1 MiB of an
 * answer; what a process of its own adds to a call; how long a process takes to start, against Node that does nothing; and
 * what it holds of memory while it waits.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Layer, Runtime, Schema } from "effect"
import * as Code from "../src/isolated/code/Code.js"
import { defaults } from "../src/isolated/host/Limits.js"
import { Worker } from "../src/isolated/host/Worker.js"
import { toolkit } from "../src/isolated/Toolkit.js"
import * as NodeNetwork from "../src/layers/node/network/NodeNetwork.js"
import * as Enclosure from "../src/layers/node/sandbox/enclosure/Enclosure.js"
import * as Authority from "../src/policy/lattice/Authority.js"
import * as Policy from "../src/policy/Policy.js"
import * as Registry from "../src/registry/Registry.js"
import * as Turn from "../src/registry/Turn.js"
import type * as Tool from "../src/tools/Tool.js"
import { rounds as looseRounds } from "./isolatedLoose.js"
import * as tools from "./isolatedTools.js"
import { compare } from "./pairs.js"
import { print, progress, type Row } from "./report.js"

const at = (name: string): URL => pathToFileURL(join(process.cwd(), "bench", `${name}.ts`))

const MEBIBYTE = 1024 * 1024

/** A server of this machine that answers with 1 MiB. */
const serving = Effect.acquireRelease(
  Effect.async<{ readonly server: Server; readonly port: number }>((resume) => {
    const bytes = Buffer.alloc(MEBIBYTE, "a")
    const server = createServer((_, response) => response.end(bytes))
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({ server, port }))
    })
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const policyOf = (port: number): Policy.Policy =>
  Policy.make({
    authority: Schema.decodeSync(Authority.FromJson)({
      network: { get: ["127.0.0.1"] },
      private: { connect: [`127.0.0.1:${port}`] }
    })
  })

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

type Run = () => Promise<unknown>

/** Milliseconds of each, in rounds that share their moment. */
const interleaved = async (work: string, count: number, runs: ReadonlyArray<Run>) => {
  const all = runs.map((): Array<number> => [])
  for (let round = 0; round < count; round++) {
    progress(`${work}: round ${round + 1} of ${count}`)
    for (let i = 0; i < runs.length; i++) {
      const one = (round + i) % runs.length
      const from = process.hrtime.bigint()
      await runs[one]?.()
      all[one]?.push(Number(process.hrtime.bigint() - from) / 1e6)
    }
  }
  return all.map(median)
}

const SETTLE = 400

/** Milliseconds of one, each time after what it left to be done is done. */
const settled = async (work: string, count: number, run: Run) => {
  const all: Array<number> = []
  for (let round = 0; round < count; round++) {
    progress(`${work}: round ${round + 1} of ${count}`)
    await new Promise((resolve) => setTimeout(resolve, SETTLE))
    const from = process.hrtime.bigint()
    await run()
    all.push(Number(process.hrtime.bigint() - from) / 1e6)
  }
  return median(all)
}

const doesNothing: Run = () =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["-e", "0"], { stdio: "ignore", env: {} })
    child.on("error", reject)
    child.on("close", resolve)
  })

/** The processes of a worker: the smallest name of each is its own. */
const memoryOf = (pid: number): { readonly rss: number; readonly pss: number } => {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)
  )
  const [child] = children
  if (child !== undefined) return memoryOf(child)
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1]) / 1024
  return { rss: of("Rss"), pss: of("Pss") }
}

const measured = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "bench-isolated-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const context = yield* Layer.build(NodeNetwork.layer())
  const { port } = yield* serving
  const runtime = yield* Effect.provide(Effect.runtime<never>(), context)
  const callsOf = (kit: { readonly noop: Tool.Any; readonly body: Tool.Any }) => {
    const registry: Registry.Registry = Registry.make(kit.noop, kit.body)
    const turn = Turn.make({ session: "bench", policy: policyOf(port), workdir: "/", budget: 1e9 })
    const run = (name: string, args: object, count = 1) => {
      const calls = Array.from({ length: count }, (_, id) => ({ id: String(id), name, args }))
      return async () => {
        for (const { result } of await Runtime.runPromise(runtime, registry.execute(turn, calls))) {
          if (!result.ok) throw new Error(result.error)
        }
      }
    }
    return { one: run("noop", { n: 1 }), many: run("noop", { n: 1 }, 64), body: run("body", { port }) }
  }
  const here = callsOf(tools)
  const ofTurn = callsOf(
    yield* toolkit<typeof tools>(at("isolatedTools"), {
      per: "turn",
      spares: 1,
      directory,
      limits: { idleMillis: 600_000 }
    })
  )
  const pair = (work: string, ours: Run, theirs: Run, perRound: number) =>
    Effect.promise(() => compare({ work, ours, theirs, atOnce: 1, perRound }))
  const single = yield* pair("one by one", ofTurn.one, here.one, 64)
  const batched = yield* pair("64 at once", ofTurn.many, here.many, 4)
  const large = yield* pair("1 MiB", ofTurn.body, here.body, 4)
  const holding = yield* Enclosure.holding()
  if (!holding.held) return []
  // A spare is there when it is needed: it is waited for, and not counted.
  const spare = callsOf(
    yield* toolkit<typeof tools>(at("isolatedTools"), { per: "call", spares: 1, directory })
  )
  const taken = yield* Effect.promise(() => settled("a call with a spare", 25, spare.one))
  const codeOf = (name: string, snapshot: boolean) =>
    Code.make(at(name), { directory, snapshot }, (enclosed) =>
      Effect.sync(() => Enclosure.start(holding, enclosed))
    )
  const begin = (code: Code.Code) =>
    new Worker(Enclosure.start(holding, code.enclosed(defaults.memoryBytes)), defaults, "bench")
  const cold =
    (code: Code.Code): Run =>
    async () => {
      const worker = begin(code)
      await worker.hello
      if (!worker.isAlive) throw new Error(worker.errorOutput)
      worker.end("WORKER_ENDED", "it was measured")
    }
  const snapshot = yield* codeOf("isolatedTools", true)
  const bundle = yield* codeOf("isolatedLate", true)
  const [node = Number.NaN, snapped = Number.NaN, bundled = Number.NaN] = yield* Effect.promise(() =>
    interleaved("a cold start", 40, [doesNothing, cold(snapshot), cold(bundle)])
  )
  const sizes: Array<{ readonly rss: number; readonly pss: number }> = []
  for (let i = 0; i < 5; i++) {
    const started = Enclosure.start(holding, snapshot.enclosed(defaults.memoryBytes))
    const worker = new Worker(started, defaults, "bench")
    yield* Effect.promise(() => worker.hello)
    sizes.push(memoryOf(started.pid ?? 0))
    worker.end("WORKER_ENDED", "it was measured")
  }
  const loose = yield* Effect.promise(looseRounds)
  const [rss, pss] = [median(sizes.map((one) => one.rss)), median(sizes.map((one) => one.pss))]
  console.log(
    `a cold start: node -e 0 ${node.toFixed(0)} ms, from a ${snapshot.form} ${snapped.toFixed(0)} ms, from a ${bundle.form} ${bundled.toFixed(0)} ms; a spare holds ${rss.toFixed(0)} MiB, ${pss.toFixed(0)} of them its own`
  )
  return [
    { work: "isolated per turn: a call that does nothing, in process = 1", atMost: 60, ratios: [single] },
    { work: "isolated per turn: 64 calls at once, in process = 1", atMost: 12, ratios: [batched] },
    { work: "isolated per turn: 1 MiB through Network, in process = 1", atMost: 8, ratios: [large] },
    { work: "isolated per call, with a spare: milliseconds of a call", atMost: 10, ratios: [taken] },
    {
      work: "a cold start in the sandbox, from a snapshot, node -e 0 = 1",
      atMost: 4,
      ratios: [snapped / node]
    },
    {
      work: "a cold start in the sandbox, from a bundle, node -e 0 = 1",
      atMost: 8,
      ratios: [bundled / node]
    },
    {
      work: "a cold start in the sandbox, of a module that asks where it is, node -e 0 = 1",
      atMost: 8,
      ratios: [median(loose.placed)]
    },
    {
      work: "a cold start in the sandbox, of a module that asks where its imports lead, node -e 0 = 1",
      atMost: 8,
      ratios: [median(loose.resolving)]
    },
    {
      work: "a cold start in the sandbox, without esbuild, from a pack, node -e 0 = 1",
      atMost: 8,
      ratios: [median(loose.loose)]
    }
  ] satisfies ReadonlyArray<Row>
})

export const rows = (): Promise<ReadonlyArray<Row>> => Effect.runPromise(Effect.scoped(measured))

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) print(await rows())
