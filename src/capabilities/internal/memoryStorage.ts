/** A store in memory, for `Storage.mock`. Entries expire by the clock of whoever runs it: a test's, in a test. */
import { Clock, Effect } from "effect"
import type { Storage } from "../Storage.js"

interface Held {
  readonly value: string
  readonly expires: number
}

export const memoryStorage = (initial: Storage.MockEntries): Storage.Operations => {
  const entries = new Map<string, Held>()
  for (const [key, value] of initial instanceof Map ? initial : Object.entries(initial)) {
    entries.set(key, { value, expires: Number.POSITIVE_INFINITY })
  }
  /** Runs with the current time, in one step: nothing comes between a look and a write. */
  const at = <A>(run: (now: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, run)
  const read = (key: string, now: number): string | null => {
    const held = entries.get(key)
    if (held === undefined || held.expires > now) return held?.value ?? null
    entries.delete(key)
    return null
  }
  const write = (key: string, value: string | null, ttlSeconds: number | undefined, now: number): void => {
    if (value === null) entries.delete(key)
    else entries.set(key, { value, expires: now + (ttlSeconds ?? Number.POSITIVE_INFINITY) * 1000 })
  }
  return {
    get: ({ key }) => at((now) => read(key, now)),
    set: ({ key, ttlSeconds, value }) => at((now) => write(key, value, ttlSeconds, now)),
    delete: ({ key }) => at((now) => write(key, null, undefined, now)),
    list: ({ prefix }) =>
      at((now) =>
        [...entries.keys()].filter((key) => key.startsWith(prefix) && read(key, now) !== null).sort()
      ),
    compareAndSet: ({ expected, key, ttlSeconds, value }) =>
      at((now) => {
        if (read(key, now) !== expected) return false
        write(key, value, ttlSeconds, now)
        return true
      })
  }
}
