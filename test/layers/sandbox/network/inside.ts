/** A command in a network namespace of its own, with nothing in it but what the network of a child opens there. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import type { ProcessError } from "../../../../src/capabilities/process/ProcessOperations.js"
import type { ChildNetwork } from "../../../../src/layers/node/sandbox/ChildNetwork.js"
import type { Door } from "../../../../src/policy/confinement/Plan.js"
import type { Proof } from "../../../../src/policy/gate/Proof.js"
import type { Limits } from "../../../../src/policy/Sandbox.js"

export interface Waiting {
  readonly pid: number
  readonly namespace: number
  /** Lets the command begin; answers when it has ended. */
  readonly go: Effect.Effect<Ran>
}

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Given {
  readonly argv: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** What stands in files inside, by their paths. */
  readonly files?: Readonly<Record<string, string>>
}

const SANDBOX = [
  ...[
    "--unshare-user",
    "--unshare-net",
    "--unshare-pid",
    "--unshare-ipc",
    "--die-with-parent",
    "--new-session"
  ],
  ...[
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
    "--ro-bind",
    "/dev/null",
    "/etc/resolv.conf"
  ]
]

/** Its namespaces are there, and it waits. It is ended with the scope. */
export const waiting = ({ argv, env = {}, files = {} }: Given) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<Waiting & { readonly kill: () => void; readonly over: Promise<unknown> }>((resume) => {
        const contents = Object.entries(files)
        const data = contents.flatMap(([path], index) => ["--ro-bind-data", String(5 + index), path])
        const child = spawn(
          "bwrap",
          [...SANDBOX, ...data, "--info-fd", "3", "--block-fd", "4", "--", ...argv],
          {
            cwd: "/",
            env: { PATH: process.env.PATH, HOME: "/tmp", LANG: "C.UTF-8", ...env },
            stdio: ["ignore", "pipe", "pipe", "pipe", "pipe", ...contents.map(() => "pipe" as const)]
          }
        )
        const heard = { stdout: "", stderr: "" }
        for (const name of ["stdout", "stderr"] as const) {
          child[name]?.on("data", (chunk: Buffer) => {
            heard[name] += chunk
          })
        }
        const [info, block, ...rest] = child.stdio.slice(3) as Array<import("node:net").Socket>
        for (const [index, [, text]] of contents.entries()) rest[index]?.on("error", () => {}).end(text)
        block?.on("error", () => {})
        const over = new Promise<Ran>((resolve) => child.once("close", (code) => resolve({ code, ...heard })))
        const go = Effect.promise(() => {
          block?.end("1")
          return over
        })
        let said = ""
        info?.on("data", (chunk: Buffer) => {
          said += chunk
          if (!said.includes("}")) return
          const known = JSON.parse(said)
          resume(
            Effect.succeed({
              pid: known["child-pid"],
              namespace: known["net-namespace"],
              go,
              over,
              // Who waits inside does not end with bwrap.
              kill: () => {
                if (child.exitCode !== null || child.signalCode !== null) return
                process.kill(known["child-pid"], "SIGKILL")
                child.kill("SIGKILL")
              }
            })
          )
        })
      }),
      ({ kill, over }) =>
        Effect.promise(() => {
          kill()
          return over
        })
    ),
    ({ go, namespace, pid }): Waiting => ({ go, namespace, pid })
  )

const BUNDLE = "/etc/ssl/certs/ca-certificates.crt"

export interface Child {
  readonly proof: Proof
  readonly doors?: ReadonlyArray<Door>
  readonly limits?: Limits
  readonly note?: (text: string) => void
}

/** A command that has the network of its child, opened before it begins. */
export const run = (
  network: ChildNetwork,
  { doors = [], limits = {}, note = () => {}, proof }: Child,
  argv: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Effect.Effect<Ran, ProcessError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const plan = { reaches: true, doors }
      const { go, namespace, pid } = yield* waiting({
        argv,
        env: { ...network.environmentOf(plan), ...network.trust?.environmentOf(BUNDLE), ...env },
        files: {
          "/etc/hosts": network.hostsOf(plan),
          ...(network.trust === undefined
            ? {}
            : { [BUNDLE]: readFileSync(BUNDLE, "utf8") + network.trust.text })
        }
      })
      yield* network.open({ pid, namespace, proof, plan, limits, note })
      return yield* go
    })
  )
