/** However a child ends, nobody is left of it. Children here sleep for hours, so that none ends by itself. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope, TestClock } from "effect"
import { scoped } from "../../../src/capabilities/process/ScopedProcess.js"
import * as NodeProcess from "../../../src/layers/node/process/NodeProcess.js"
import { holder } from "../../../src/policy/gate/Asking.js"
import { asleep, begun, carrying, directory, isAlive, messageOf, open, sh, turn, world } from "./harness.js"

const forever = "sleep 10000"

/** Each writes the pids of all that it starts, one to a line, and never ends. */
const trees: ReadonlyArray<{ readonly name: string; readonly script: string; readonly lines: number }> = [
  { name: "a child", script: `echo $$; exec ${forever}`, lines: 1 },
  {
    name: "K12: a child that ignores SIGTERM",
    script: `trap "" TERM; echo $$; ${forever} & echo $!; wait; wait; ${forever}`,
    lines: 2
  },
  {
    name: "K12/P35: a grandchild that holds the pipe",
    script: `echo $$; ${forever} & echo $!; wait`,
    lines: 2
  },
  {
    name: "P34: a grandchild in a session of its own",
    script: `echo $$; setsid sh -c 'echo $$; exec ${forever}' & wait`,
    lines: 2
  },
  {
    name: "P34: an orphan in a session of its own",
    script: `echo $$; (setsid sh -c 'trap "" TERM HUP; echo $$; while :; do ${forever}; done' &) ; ${forever}`,
    lines: 2
  },
  {
    name: "P34: a grandchild with another environment",
    script: `echo $$; env -i setsid sh -c 'echo $$; exec ${forever}' & wait`,
    lines: 2
  },
  {
    name: "P34: an orphan with another environment in the same session",
    script: `echo $$; (env -i sh -c 'echo $$; exec ${forever}' &) ; ${forever}`,
    lines: 2
  },
  {
    name: "a child that is stopped",
    script: `echo $$; kill -STOP $$; ${forever}`,
    lines: 1
  },
  {
    name: "a tree that grows back",
    script: `grow() { setsid sh -c 'echo $$; trap "" TERM; sleep 10000 & wait; exec sh -c "sleep 10000"' & }; echo $$; grow; grow; wait; ${forever}`,
    lines: 3
  }
]

/** Who was killed a moment ago may take some turns of the event loop to go. */
const survives = (pid: string): Effect.Effect<boolean> =>
  Effect.flatMap(turn, () => (isAlive(pid) ? survives(pid) : Effect.succeed(false)))

describe("a tree of children is gone", () => {
  it.scoped.each(trees)("K11/P36: at the deadline, with $name", ({ lines, script }) =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const child = yield* begun(operations, sh(script), lines)
      expect(child.lines.every(isAlive)).toBe(true)
      yield* asleep
      yield* TestClock.adjust("119 seconds")
      expect(child.lines.every(isAlive)).toBe(true)
      yield* TestClock.adjust("1 second")
      const error = yield* Effect.flip(Fiber.join(child.fiber))
      expect(error.message).toBe(
        "TIMED_OUT: 'sh' was stopped after 120000 ms with all that it had started; give it less to do or a longer timeout"
      )
      expect(child.lines.filter(isAlive)).toEqual([])
    })
  )

  it.scoped.each(trees)("P39: when it is interrupted, with $name", ({ lines, script }) =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const child = yield* begun(operations, sh(script), lines)
      const exit = yield* Fiber.interrupt(child.fiber)
      expect(Exit.isInterrupted(exit)).toBe(true)
      expect(child.lines.filter(isAlive)).toEqual([])
    })
  )

  it.scoped.each(trees)("when the layer is closed, with $name", ({ lines, script }) =>
    Effect.gen(function* () {
      const root = yield* directory
      const scope = yield* Scope.make()
      const backend = yield* Scope.extend(NodeProcess.make(), scope)
      const operations = scoped(holder({ authority: open(root) }), { workdir: root }, backend)
      const child = yield* begun(operations, sh(script), lines)
      yield* Scope.close(scope, Exit.void)
      expect(child.lines.filter(isAlive)).toEqual([])
      const closed = "SPAWN_FAILED: the process layer was closed; start commands before it is"
      expect((yield* Effect.flip(Fiber.join(child.fiber))).message).toBe(closed)
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

  it.scoped("K12/P35: does not wait for whoever holds the pipe after the child has ended", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const inGroup = yield* operations.spawn(sh(`${forever} & echo $!`))
      expect(inGroup).toMatchObject({ exitCode: 0, signal: null })
      // Its end of the pipe is closed before it is gone.
      expect(yield* survives(inGroup.stdout.trim())).toBe(false)
      const silent = yield* operations.spawn(sh(`${forever} >/dev/null 2>&1 & echo $!`))
      expect(yield* survives(silent.stdout.trim())).toBe(false)
      const outside = yield* operations.spawn(
        sh(
          `setsid sh -c 'echo $$; echo > ready; exec ${forever}' & while ! [ -e ready ]; do :; done; echo done`
        )
      )
      const [pid = "", done] = outside.stdout.split("\n")
      expect(done).toBe("done")
      expect(yield* survives(pid)).toBe(false)
    })
  )

  it.scoped("is whole, however much of it is unread when the child ends", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const { stdout } = yield* operations.spawn(sh("head -c 150000 /dev/zero"))
      expect(stdout.length).toBe(150_000)
    })
  )

  it.scoped("leaves nobody for the layer to close, but a daemon that let go of everything", () =>
    Effect.gen(function* () {
      const root = yield* directory
      const scope = yield* Scope.make()
      const backend = yield* Scope.extend(NodeProcess.make(), scope)
      const operations = scoped(holder({ authority: open(root) }), { workdir: root }, backend)
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
          const { operations } = yield* world()
          yield* world()
          const child = yield* begun(operations, sh(`trap "" TERM; echo $$; ${forever}; ${forever}`), 1)
          expect(ours()).toHaveLength(1)
          for (const listener of ours()) listener.call(process, 0)
          yield* Fiber.join(child.fiber)
          expect(child.lines.filter(isAlive)).toEqual([])
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
