/** The example with a sealed key, in this process: what it prints is what it promises. */
import { expect, it } from "@effect/vitest"
import { Tool } from "bailiwick"
import { TestSecrets } from "bailiwick/testing"
import { Effect } from "effect"
import { program } from "../../examples/sealed/program.js"
import { listInvoices } from "../../examples/sealed/tools.js"

it.effect("a key that is sealed goes to its host, and nowhere else, and does not come back", () =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    yield* Effect.consoleWith((console) =>
      Effect.withConsole(program, {
        ...console,
        log: (line: unknown) => Effect.sync(() => void lines.push(line))
      })
    )
    expect(lines).toEqual([
      'list_invoices: [{"id":"inv-1","cents":4200}]',
      'announce: "thanks"',
      "careless: SEAL_REFUSED: a sealed secret may not go to collector.example:443 in header:authorization",
      'careless: "you sent Bearer ****************"'
    ])
  })
)

it.effect("a tool of it is tested with its declaration alone", () =>
  Effect.gen(function* () {
    const layer = TestSecrets.layerSealed(
      listInvoices.capabilities,
      { BILLING_KEY: "only-a-mock" },
      (_, { headers }) => ({
        json: [{ id: headers.authorization ?? "", cents: 1 }]
      })
    )
    const [invoice] = yield* Effect.provide(Tool.run(listInvoices, {}), layer)
    expect(invoice).toEqual({ id: "Bearer ***********", cents: 1 })
  })
)
