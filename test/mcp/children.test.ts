/** Whoever cancels a call, or goes away, leaves no child behind: real ones, held where children are held. */
import { describe, expect, it } from "@effect/vitest"
import { Builtin, Policy, Registry } from "bailiwick"
import { NodeFiles, NodeProcess } from "bailiwick/node"
import { Effect, Layer, Logger } from "effect"
import { canHold, directory, open, sleep, turn } from "../layers/process/harness.js"
import { turnOf } from "../registry/support.js"
import { rawly } from "./connected.js"

const backends = Layer.mergeAll(NodeFiles.layer(), NodeProcess.layer(), Logger.remove(Logger.defaultLogger))

/** A client whose call has started a child that sleeps for hours. */
const sleeping = Effect.gen(function* () {
  const workdir = yield* directory
  const policy = Policy.make({ authority: open(workdir), sandbox: canHold ? "required" : "off" })
  const registry = Registry.make(Builtin.runShell)
  const raw = yield* rawly({
    serves: Effect.succeed({ registry, turn: turnOf(policy, { workdir }) }),
    limits: { grace: "1 millis" }
  })
  const { asleep, command, sleepers } = sleep()
  raw.request(1, "tools/call", { name: "run_shell", arguments: { script: `${command} & ${command}` } })
  yield* Effect.race(
    asleep(2),
    Effect.flatMap(raw.answer(1), (answer) => Effect.die(JSON.stringify(answer)))
  )
  return { raw, sleepers }
})

const gone = (sleepers: () => ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.flatMap(turn, () => (sleepers().length === 0 ? Effect.void : gone(sleepers)))

describe("a child of a call", () => {
  it.scopedLive("ends when the call is cancelled, and nothing is answered", () =>
    Effect.provide(
      Effect.gen(function* () {
        const { raw, sleepers } = yield* sleeping
        raw.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
        yield* gone(sleepers)
        raw.request(2, "ping")
        yield* raw.answer(2)
        expect(raw.heard.filter(({ id }) => id === 1)).toEqual([])
      }),
      backends
    )
  )

  it.scopedLive("ends when the client closes its end", () =>
    Effect.provide(
      Effect.gen(function* () {
        const { raw, sleepers } = yield* sleeping
        raw.server.input.end()
        yield* raw.server.ended
        yield* gone(sleepers)
      }),
      backends
    )
  )
})
