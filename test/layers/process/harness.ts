/** The service of a tool over real children, in a directory that is gone afterwards. */
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { has } from "../../../scripts/lib/system.js"
import type { Process } from "../../../src/capabilities/process/Process.js"
import type { ProcessBackend } from "../../../src/capabilities/process/ProcessBackend.js"
import type { ProcessCommand, ProcessError } from "../../../src/capabilities/process/ProcessOperations.js"
import { scoped } from "../../../src/capabilities/process/ScopedProcess.js"
import * as NodeProcess from "../../../src/layers/node/process/NodeProcess.js"
import { UNLIMITED } from "../../../src/layers/node/process/refusals.js"
import { type Holder, holder } from "../../../src/policy/gate/Asking.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import type { Denial } from "../../../src/policy/lattice/Denial.js"
import type { Limits, Mode, Settings } from "../../../src/policy/Sandbox.js"
import { until } from "../../waiting.js"

export const directory = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "process-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const script = (path: string, text: string): string => {
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
  return path
}

const decode = Schema.decodeSync(Authority.FromJson)

/** Every command, in a directory that is its own. */
export const open = (root: string) =>
  decode({
    process: { exec: [{ argv: "*", in: `${root}/` }], eval: [`${root}/`] },
    files: { read: [`${root}/`], write: [`${root}/`], delete: [`${root}/`] }
  })

/** Whether children can be held here at all. Where nothing can be left out, they can. */
export const canHold = has("bwrap") && has("prlimit")

const settings = (mode: Mode | undefined, limits: Limits = {}): Settings => ({ mode, limits })

/** What every result of a held command says as root: see decision 11. */
export const noted: Pick<Process.Result, "notes"> =
  canHold && process.getuid?.() === 0 ? { notes: [UNLIMITED] } : {}

/** Held as they are where nobody writes anything, and not held at all. */
export const held = settings(canHold ? undefined : "off")
export const unheld = settings("off")

export interface World {
  readonly root: string
  readonly backend: ProcessBackend.Service
  readonly operations: Process.Operations
  readonly as: (given: Partial<Holder>) => Process.Operations
}

export const authority = (encoded: Authority.Encoded) => decode(encoded)

/** A tool that may run everything below its own directory, unless another authority is given. */
export const world = (options: NodeProcess.Options = {}, may: (root: string) => Authority.Authority = open) =>
  Effect.gen(function* () {
    const root = yield* directory
    const backend = yield* NodeProcess.make(options)
    const as = (given: Partial<Holder>) =>
      scoped(
        holder({ authority: may(root), sandbox: held, tool: "tool", session: "session", ...given }),
        { workdir: root },
        backend
      )
    return { root, backend, as, operations: as({}) } satisfies World
  })

export const sh = (text: string, rest: Omit<typeof ProcessCommand.Type, "binary" | "args"> = {}) => ({
  binary: "sh",
  args: ["-c", text],
  ...rest
})

export const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const stateOf = (pid: string): string => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3)
  } catch {
    return "gone"
  }
}

export const isAlive = (pid: string): boolean => !["gone", "Z", "X"].includes(stateOf(pid))

const having = (part: "environ" | "cmdline", text: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false
    try {
      return isAlive(pid) && readFileSync(`/proc/${pid}/${part}`).includes(text)
    } catch {
      return false
    }
  })

/** Who was started with a text among its words, wherever it runs. */
export const running = (text: string): ReadonlyArray<string> => having("cmdline", text)

/** Who carries a text in their environment. */
export const carrying = (text: string): ReadonlyArray<string> => having("environ", text)

let slept = 0

/** A sleep like no other. Inside, who sleeps has another number than here: here it is known by how long it sleeps. */
export const sleep = () => {
  const command = `sleep 1${process.pid}${++slept}`
  const sleepers = () => running(command.replace(" ", "\0"))
  /** Until so many sleep. */
  const asleep = (many: number): Effect.Effect<void> => until(() => sleepers().length >= many)
  return { command, sleepers, asleep }
}

/** What is heard of refusals. */
export const ear = () => {
  const heard: Array<Denial> = []
  const observe: Holder["observe"] = (decision) => {
    if (!decision.allowed) heard.push(decision.denial)
  }
  return { heard, observe }
}

export const messageOf = <A>(effect: Effect.Effect<A, ProcessError>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)
