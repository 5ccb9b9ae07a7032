/**
 * How much a cache holds, of each session and in all: what is kept, and what is on its way. One for each directory and
 * process, so that all who write there count together.
 */
import type { Root } from "./Namespace.js"

export interface Room {
  readonly sessionBytes: number
  readonly totalBytes: number
}

/** Which limit there is no room under. */
export type Full = "session" | "total"

const added = (counts: Map<string, number>, key: string, bytes: number): void => {
  const count = (counts.get(key) ?? 0) + bytes
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}

export class Ledger {
  readonly #kept = new Map<string, number>()
  readonly #coming = new Map<string, number>()
  readonly #revisions = new Map<string, number>()
  #total = 0

  /** Another whenever something of a namespace is kept. */
  revisionOf(namespace: string): number {
    return this.#revisions.get(namespace) ?? 0
  }

  of(namespace: string): number {
    return (this.#kept.get(namespace) ?? 0) + (this.#coming.get(namespace) ?? 0)
  }

  get total(): number {
    return this.#total
  }

  /** Room for more that comes, before it is written. */
  take(namespace: string, bytes: number, { sessionBytes, totalBytes }: Room): Full | undefined {
    if (this.of(namespace) + bytes > sessionBytes) return "session"
    if (this.#total + bytes > totalBytes) return "total"
    added(this.#coming, namespace, bytes)
    this.#total += bytes
    return undefined
  }

  /** What was coming is there now, or never will be. */
  settle(namespace: string, bytes: number, isKept: boolean): void {
    added(this.#coming, namespace, -bytes)
    if (isKept) {
      added(this.#kept, namespace, bytes)
      this.#revisions.set(namespace, this.revisionOf(namespace) + 1)
    } else this.#total -= bytes
  }

  /** What a look at the disk has found, and removed. What was kept meanwhile it may have missed. */
  count(namespace: string, found: number, removed: number, revision: number): void {
    const before = this.#kept.get(namespace) ?? 0
    const now = this.revisionOf(namespace) === revision ? found : Math.max(0, before - removed)
    added(this.#kept, namespace, now - before)
    this.#total += now - before
    if (now === 0 && !this.#coming.has(namespace)) this.#revisions.delete(namespace)
  }

  /** What was kept, and is no more. */
  remove(namespace: string, bytes: number): void {
    const gone = Math.min(bytes, this.#kept.get(namespace) ?? 0)
    added(this.#kept, namespace, -gone)
    this.#total -= gone
  }

  /** The namespaces of which something is kept. */
  get namespaces(): ReadonlyArray<string> {
    return [...this.#kept.keys()]
  }
}

const known = new Map<string, Ledger>()

export const ledgerOf = ({ path }: Pick<Root, "path">): Ledger => {
  const found = known.get(path) ?? new Ledger()
  known.set(path, found)
  return found
}
