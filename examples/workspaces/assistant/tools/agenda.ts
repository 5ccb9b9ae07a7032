/** The day, from a calendar whose address is a secret: whoever knows it reads everything. */
import { Network, Secrets, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

const Event = Schema.Struct({ at: Schema.String, what: Schema.String })

type Event = typeof Event.Type

const AT = /^DTSTART(?:;[^:]*)?:\d{8}T(\d\d)(\d\d)/m
const DAY = /^DTSTART(?:;[^:]*)?:(\d{4})(\d\d)(\d\d)/m
const WHAT = /^SUMMARY(?:;[^:]*)?:(.*)$/m

/** A long line goes on where the next begins with a blank. */
const unfolded = (feed: string): string => feed.replace(/\r\n?/g, "\n").replace(/\n[ \t]/g, "")

const plain = (text: string): string => text.replace(/\\n/gi, " ").replace(/\\([\\,;])/g, "$1")

const eventsOf = (feed: string, day: string): ReadonlyArray<Event> =>
  unfolded(feed)
    .split("BEGIN:VEVENT")
    .slice(1)
    .filter((event) => DAY.exec(event)?.slice(1).join("-") === day)
    .map((event) => ({
      at: AT.exec(event)?.slice(1).join(":") ?? "all day",
      what: plain(WHAT.exec(event)?.[1] ?? "")
    }))
    .sort((a, b) => a.at.localeCompare(b.at))

export const agenda = Tool.exact({
  name: "agenda",
  description: "What the calendar has on a day, in order",
  parameters: Schema.Struct({
    day: Schema.String.pipe(Schema.pattern(/^\d{4}-\d{2}-\d{2}$/)).annotations({
      description: "a day, such as 2026-03-01"
    })
  }),
  success: Schema.Array(Event),
  readOnly: true,
  outputIsUntrusted: true,
  capabilities: { network: { allowedHosts: ["127.0.0.1"] }, secrets: ["calendar/feed"] },
  execute: ({ day }) =>
    Effect.gen(function* () {
      const feed = yield* Secrets.get("calendar/feed")
      return eventsOf(yield* Network.get(Redacted.value(feed)), day)
    })
})
