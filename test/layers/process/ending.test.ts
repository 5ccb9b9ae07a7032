/** However a child ends, nobody is left of it. Children here sleep for hours, so that none ends by itself. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope, Stream, TestClock } from "effect"
import type { Process } from "../../../src/capabilities/process/Process.js"
import { scoped } from "../../../src/capabilities/process/ScopedProcess.js"
import * as NodeProcess from "../../../src/layers/node/process/NodeProcess.js"
import { holder } from "../../../src/policy/gate/Asking.js"
import { asleep } from "../../waiting.js"
import {
  canHold,
  carrying,
  directory,
  held,
  messageOf,
  open,
  sh,
  sleep,
  turn,
  unheld,
  world
} from "./harness.js"

const forever = "sleep 10000"

/** Each starts so many sleepers, and never ends. */
const trees: ReadonlyArray<{
  readonly name: string
  readonly script: (sleep: string) => string
  readonly sleepers: number
}> = [
  { name: "a child", script: (sleep) => `exec ${sleep}`, sleepers: 1 },
  {
    name: "K12: a child that ignores SIGTERM",
    script: (sleep) => `trap "" TERM; ${sleep} & wait; wait; ${sleep}`,
    sleepers: 1
  },
  {
    name: "K12/P35: a grandchild that holds the pipe",
    script: (sleep) => `${sleep} & ${sleep}; wait`,
    sleepers: 2
  },
  {
    name: "P34: a grandchild in a session of its own",
    script: (sleep) => `setsid sh -c 'exec ${sleep}' & wait`,
    sleepers: 1
  },
  {
    name: "P34: an orphan in a session of its own",
    script: (sleep) => `(setsid sh -c 'trap "" TERM HUP; while :; do ${sleep}; done' &) ; ${sleep}`,
    sleepers: 2
  },
  {
    name: "P34: a grandchild with another environment",
    script: (sleep) => `env -i setsid sh -c 'exec ${sleep}' & wait`,
    sleepers: 1
  },
  {
    name: "P34: an orphan with another environment in the same session",
    script: (sleep) => `(env -i sh -c 'exec ${sleep}' &) ; ${sleep}`,
    sleepers: 2
  },
  {
    name: "a child that is stopped",
    script: (sleep) => `${sleep} & kill -STOP $$; ${sleep}`,
    sleepers: 1
  },
  {
    name: "a tree that grows back",
    script: (sleep) =>
      `grow() { setsid sh -c 'trap "" TERM; ${sleep} & wait; exec sh -c "${sleep}"' & }; grow; grow; wait; ${sleep}`,
    sleepers: 2
  }
]

/** What no mark and no session finds again, and only a namespace holds. */
const escaped: typeof trees = [
  {
    name: "P34: an orphan with another environment and a session of its own",
    script: (sleep) =>
      `(env -i setsid sh -c '(setsid sh -c "trap : TERM; while :; do ${sleep}; done" &)' &) ; ${sleep}`,
    sleepers: 2
  }
]

const ways = [
  { how: "held", settings: held, all: [...trees, ...(canHold ? escaped : [])] },
  { how: "not held", settings: unheld, all: trees }
]

/** Who was killed a moment ago may take some turns of the event loop to go. */
const survives = (pids: () => ReadonlyArray<string>, turns = 2000): Effect.Effect<boolean> =>
  Effect.flatMap(turn, () =>
    pids().length === 0
      ? Effect.succeed(false)
      : turns === 0
        ? Effect.succeed(true)
        : survives(pids, turns - 1)
  )

describe.each(ways)("a tree of children that is $how is gone", ({ all, settings }) => {
  const begun = (operations: Process.Operations, { script, sleepers: many }: (typeof trees)[number]) =>
    Effect.gen(function* () {
      const { asleep, command, sleepers } = sleep()
      const fiber = yield* Effect.forkDaemon(Stream.runDrain(operations.stream(sh(script(command)))))
      yield* asleep(many)
      return { fiber, sleepers }
    })

  it.scoped.each(all)("K11/P36: at the deadline, with $name", (tree) =>
    Effect.gen(function* () {
      const { as } = yield* world()
      const { fiber, sleepers } = yield* begun(as({ sandbox: settings }), tree)
      yield* asleep
      yield* TestClock.adjust("119 seconds")
      expect(sleepers()).not.toEqual([])
      yield* TestClock.adjust("1 second")
      const error = yield* Effect.flip(Fiber.join(fiber))
      expect(error.message).toBe(
        "TIMED_OUT: 'sh' was stopped after 120000 ms with all that it had started; give it less to do or a longer timeout"
      )
      expect(sleepers()).toEqual([])
    })
  )

  it.scoped.each(all)("P39: when it is interrupted, with $name", (tree) =>
    Effect.gen(function* () {
      const { as } = yield* world()
      const { fiber, sleepers } = yield* begun(as({ sandbox: settings }), tree)
      const exit = yield* Fiber.interrupt(fiber)
      expect(Exit.isInterrupted(exit)).toBe(true)
      expect(sleepers()).toEqual([])
    })
  )

  it.scoped.each(all)("when the layer is closed, with $name", (tree) =>
    Effect.gen(function* () {
      const root = yield* directory
      const scope = yield* Scope.make()
      const backend = yield* Scope.extend(NodeProcess.make(), scope)
      const own = holder({ authority: open(root), sandbox: settings })
      const operations = scoped(own, { workdir: root }, backend)
      const { fiber, sleepers } = yield* begun(operations, tree)
      yield* Scope.close(scope, Exit.void)
      expect(sleepers()).toEqual([])
      const closed = "SPAWN_FAILED: the process layer was closed; start commands before it is"
      expect((yield* Effect.flip(Fiber.join(fiber))).message).toBe(closed)
      expect(yield* messageOf(operations.spawn({ binary: "true", args: [] }))).toBe(closed)
    })
  )
})

describe("a result", () => {
  it.live("K11: says that the command timed out", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { operations } = yield* world()
        const message =
          "was stopped after 50 ms with all that it had started; give it less to do or a longer timeout"
        expect(
          yield* messageOf(operations.spawn({ binary: "sleep", args: ["10000"], timeoutMillis: 50 }))
        ).toBe(`TIMED_OUT: 'sleep' ${message}`)
        expect(yield* messageOf(operations.shell({ script: forever, timeoutMillis: 50 }))).toBe(
          `TIMED_OUT: 'sh' ${message}`
        )
      })
    )
  )

  it.scoped.each(ways)(
    "K12/P35: does not wait for whoever holds the pipe after the child has ended, $how",
    ({ settings }) =>
      Effect.gen(function* () {
        const { as } = yield* world()
        const operations = as({ sandbox: settings })
        const { command, sleepers } = sleep()
        for (const script of [
          `${command} & echo done`,
          `${command} >/dev/null 2>&1 & echo done`,
          `setsid sh -c 'echo > ready; exec ${command}' & while ! [ -e ready ]; do :; done; rm ready; echo done`
        ]) {
          expect(yield* operations.spawn(sh(script))).toMatchObject({
            exitCode: 0,
            signal: null,
            stdout: "done\n"
          })
          // Its end of the pipe is closed before it is gone.
          expect(yield* survives(sleepers)).toBe(false)
        }
      })
  )

  it.scoped("is whole, however much of it is unread when the child ends", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const { stdout } = yield* operations.spawn(sh("head -c 150000 /dev/zero"))
      expect(stdout.length).toBe(150_000)
    })
  )

  it.scoped("leaves nobody for the layer to close", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const { command, sleepers } = sleep()
      yield* operations.spawn(sh(`setsid sh -c '${command}' </dev/null >/dev/null 2>&1 & :`))
      expect(sleepers()).toEqual([])
    })
  )

  it.scoped("that nothing holds leaves the layer a daemon that let go of everything", () =>
    Effect.gen(function* () {
      const root = yield* directory
      const scope = yield* Scope.make()
      const backend = yield* Scope.extend(NodeProcess.make(), scope)
      const own = holder({ authority: open(root), sandbox: unheld })
      const operations = scoped(own, { workdir: root }, backend)
      const tag = `daemon-of-${root}`
      yield* operations.spawn(
        sh(
          `setsid sh -c 'echo x > ready; exec ${forever}' </dev/null >/dev/null 2>&1 & while ! [ -e ready ]; do :; done`,
          {
            env: { TAG: tag }
          }
        )
      )
      expect(carrying(tag)).toHaveLength(1)
      yield* Scope.close(scope, Exit.void)
      expect(carrying(tag)).toEqual([])
    })
  )
})

describe("this program", () => {
  it.scoped("takes its children along when it exits, and listens for that only while it has a layer", () =>
    Effect.gen(function* () {
      const before = process.listeners("exit")
      const ours = () => process.listeners("exit").filter((listener) => !before.includes(listener))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { as } = yield* world()
          yield* world()
          for (const { settings } of ways) {
            const { asleep, command, sleepers } = sleep()
            const tree = sh(`trap "" TERM; ${command}; ${command}`)
            const child = yield* Effect.fork(Effect.exit(as({ sandbox: settings }).spawn(tree)))
            yield* asleep(1)
            expect(ours()).toHaveLength(1)
            for (const listener of ours()) listener.call(process, 0)
            yield* Fiber.join(child)
            expect(yield* survives(sleepers)).toBe(false)
          }
        })
      )
      expect(ours()).toEqual([])
    })
  )
})

describe("a deadline", () => {
  it.scoped("is the call's own where it gives one, up to the longest", () =>
    Effect.gen(function* () {
      const { operations } = yield* world({ deadline: "1 hour", longestDeadline: "10 seconds" })
      for (const [given, millis] of [
        [3000, 3000],
        [1e12, 10_000],
        [Number.POSITIVE_INFINITY, 10_000],
        [undefined, 10_000]
      ] as const) {
        const timeout = given === undefined ? {} : { timeoutMillis: given }
        const fiber = yield* Effect.fork(operations.spawn({ binary: "sleep", args: ["10000"], ...timeout }))
        yield* asleep
        yield* TestClock.adjust(millis)
        expect((yield* Effect.flip(Fiber.join(fiber))).message).toContain(`stopped after ${millis} ms`)
      }
    })
  )

  it.scoped("that is none is refused", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      for (const timeoutMillis of [0, -1, Number.NaN]) {
        expect(yield* messageOf(operations.spawn({ binary: "true", args: [], timeoutMillis }))).toBe(
          "LIMIT_EXCEEDED: the timeout is not a positive number; leave it out for the default"
        )
      }
    })
  )
})
