/** A store in memory, for `Storage.mock`. Entries expire by the clock of whoever runs it: a test's, in a test. */
import { Clock, Effect } from "effect"

interface Held {
  readonly value: string
  readonly expires: number
}

interface Key {
  readonly key: string
}

interface Write extends Key {
  readonly ttlSeconds?: number
}

export const memoryStorage = (initial: Readonly<Record<string, string>> | ReadonlyMap<string, string>) => {
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
    get: ({ key }: Key) => at((now) => read(key, now)),
    set: ({ key, ttlSeconds, value }: Write & { readonly value: string }) =>
      at((now) => write(key, value, ttlSeconds, now)),
    delete: ({ key }: Key) => at((now) => write(key, null, undefined, now)),
    list: ({ prefix }: { readonly prefix: string }) =>
      at((now) =>
        [...entries.keys()].filter((key) => key.startsWith(prefix) && read(key, now) !== null).sort()
      ),
    compareAndSet: ({
      expected,
      key,
      ttlSeconds,
      value
    }: Write & { readonly expected: string | null; readonly value: string | null }) =>
      at((now) => {
        if (read(key, now) !== expected) return false
        write(key, value, ttlSeconds, now)
        return true
      })
  }
}
