/**
 * The threat: a module by a stranger that works on when nobody asked it to. A process that waits to be used is stopped, and
 * goes on when it is.
 */
import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Code from "../../src/isolated/code/Code.js"
import { defaults } from "../../src/isolated/host/Limits.js"
import { Pool } from "../../src/isolated/host/Pool.js"
import { Worker } from "../../src/isolated/host/Worker.js"
import * as Enclosure from "../../src/layers/node/sandbox/enclosure/Enclosure.js"
import * as Sandbox from "../../src/policy/Sandbox.js"
import { at, directory } from "./world.js"

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" "))
    .filter(Boolean)
    .map(Number)

const familyOf = (pid: number): ReadonlyArray<number> => [pid, ...childrenOf(pid).flatMap(familyOf)]

/** As the kernel says it: `T` is one that is stopped. */
const isStopped = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.startsWith("T") === true

const until = (done: () => boolean) => Effect.repeat(Effect.yieldNow(), { until: done })

it.live("a process that waits to be used is stopped, and all that is in it, until it is used", () =>
  Effect.gen(function* () {
    const holding = yield* Enclosure.holding()
    if (!holding.held) return
    const code = yield* Code.make(at("late"), { directory: directory(), snapshot: false }, (enclosed) =>
      Effect.sync(() => Enclosure.start(holding, enclosed))
    )
    const started: Array<Enclosure.Started> = []
    const start = () =>
      Effect.promise(async () => {
        const one = Enclosure.start(holding, code.enclosed(defaults.memoryBytes))
        started.push(one)
        const worker = new Worker(one, defaults, "late")
        await worker.hello
        return worker
      })
    const pool = yield* Pool.make(start, "call", 1, defaults)
    const isResting = (at: number) => {
      const pid = started[at]?.pid
      if (pid === undefined) return false
      const family = familyOf(pid)
      return family.length > 1 && family.every(isStopped)
    }
    pool.fill(Sandbox.unwritten)
    yield* until(() => isResting(0))
    const taken = { turn: undefined, sandbox: Sandbox.unwritten }
    const isAwake = pool.use(taken, () => Effect.sync(() => !familyOf(started[0]?.pid ?? 0).some(isStopped)))
    expect(yield* isAwake).toBe(true)
    // Another takes its place.
    yield* until(() => isResting(1))
  }).pipe(Effect.scoped)
)
