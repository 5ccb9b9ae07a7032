/** A turn as a client sends it, to runners that do what they are told here. */
import { SqlError } from "@effect/sql/SqlError"
import { ToolResult } from "bailiwick"
import { Deferred, Duration, Effect, Fiber, Logger, Scope } from "effect"
import { expect, it } from "vitest"
import { type Link, Sending } from "../../src/cluster/client/Sending.js"
import { InTurn } from "../../src/postgres/InTurn.js"
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
  readonly Cancel?: () => Effect.Effect<void>
  readonly Watch?: (turn: { readonly key: string; readonly after: string }) => Effect.Effect<unknown>
}

type Entity = Effect.Effect.Success<Link["entity"]>

const linkTo = (runner: Runner): Link => ({
  entity: Effect.succeed((() => ({ Watch: () => Effect.never, ...runner })) as unknown as Entity),
  keys,
  scrubber: new Scrubber(),
  scope: Effect.runSync(Scope.make()),
  places: new InTurn(1),
  silence: Duration.millis(1)
})

const terms = (patience: Duration.DurationInput) => ({ durable: true, patience: Duration.decode(patience) })

const sent = (runner: Runner, patience: Duration.DurationInput, onResult?: () => void) =>
  new Sending(linkTo(runner), terms(patience), turnOf("s"), calls, { onResult }).run.pipe(
    Effect.map(([one]) => one?.result)
  )

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

it.each([
  ["a few times, is asked for again", 3, { ok: true, value: "done" }],
  ["each time, is not asked for for ever", 1000, { ok: false, code: "interrupted" }]
])("an answer that breaks %s", async (_, times, answer) => {
  let asked = 0
  const runner: Runner = {
    Turn: ({ key }) =>
      Effect.suspend(() =>
        ++asked > times
          ? Effect.succeed(replyTo(key, ToolResult.succeed("done")))
          : Effect.die("a broken frame")
      )
  }
  const silent = Effect.provide(sent(runner, "1 minute"), Logger.remove(Logger.defaultLogger))
  const result = await Effect.runPromise(silent)
  expect(result).toMatchObject(answer)
  if (!answer.ok) expect(result).toMatchObject({ error: expect.stringContaining("broke unexpectedly") })
  expect(asked).toBeLessThan(20)
})

it("what was heard of a call is answered, though nobody knows it any more, or in time", async () => {
  for (const late of [true, false]) {
    const result = await Effect.gen(function* () {
      const heard = yield* Deferred.make<void>()
      const lost = ToolResult.fail("interrupted", "the runner was lost")
      return yield* sent(
        {
          Turn: ({ key }) => (late ? Effect.never : Effect.as(Deferred.await(heard), replyTo(key, lost))),
          Watch: ({ after, key }) => {
            const sealed = Turns.sealResult(keys, key, 0, ToolResult.succeed("done"))
            return after === "1"
              ? Effect.never
              : Effect.succeed({ news: [{ _tag: "Result", call: 0, sealed }], next: "1" })
          }
        },
        late ? "500 millis" : "1 minute",
        () => Effect.runSync(Deferred.succeed(heard, undefined))
      )
    }).pipe(Effect.runPromise)
    expect(result).toEqual({ ok: true, value: "done" })
  }
})

it("who is interrupted has it said to the runner until it is heard, though the first has gone", async () => {
  for (const isSignal of [true, false]) {
    await Effect.gen(function* () {
      const [sent, heard] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const controller = new AbortController()
      let said = 0
      const link = linkTo({
        Turn: ({ key }) =>
          Effect.zipRight(
            Deferred.succeed(sent, undefined),
            isSignal
              ? Effect.as(Deferred.await(heard), replyTo(key, ToolResult.succeed("done")))
              : Effect.never
          ),
        Cancel: () =>
          Effect.suspend(() => {
            said += 1
            return said === 1 ? Effect.die("the connection broke") : Deferred.succeed(heard, undefined)
          })
      })
      const running = yield* Effect.fork(
        new Sending(link, { durable: true, patience: Duration.minutes(1) }, turnOf("s"), calls, {
          signal: controller.signal
        }).run
      )
      yield* Deferred.await(sent)
      if (isSignal) controller.abort()
      else yield* Fiber.interrupt(running)
      yield* Deferred.await(heard)
      expect(said).toBe(2)
    }).pipe(Effect.runPromise)
  }
})

const refusing = (code: string) =>
  Effect.fail(
    Object.assign(new Error(), {
      _tag: "PersistenceError",
      cause: new SqlError({ cause: Object.assign(new Error(), { code }), message: "Failed" })
    })
  )

it("a turn of which the store has nothing is said not to be sent, and one that may be there is not known", async () => {
  const answered = (codes: ReadonlyArray<string>) => {
    let at = 0
    return Effect.runPromise(
      sent({ Turn: () => Effect.suspend(() => refusing(codes[at++] ?? codes.at(-1) ?? "")) }, "2 seconds")
    )
  }
  expect(await answered(["53100"])).toMatchObject({
    code: "not_available",
    error: expect.stringMatching(/no space left on its disk; free some\. The call was not sent$/)
  })
  expect(await answered(["25006"])).toMatchObject({ code: "not_available" })
  expect(await answered(["ECONNRESET", "53100"])).toMatchObject({
    code: "interrupted",
    error: expect.stringMatching(/is not known$/)
  })
})

it("of many turns at once, those that find no place in time are said not to be sent, and the next one has its place", async () => {
  await Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    const asked: Array<string> = []
    const link = linkTo({
      Turn: ({ key }) =>
        Effect.suspend(() => {
          asked.push(key)
          return Effect.zipRight(
            Deferred.succeed(begun, undefined),
            Effect.as(Deferred.await(gate), replyTo(key, ToolResult.succeed("done")))
          )
        })
    })
    const one = (patience: Duration.DurationInput) =>
      Effect.map(
        new Sending({ ...link, silence: Duration.minutes(1) }, terms(patience), turnOf("s"), calls, {}).run,
        ([found]) => found?.result
      )
    const first = yield* Effect.fork(one("1 minute"))
    yield* Deferred.await(begun)
    expect(yield* one("50 millis")).toMatchObject({
      code: "not_available",
      error: expect.stringMatching(/too many turns under way, .* was not sent$/)
    })
    expect(asked).toHaveLength(1)
    yield* Deferred.succeed(gate, undefined)
    expect([yield* Fiber.join(first), yield* one("1 minute")]).toEqual([
      { ok: true, value: "done" },
      { ok: true, value: "done" }
    ])
  }).pipe(Effect.runPromise)
})
