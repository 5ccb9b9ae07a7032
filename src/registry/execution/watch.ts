/**
 * What time it is, for the audit log: how long a call took, and when it was answered. One reading gives both where the clock
 * is the usual one; a clock of the program's own is asked each time.
 */
import { Clock, Context, DefaultServices } from "effect"

const live = Context.get(DefaultServices.liveServices, Clock.Clock)

const NANOS = 1_000_000

// As they are now: tools run in the same process, and may put something else in their place.
const monotonic = performance.now.bind(performance)
const ofDay = Date.now

/** Milliseconds since some moment, with fractions. It never goes back where the clock is the usual one. */
export const reading = (clock: Clock.Clock | undefined): number =>
  clock === undefined || clock === live ? monotonic() : Number(clock.unsafeCurrentTimeNanos()) / NANOS

export const nowOf = (clock: Clock.Clock | undefined): number =>
  clock === undefined || clock === live ? ofDay() : clock.unsafeCurrentTimeMillis()

/** So long the time of day that was read last is good for, in milliseconds: entries have whole ones. */
const FRESH = 0.1

let readAt = Number.NaN
let millis = Number.NaN
let written = ""

/** In ISO 8601, at a moment that was just read. */
export const timeOf = (clock: Clock.Clock | undefined, moment: number): string => {
  const isLive = clock === undefined || clock === live
  if (isLive && moment - readAt < FRESH) return written
  const now = nowOf(clock)
  readAt = isLive ? moment : Number.NaN
  if (now !== millis) {
    millis = now
    written = new Date(now).toISOString()
  }
  return written
}
