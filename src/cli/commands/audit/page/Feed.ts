/** Entries as they come, numbered, for those who follow: who missed some gets them, as long as they are there. */
import type { AuditEntry } from "../../../../audit/AuditEntry.js"

type Listener = (entries: ReadonlyArray<AuditEntry>, last: number) => void

export class Feed {
  private kept: Array<AuditEntry> = []
  private dropped = 0
  private readonly listeners = new Set<Listener>()

  /** So many are there at least, if there were that many. */
  constructor(private readonly most: number) {}

  /** The number of the latest; the first has one. */
  get last(): number {
    return this.dropped + this.kept.length
  }

  /** Those that are there, oldest first. */
  get entries(): ReadonlyArray<AuditEntry> {
    return this.kept.slice(-this.most)
  }

  /** How many were left out of those. */
  get left(): number {
    return Math.max(0, this.last - this.most)
  }

  add(entries: ReadonlyArray<AuditEntry>): void {
    if (entries.length === 0) return
    for (const entry of entries) this.kept.push(entry)
    if (this.kept.length >= 2 * this.most) {
      this.dropped += this.kept.length - this.most
      this.kept = this.kept.slice(-this.most)
    }
    for (const listener of this.listeners) listener(entries, this.last)
  }

  /** All that came after a number; nothing where some of them are gone, or the number was never given. */
  after(number: number): ReadonlyArray<AuditEntry> | undefined {
    return number < this.dropped || number > this.last ? undefined : this.kept.slice(number - this.dropped)
  }

  /** Calls with all that comes from now on; the answer ends it. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}
