/** A turn as a client sends it, to runners that do what they are told here. */
import { ToolResult } from "bailiwick"
import { Deferred, Duration, Effect, Stream } from "effect"
import { expect, it } from "vitest"
import { type Link, Sending } from "../../src/cluster/client/Sending.js"
import { type Keyring, keyOf } from "../../src/cluster/wire/Keys.js"
import * as Turns from "../../src/cluster/wire/Turns.js"
import { Scrubber } from "../../src/registry/scrub/Scrubber.js"
import { turnOf } from "./cluster.js"

const keys: Keyring = [keyOf("a key of the cluster for tests")]

const calls = [{ id: "1", name: "work", args: {} }]

const replyTo = (key: string, result: ToolResult.ToolResult): string =>
  Turns.sealReply(keys, key, { results: [{ id: "1", name: "work", result, revision: "" }], events: [] })

interface Runner {
  readonly Turn: (sealed: Turns.Sealed) => Effect.Effect<string, { readonly _tag: string }>
  readonly Watch?: (turn: { readonly key: string }) => Stream.Stream<unknown>
}

type Entity = Effect.Effect.Success<Link["entity"]>

const linkTo = (runner: Runner): Link => ({
  entity: Effect.succeed((() => ({ Watch: () => Stream.never, ...runner })) as unknown as Entity),
  keys,
  scrubber: new Scrubber(),
  silence: Duration.millis(1)
})

const sent = (runner: Runner, patience: Duration.DurationInput, onResult?: () => void) =>
  new Sending(linkTo(runner), { durable: true, patience: Duration.decode(patience) }, turnOf("s"), calls, {
    onResult
  }).run.pipe(Effect.map(([one]) => one?.result))

it("a call that runs goes on, though the store fails when it is asked for a second time", async () => {
  const asked: Array<string> = []
  const result = await Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const first = ({ key }: Turns.Sealed) =>
      Effect.as(Deferred.await(gate), replyTo(key, ToolResult.succeed("done"))).pipe(
        Effect.onInterrupt(() => Effect.sync(() => asked.push("interrupted")))
      )
    return yield* sent(
      {
        Turn: (sealed) =>
          Effect.suspend(() => {
            asked.push("asked")
            if (asked.length === 1) return first(sealed)
            if (asked.length === 2) return Effect.fail({ _tag: "PersistenceError" })
            return Effect.zipRight(Deferred.succeed(gate, undefined), Effect.never)
          })
      },
      "1 minute"
    )
  }).pipe(Effect.runPromise)
  expect(result).toEqual({ ok: true, value: "done" })
  expect(asked).toEqual(["asked", "asked", "asked"])
})

it("what was heard of a call is answered, though nobody knows it any more, or in time", async () => {
  for (const late of [true, false]) {
    const result = await Effect.gen(function* () {
      const heard = yield* Deferred.make<void>()
      const lost = ToolResult.fail("interrupted", "the runner was lost")
      return yield* sent(
        {
          Turn: ({ key }) => (late ? Effect.never : Effect.as(Deferred.await(heard), replyTo(key, lost))),
          Watch: ({ key }) =>
            Stream.concat(
              Stream.make({
                _tag: "Result",
                call: 0,
                sealed: Turns.sealResult(keys, key, 0, ToolResult.succeed("done"))
              }),
              Stream.never
            )
        },
        late ? "500 millis" : "1 minute",
        () => Effect.runSync(Deferred.succeed(heard, undefined))
      )
    }).pipe(Effect.runPromise)
    expect(result).toEqual({ ok: true, value: "done" })
  }
})
