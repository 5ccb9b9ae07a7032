/** The threat: a program, or what holds a child, dies at the worst moment, and somebody stays who nobody looks after. */
import { spawn } from "node:child_process"
import {
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Random } from "effect"
import { deep } from "../../deep.js"
import { programOf } from "../../program.js"
import { moment, until } from "../../waiting.js"
import { canHold, isAlive, running, sh, sleep, turn, world } from "../process/harness.js"

const NOBODY = 65534

const place = Effect.acquireRelease(
  Effect.sync(() => {
    const path = realpathSync(mkdtempSync(join(tmpdir(), "storm-")))
    mkdirSync(join(path, "root"))
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** What a program has made for its children, which nobody needs when it is gone. */
const madeBy = (pid: number): ReadonlyArray<string> =>
  ["/dev/shm", tmpdir()].flatMap((folder) =>
    readdirSync(folder).filter((name) => name.startsWith(`bailiwick-${pid}-`))
  )

/** So many looks take minutes: whoever is there by then stays. */
const LOOKS = 50_000

/** Waits until nothing is left. */
const nothing = (left: () => ReadonlyArray<string>, looks = LOOKS): Effect.Effect<void> =>
  Effect.flatMap(moment, () => {
    const found = left()
    if (found.length === 0) return Effect.void
    return looks === 0 ? Effect.dieMessage(`left behind: ${found.join(" ")}`) : nothing(left, looks - 1)
  })

/** The first of the namespaces that processes are in. */
const namespacesOf = (pids: ReadonlyArray<string>): ReadonlyArray<string> => pids.filter(isAlive)

const program = Effect.promise(() => programOf(join(import.meta.dirname, "starter.ts")))

/** The same draw of moments in every run of a seed. */
const moments = Random.make("moments")

describe.skipIf(!canHold)("whoever is left", () => {
  it.live("by a program that is killed at any moment is nobody, and nothing of it", () =>
    Effect.gen(function* () {
      const file = yield* program
      for (let round = 0; round < (deep ? 60 : 6); round++) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const base = yield* place
            const { command, sleepers } = sleep()
            const atOnce = deep ? 25 : 6
            // As root every second time without its rights.
            const uid = process.getuid?.() === 0 && round % 2 === 1 ? NOBODY : undefined
            const own = join(base, "starter.mjs")
            copyFileSync(file, own)
            if (uid !== undefined)
              for (const path of [base, join(base, "root"), own]) chownSync(path, uid, uid)
            const child = spawn(process.execPath, [own, join(base, "root"), command, String(atOnce)], {
              ...(uid === undefined ? {} : { uid, gid: uid }),
              stdio: ["ignore", "pipe", "inherit"],
              cwd: "/",
              env: { PATH: process.env.PATH, HOME: base }
            })
            const pid = child.pid ?? 0
            const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()))
            yield* Effect.promise(
              () => new Promise<void>((resolve) => child.stdout.once("data", () => resolve()))
            )
            yield* Effect.repeatN(turn, yield* moments.nextIntBetween(0, 3000))
            child.kill("SIGKILL")
            yield* Effect.promise(() => gone)
            yield* nothing(() => [...sleepers(), ...running(command)])
            yield* nothing(() => madeBy(pid))
            yield* nothing(() => running(`bailiwick-${pid}-`))
          })
        )
      }
    })
  )

  it.live("by children that are interrupted at random moments, many at once, is nobody", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const many = deep ? 100 : 30
        const { operations } = yield* world({ grace: "10 millis", children: many, childrenPerTool: many })
        const { command, sleepers } = sleep()
        const one = Effect.gen(function* () {
          const fiber = yield* Effect.fork(
            operations.spawn(sh(`trap '' TERM; setsid ${command} & (${command} &); ${command}`))
          )
          yield* Effect.repeatN(turn, yield* moments.nextIntBetween(0, 600))
          return yield* Fiber.interrupt(fiber)
        })
        const ends = yield* Effect.all(
          Array.from({ length: many }, () => one),
          { concurrency: "unbounded" }
        )
        expect(ends.filter((end) => !Exit.isInterrupted(end))).toEqual([])
        expect(namespacesOf([...sleepers(), ...running(command)])).toEqual([])
      })
    )
  )

  it.live("when what holds a child is killed at any moment is nobody, and the call ends", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { operations } = yield* world({ grace: "10 millis" })
        for (let round = 0; round < (deep ? 200 : 25); round++) {
          const { command, sleepers } = sleep()
          const fiber = yield* Effect.fork(
            Effect.exit(operations.spawn(sh(`setsid ${command} & (${command} &); ${command}`)))
          )
          const holders = () => running(command).filter((pid) => isHolder(pid))
          yield* until(() => holders().length > 0)
          yield* Effect.repeatN(turn, yield* moments.nextIntBetween(0, 200))
          // Who was started by this program: the others are inside.
          for (const pid of holders()) process.kill(Number(pid), "SIGKILL")
          yield* Fiber.join(fiber)
          expect(namespacesOf([...sleepers(), ...running(command)])).toEqual([])
        }
      })
    )
  )
})

/** The bwrap that this program started, and not the one inside. */
const isHolder = (pid: string): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return stat.includes("(bwrap)") && Number(parent) === process.pid
  } catch {
    return false
  }
}
