import { expect, it } from "@effect/vitest"
import { Network, Secrets, Tool } from "bailiwick"
import { TestNetwork } from "bailiwick/testing"
import { Effect } from "effect"
import { agenda } from "../tools/index.ts"

const FEED = "http://127.0.0.1:8400/k3pt-h1dden/day.ics"

const event = (start: string, summary: string) =>
  `BEGIN:VEVENT\r\nDTSTART${start}\r\nSUMMARY:${summary}\r\nEND:VEVENT\r\n`

const calendar = [
  event(":20260301T140000Z", "Dentist\\, the new one"),
  event(";VALUE=DATE:20260301", "Birthday of\r\n  Ada"),
  event(";TZID=Europe/Berlin:20260301T083000", "Breakfast"),
  event(":20260302T090000Z", "Another day")
].join("")

const secrets = Secrets.mock({ "calendar/feed": FEED })

it.effect("agenda has the events of a day, in order", () =>
  Effect.gen(function* () {
    expect(yield* Tool.run(agenda, { day: "2026-03-01" })).toEqual([
      { at: "08:30", what: "Breakfast" },
      { at: "14:00", what: "Dentist, the new one" },
      { at: "all day", what: "Birthday of Ada" }
    ])
    expect(yield* Tool.run(agenda, { day: "2026-03-03" })).toEqual([])
  }).pipe(Effect.provide([secrets, Network.mock(() => calendar)]))
)

it.effect("agenda asks at the address that is a secret, and nowhere else", () =>
  Effect.gen(function* () {
    const network = TestNetwork.recording(() => calendar)
    yield* Tool.run(agenda, { day: "2026-03-01" }).pipe(Effect.provide([secrets, network.layer]))
    expect(yield* network.calls).toMatchObject([{ operation: "request" }])
    expect(JSON.stringify(yield* network.calls)).toContain(FEED)
  })
)
