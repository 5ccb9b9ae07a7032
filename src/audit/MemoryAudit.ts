/**
 * An audit log in memory: for tests, and for programs that send it elsewhere themselves.
 *
 * @since 0.1.0
 */
import { Effect, Layer, Stream } from "effect"
import type { AuditEntry } from "./AuditEntry.js"
import { entriesOf } from "./AuditLine.js"
import { AuditSink } from "./AuditSink.js"

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = ({
  onFailure = "closed"
}: Partial<Pick<AuditSink.Service, "onFailure">> = {}): AuditSink.Service => {
  const kept: Array<AuditEntry> = []
  /** Lines that nobody has read yet. */
  let unread: Array<string> = []
  const read = (): void => {
    const lines = unread
    unread = []
    for (const each of lines) for (const entry of entriesOf(each)) kept.push(entry)
  }
  const append = (entries: ReadonlyArray<AuditEntry>): Effect.Effect<void> =>
    Effect.sync(() => {
      read()
      for (const entry of entries) kept.push(entry)
    })
  const lines = (given: string): undefined => void unread.push(given)
  return {
    append: Object.assign(append, { lines }),
    entries: (since = 0) =>
      Stream.suspend(() => {
        read()
        return Stream.fromIterable(kept.filter(({ time }) => Date.parse(time) >= since))
      }),
    onFailure
  }
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Parameters<typeof make>[0] = {}): Layer.Layer<AuditSink> =>
  Layer.sync(AuditSink, () => make(options))
