/**
 * A store in memory, for `Storage.mock` and for each namespace of `MemoryStorage`. Entries expire by the clock of whoever
 * runs it: a test's, in a test.
 */
import { Clock, Effect, Either } from "effect"
import { overQuota, type Quota, sizeOf } from "./Quota.js"
import { lifetimeRefused, type StorageError, type StorageOperations } from "./StorageOperations.js"

interface Held {
  readonly value: string
  readonly bytes: number
  readonly expires: number
}

interface Write {
  readonly key: string
  readonly value: string | null
  readonly ttlSeconds?: number
}

/** Entries, and the sum of what they count for. */
class Table {
  readonly entries = new Map<string, Held>()
  private bytes = 0

  constructor(private readonly quota: Quota | undefined) {}

  put(key: string, value: string, expires: number): void {
    this.remove(key)
    const bytes = sizeOf(key, value)
    this.entries.set(key, { value, bytes, expires })
    this.bytes += bytes
  }

  remove(key: string): void {
    this.bytes -= this.entries.get(key)?.bytes ?? 0
    this.entries.delete(key)
  }

  read(key: string, now: number): string | null {
    const held = this.entries.get(key)
    if (held === undefined || held.expires > now) return held?.value ?? null
    this.remove(key)
    return null
  }

  /** Looks at every key, which removes what has expired. */
  list(prefix: string, now: number): Array<string> {
    return [...this.entries.keys()]
      .filter((key) => this.read(key, now) !== null && key.startsWith(prefix))
      .sort()
  }

  /** What has expired counts no longer: it is removed before anybody is refused. */
  refusal(key: string, value: string, now: number): StorageError | undefined {
    if (this.over(key, value) === undefined) return undefined
    this.list("", now)
    return this.over(key, value)
  }

  private over(key: string, value: string): StorageError | undefined {
    if (this.quota === undefined) return undefined
    const old = this.entries.get(key)
    const added = { entries: old === undefined ? 1 : 0, bytes: sizeOf(key, value) - (old?.bytes ?? 0) }
    return overQuota({ entries: this.entries.size, bytes: this.bytes }, added, this.quota)
  }
}

export const memoryStorage = (
  initial: Readonly<Record<string, string>> | ReadonlyMap<string, string>,
  quota?: Quota
): StorageOperations => {
  const table = new Table(quota)
  for (const [key, value] of initial instanceof Map ? initial : Object.entries(initial)) {
    table.put(key, value, Number.POSITIVE_INFINITY)
  }
  /** Runs with the current time, in one step: nothing comes between a look and a write. */
  const at = <A>(run: (now: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, run)
  const write = ({ key, ttlSeconds, value }: Write, now: number): Either.Either<void, StorageError> => {
    if (value === null) return Either.right(table.remove(key))
    const refused = table.refusal(key, value, now)
    if (refused !== undefined) return Either.left(refused)
    return Either.right(table.put(key, value, now + (ttlSeconds ?? Number.POSITIVE_INFINITY) * 1000))
  }
  const writing = <A>(entry: Write, run: (now: number) => Either.Either<A, StorageError>) =>
    lifetimeRefused(entry.ttlSeconds) ?? Effect.flatMap(Clock.currentTimeMillis, run)
  return {
    get: ({ key }) => at((now) => table.read(key, now)),
    delete: ({ key }) => at(() => table.remove(key)),
    list: ({ prefix }) => at((now) => table.list(prefix, now)),
    set: (entry) => writing(entry, (now) => write(entry, now)),
    compareAndSet: (swap) =>
      writing(swap, (now) =>
        table.read(swap.key, now) === swap.expected
          ? Either.map(write(swap, now), () => true)
          : Either.right(false)
      )
  }
}
