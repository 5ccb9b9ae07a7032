/**
 * Progress without secrets. A tool may report bit by bit what a command writes, so that a value begins in one report and
 * ends in the next: what a call has reported last is remembered as it was.
 */
import { Context, Effect } from "effect"
import { type Call, currentCall } from "../../policy/gate/Call.js"
import { Progress, type ProgressEvent } from "../../tools/Progress.js"
import type { Scrubber } from "./Scrubber.js"

/** As long as values and their encodings mostly are. */
const REMEMBERED = 8192

/** A tool may give more than it is asked for, and what answers otherwise the next time. */
const plain = ({ done, message, total }: ProgressEvent): ProgressEvent => ({
  message: String(message),
  ...(typeof done === "number" ? { done } : {}),
  ...(typeof total === "number" ? { total } : {})
})

const discreet = ({ report }: Progress.Service, scrubber: Scrubber): Progress.Service => {
  const last = new WeakMap<Call | Progress.Service, string>()
  const self: Progress.Service = {
    report: (given) =>
      Effect.withFiberRuntime((fiber) => {
        const event = plain(given)
        if (scrubber.isEmpty) return report(event)
        const key = fiber.getFiberRef(currentCall) ?? self
        const before = last.get(key) ?? ""
        const message = scrubber.following(before, event.message)
        last.set(key, (before + event.message).slice(-REMEMBERED))
        return report(message === event.message ? event : { ...event, message })
      })
  }
  return self
}

/** The same context, whose listener for progress, if it has one, hears of no secret. */
export const withDiscreetProgress = (
  context: Context.Context<never>,
  scrubber: Scrubber
): Context.Context<never> => {
  const listener = context.unsafeMap.get(Progress.key) as Progress.Service | undefined
  if (listener === undefined) return context
  return Context.unsafeMake(new Map(context.unsafeMap).set(Progress.key, discreet(listener, scrubber)))
}
