/** Services of the application: those that say what they can be asked are served to another process, the others refused. */
import { expect, it } from "@effect/vitest"
import { Registry, Tool } from "bailiwick"
import * as Isolated from "bailiwick/isolated"
import { Effect, Stream } from "effect"
import { Db, NoTable } from "./modules/services.js"
import { Mailer } from "./modules/unserved.js"
import { at, directory, turnOf } from "./world.js"

type Services = typeof import("./modules/services.js")

const kept = directory()

const db: typeof Db.Service = {
  count: (table) => (table === "orders" ? Effect.succeed(3) : Effect.fail(new NoTable({ table }))),
  rows: () => Stream.range(1, 100).pipe(Stream.map((size) => new Uint8Array(size))),
  version: () => Effect.succeed(new Date(Date.UTC(2026, 1, 1)))
}

it.live("a service that says what it can be asked is served, with its errors and streams", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const kit = yield* Isolated.toolkit<Services>(at("services"), { directory: kept, services: [Db] })
      const counted = { count: 3, bytes: 5050, year: 2026 }
      const counting = Effect.provideService(Tool.run(kit.counting, { table: "orders" }), Db, db)
      expect(yield* counting).toEqual(counted)
      const none = Effect.provideService(Tool.run(kit.counting, { table: "none" }), Db, db)
      expect(yield* Effect.flip(none)).toMatchObject({ _tag: "NoTable", table: "none" })
      const registry = Registry.make(kit.counting)
      const call = { id: "1", name: "counting", args: { table: "orders" } }
      const [one] = yield* Effect.provideService(registry.execute(turnOf(), [call]), Db, db)
      expect(one?.result).toEqual({ ok: true, value: counted })
    })
  )
)

it.live("a service that is not given, or does not say it, is refused when the toolkit is made", () =>
  Effect.gen(function* () {
    const refusal = (module: string, services: ReadonlyArray<Tool.AnyTag>) =>
      Effect.map(
        Effect.flip(
          Effect.scoped(Isolated.toolkit(at(module), { directory: kept, services, snapshot: false }))
        ),
        ({ message }) => message
      )
    expect(yield* refusal("services", [])).toBe(
      "SERVICE_NOT_SERIALISABLE: the tool counting lists the service app/Db; give its tag under 'services', so that it can be served"
    )
    expect(yield* refusal("unserved", [Mailer])).toMatch(/app\/Mailer, which is not declared serialisable/)
  })
)
