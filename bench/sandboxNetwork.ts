/**
 * What a GET of a child costs, through its proxy and through a door, next to the same GET of a program that nothing
 * holds. The server is on loopback, in a thread of its own; both clients are the same program.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { connect } from "node:net"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { Effect, Either, Exit, Schema, Scope } from "effect"
import * as ChildNetwork from "../src/layers/node/sandbox/ChildNetwork.js"
import { ask, holder } from "../src/policy/gate/Asking.js"
import * as Authority from "../src/policy/lattice/Authority.js"
import * as Request from "../src/policy/lattice/Request.js"
import { print, progress, type Row } from "./report.js"

const ROUNDS = 7
const SLICES = 15
const REQUESTS = 40
const AT_MOST = 4

const SERVER = `
const { createServer } = require("node:http")
const { parentPort } = require("node:worker_threads")
const body = Buffer.alloc(1024, "a")
const server = createServer((_, response) => response.setHeader("content-type", "text/plain").end(body))
server.keepAliveTimeout = 600000
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port))
`

/** Each line of its input is a URL, and whether connections are kept; it answers with nanoseconds. */
const CLIENT = `
const { Agent, get } = require("node:http")
const kept = new Agent({ keepAlive: true, maxSockets: 1 })
const one = (options) =>
  new Promise((resolve, reject) => get(options, (answer) => answer.resume().on("end", resolve)).on("error", reject))
const slice = async (line) => {
  const { host, port, path, keep, count } = JSON.parse(line)
  const options = { host, port, path, agent: keep ? kept : false, headers: { host: "a.test" } }
  const from = process.hrtime.bigint()
  for (let i = 0; i < count; i++) await one(options)
  console.log(String(process.hrtime.bigint() - from))
}
require("node:readline").createInterface({ input: process.stdin }).on("line", slice)
`

interface Target {
  readonly host: string
  readonly port: number
  readonly path: string
}

type Slice = (target: Target, keep: boolean) => Promise<number>

const slices = (child: ChildProcess): Slice => {
  const heard = createInterface({ input: child.stdout as NonNullable<ChildProcess["stdout"]> })
  return (target, keep) =>
    new Promise((resolve) => {
      heard.once("line", (line) => resolve(Number(line)))
      child.stdin?.write(`${JSON.stringify({ ...target, keep, count: REQUESTS })}\n`)
    })
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const started = (worker: Worker): Promise<number> => new Promise((resolve) => worker.once("message", resolve))

const SANDBOX = ["--unshare-user", "--unshare-net", "--die-with-parent", "--ro-bind", "/", "/"]

/** The client inside, whose network is open before it begins. */
const inside = async (network: ChildNetwork.ChildNetwork, scope: Scope.Scope): Promise<ChildProcess> => {
  const authority = Schema.decodeSync(Authority.FromJson)({
    network: { get: ["a.test"] },
    process: { exec: [{ argv: "*", in: "/" }] }
  })
  const proof = Either.getOrThrow(ask(holder({ authority, tool: "bench" }), Request.exec(["node"], "/")))
  const plan = { reaches: true, doors: [{ host: "a.test", port: 80 }] }
  const child = spawn(
    "bwrap",
    [...SANDBOX, "--info-fd", "3", "--block-fd", "4", "--", process.execPath, "-e", CLIENT],
    { stdio: ["pipe", "pipe", "inherit", "pipe", "pipe"] }
  )
  const [, , , info, block] = child.stdio
  const said = await new Promise<string>((resolve) => {
    let heard = ""
    info?.on("data", (chunk) => {
      heard += chunk
      if (heard.includes("}")) resolve(heard)
    })
  })
  const { "child-pid": pid, "net-namespace": namespace } = JSON.parse(said)
  const opened = network.open({ pid, namespace, proof, plan, limits: {}, note: () => {} })
  await Effect.runPromise(Scope.extend(opened, scope))
  if (block !== null && block !== undefined && "end" in block) block.end("1")
  return child
}

const rows = async (): Promise<ReadonlyArray<Row>> => {
  const worker = new Worker(SERVER, { eval: true })
  const port = await started(worker)
  const scope = await Effect.runPromise(Scope.make())
  const network = await Effect.runPromise(
    Scope.extend(
      ChildNetwork.make({
        resolve: () => Effect.succeed([{ address: "93.184.215.14", family: 4 }]),
        connect: () =>
          Effect.async((resume) => {
            const socket = connect({ host: "127.0.0.1", port, noDelay: true }, () =>
              resume(Effect.succeed(socket))
            )
          })
      }),
      scope
    )
  )
  const held = await inside(network, scope)
  const free = spawn(process.execPath, ["-e", CLIENT], { stdio: ["pipe", "pipe", "inherit"] })
  const [child, direct] = [slices(held), slices(free)]
  const server = { host: "127.0.0.1", port, path: "/" }
  const subjects = [
    ["through the proxy", { host: "127.0.0.1", port: 3128, path: "http://a.test/" }],
    ["through a door", { host: "127.1.0.0", port: 80, path: "/" }]
  ] as const
  const found = new Map<string, Array<number>>()
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      for (const keep of [false, true]) {
        const times = new Map<string, Array<number>>()
        const add = (name: string, nanos: number) => times.set(name, [...(times.get(name) ?? []), nanos])
        for (let slice = 0; slice < SLICES; slice++) {
          progress(`round ${round} of ${ROUNDS}`)
          add("direct", await direct(server, keep))
          for (const [name, target] of subjects) add(name, await child(target, keep))
        }
        // The first round warms up.
        if (round === 0) continue
        for (const [name] of subjects) {
          const work = `a GET of a child ${name}, ${keep ? "connection kept" : "new connection"}, next to a direct one`
          const ratio = median(times.get(name) ?? []) / median(times.get("direct") ?? [])
          found.set(work, [...(found.get(work) ?? []), ratio])
        }
      }
    }
    return [...found].map(([work, ratios]) => ({
      work,
      atMost: AT_MOST,
      ratios: [median(ratios)]
    }))
  } finally {
    held.kill("SIGKILL")
    free.kill("SIGKILL")
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await worker.terminate()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) print(await rows())
