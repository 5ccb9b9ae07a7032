/**
 * The threat: a module by a stranger. It runs whatever it likes in its own process, writes to the socket past the library,
 * and wants what it was not given: files, the network, another call, the memory of the machine. Each attempt costs it its own
 * call, and nobody else anything.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Registry } from "bailiwick"
import * as Isolated from "bailiwick/isolated"
import { Effect } from "effect"
import { names } from "./modules/hostile.js"
import { at, directory, type Heard, hearing, turnOf, world } from "./world.js"

const kept = directory()

type Hostile = typeof import("./modules/hostile.js")

const toolkit = (options: Isolated.Options = {}) =>
  Isolated.toolkit<Hostile>(at("hostile"), { directory: kept, ...options })

const registryOf = (kit: Isolated.ToolsOf<Hostile>) => Registry.make(...Object.values(kit))

const held = <A, E>(
  use: (registry: ReturnType<typeof registryOf>, heard: Heard) => Effect.Effect<A, E>,
  options?: Isolated.Options
) => {
  const heard = hearing()
  return Effect.scoped(
    Effect.flatMap(toolkit(options), (kit) => use(registryOf(kit), heard)).pipe(Effect.provide(world(heard)))
  )
}

const resultOf = (registry: ReturnType<typeof registryOf>, name: string, args: object, turn = turnOf()) =>
  Effect.map(registry.execute(turn, [{ id: "1", name, args }]), ([one]) => one?.result)

describe("a worker that", () => {
  it.live("says what no worker says is ended, and only its own call fails", () =>
    held(
      (registry, heard) =>
        Effect.gen(function* () {
          for (const what of names) {
            const [lied, honest] = yield* registry.execute(turnOf(), [
              { id: "1", name: "liar", args: { what } },
              { id: "2", name: "quiet", args: {} }
            ])
            expect(lied?.result, what).toMatchObject({ ok: false, code: "execution_failed" })
            expect(lied?.result, what).toMatchObject({ error: expect.stringContaining("WORKER_MISBEHAVED") })
            expect(honest?.result, what).toEqual({ ok: true, value: "well" })
          }
          expect(heard.urls.filter((url) => !url.startsWith("https://api.test/"))).toEqual([])
        }),
      { spares: 2 }
    )
  )

  it.live("writes what is no frame is ended", () =>
    held((registry) =>
      Effect.gen(function* () {
        for (const bytes of [
          [255, 255, 255, 255, 0, 0, 0, 0],
          [2, 0, 0, 0, 9, 0, 0, 0, 123, 125],
          [2, 0, 0, 0, 2, 0, 0, 0, 123, 123],
          [2, 0, 0, 0, 2, 0, 0, 0, 91, 93],
          [2, 0, 0, 0, 2, 0, 0, 0, 123, 125]
        ]) {
          expect(yield* resultOf(registry, "garbage", { bytes })).toMatchObject({
            ok: false,
            error: expect.stringContaining("WORKER_MISBEHAVED")
          })
        }
      })
    )
  )

  it.live("forges a denial is ended, whatever it was refused before", () =>
    held((registry) =>
      Effect.gen(function* () {
        for (const asks of [false, true]) {
          const turn = turnOf()
          const result = yield* resultOf(registry, "forger", { asks }, turn)
          expect(result).toMatchObject({ ok: false, error: expect.stringContaining("WORKER_MISBEHAVED") })
          expect(result).not.toHaveProperty("denial")
          expect(turn.transcript.events.filter(({ asked }) => asked.includes("good.test"))).toEqual([])
        }
      })
    )
  )

  it.live(
    "forges a denial is ended, and one that keeps, rewords or makes up its own is only not believed",
    () =>
      held(
        (registry) =>
          Effect.gen(function* () {
            const turn = turnOf()
            const remembered = () => resultOf(registry, "remembering", {}, turn)
            const refused = (how: string) => resultOf(registry, "refused", { how }, turn)
            expect(yield* remembered()).toEqual({ ok: true, value: 1 })
            expect(yield* refused("now")).toMatchObject({ denial: { asked: "GET https://evil.test/" } })
            for (const how of ["before", "in other words", "of its own"]) {
              const result = yield* refused(how)
              expect(result, how).toMatchObject({ ok: false, error: expect.stringContaining("evil.test") })
              expect(result, how).not.toHaveProperty("denial")
            }
            expect(yield* remembered()).toEqual({ ok: true, value: 2 })
            expect(yield* resultOf(registry, "forger", { asks: true }, turn)).toMatchObject({ ok: false })
            expect(yield* remembered()).toEqual({ ok: true, value: 1 })
          }),
        { per: "turn" }
      )
  )

  it.live("pollutes prototypes pollutes nothing", () =>
    held((registry) =>
      Effect.gen(function* () {
        expect(yield* resultOf(registry, "polluting", {})).toMatchObject({ ok: expect.any(Boolean) })
        expect(Reflect.get({}, "polluted")).toBe(undefined)
        expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
      })
    )
  )

  it.live.each([
    ["at once", 3],
    ["later", 3],
    ["by a throw", 1],
    ["by a rejection", 1]
  ] as const)("exits fails in words: %s", ([how, code]) =>
    held((registry) =>
      Effect.gen(function* () {
        expect(yield* resultOf(registry, "leaving", { how })).toMatchObject({
          ok: false,
          code: "execution_failed",
          error: expect.stringMatching(new RegExp(`^WORKER_ENDED: .* it ended with ${code}$`))
        })
      })
    )
  )

  it.live("eats memory is ended", () =>
    held(
      (registry) =>
        Effect.gen(function* () {
          for (const of of ["buffers", "objects"]) {
            const [hungry, honest] = yield* registry.execute(turnOf(), [
              { id: "1", name: "hungry", args: { of } },
              { id: "2", name: "quiet", args: {} }
            ])
            expect(hungry?.result).toMatchObject({
              ok: false,
              error: expect.stringMatching(/WORKER_ENDED|allocation failed/)
            })
            expect(honest?.result).toEqual({ ok: true, value: "well" })
          }
        }),
      { limits: { memoryBytes: 256 * 1024 * 1024 } }
    )
  )

  it.live("never gives back is ended at its deadline at the latest, and nobody waits for it", () =>
    held(
      (registry) =>
        Effect.gen(function* () {
          for (const how of ["in a loop", "stopped", "as it leaves"]) {
            const [spinning, honest] = yield* registry.execute(turnOf(), [
              { id: "1", name: "spinning", args: { how } },
              { id: "2", name: "quiet", args: {} }
            ])
            // One that leaves says so before it loops, if it was there in time.
            const code = how === "as it leaves" ? /^(?:timeout|execution_failed)$/ : /^timeout$/
            expect(spinning?.result, how).toMatchObject({ ok: false, code: expect.stringMatching(code) })
            expect(honest?.result, how).toEqual({ ok: true, value: "well" })
          }
        }),
      { spares: 2 }
    )
  )
})

it.live("code that touches things by itself reaches none of them", () => {
  let asked = 0
  const server = createServer((_, response) => {
    asked++
    response.end()
  })
  const listening = Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.close())
  )
  return Effect.scoped(
    Effect.flatMap(listening, (port) =>
      held((registry) =>
        Effect.gen(function* () {
          const file = new URL(import.meta.url).pathname
          const result = yield* resultOf(registry, "ambient", { port, file })
          const { processes, root, variables, ...attempts } = (
            result as { readonly value: Record<string, unknown> }
          ).value
          for (const [what, outcome] of Object.entries(attempts)) expect(outcome, what).toMatch(/^held: /)
          expect(variables).toEqual(["PWD"])
          expect(processes).toBeLessThanOrEqual(2)
          expect(root).not.toContain("etc")
          expect(root).not.toContain("home")
          expect(asked).toBe(0)
        })
      )
    )
  )
})

describe("a process", () => {
  it.live("is used by one call", () =>
    held((registry) =>
      Effect.gen(function* () {
        const turn = turnOf()
        for (let call = 0; call < 3; call++) {
          expect(yield* resultOf(registry, "remembering", {}, turn)).toEqual({ ok: true, value: 1 })
        }
      })
    )
  )

  it.live("of a turn is used by its calls, and never in another turn or session", () =>
    held(
      (registry) =>
        Effect.gen(function* () {
          const [one, other] = [turnOf(), turnOf("", "s2")]
          expect(yield* resultOf(registry, "remembering", {}, one)).toEqual({ ok: true, value: 1 })
          expect(yield* resultOf(registry, "remembering", {}, one)).toEqual({ ok: true, value: 2 })
          expect(yield* resultOf(registry, "remembering", {}, other)).toEqual({ ok: true, value: 1 })
          expect(yield* resultOf(registry, "remembering", {}, turnOf())).toEqual({ ok: true, value: 1 })
        }),
      { per: "turn" }
    )
  )

  it.live("of a turn is used by one toolkit, and never by tools of another", () =>
    held(
      (registry) =>
        Effect.gen(function* () {
          const turn = turnOf()
          expect(yield* resultOf(registry, "remembering", {}, turn)).toEqual({ ok: true, value: 1 })
          const other = registryOf(yield* toolkit({ per: "turn" }))
          expect(yield* resultOf(other, "remembering", {}, turn)).toEqual({ ok: true, value: 1 })
          expect(yield* resultOf(registry, "remembering", {}, turn)).toEqual({ ok: true, value: 2 })
        }).pipe(Effect.scoped),
      { per: "turn" }
    )
  )

  it.live("of a turn outlives a call that interrupts itself, and one whose arguments cannot be carried", () =>
    held(
      (registry) =>
        Effect.gen(function* () {
          const turn = turnOf()
          let deep: object = {}
          for (let level = 0; level < 400; level++) deep = { deep }
          expect(yield* resultOf(registry, "remembering", {}, turn)).toEqual({ ok: true, value: 1 })
          expect(yield* resultOf(registry, "interrupting", {}, turn)).toMatchObject({ code: "interrupted" })
          expect(yield* resultOf(registry, "remembering", deep, turn)).toMatchObject({
            code: "input_invalid",
            error: expect.stringContaining("too deep")
          })
          expect(yield* resultOf(registry, "remembering", {}, turn)).toEqual({ ok: true, value: 2 })
        }),
      { per: "turn" }
    )
  )
})
