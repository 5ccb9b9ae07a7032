/** How many children run at once, for each tool of a session and in all. Who comes first is served first. */
import { Effect } from "effect"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import * as refusals from "./refusals.js"

export interface Limits {
  readonly perTool: number
  readonly total: number
  readonly waiting: number
}

interface Waiter {
  readonly key: string
  readonly serve: () => void
  served: boolean
}

export class ChildSlots {
  private readonly running = new Map<string, number>()
  private readonly line = new Set<Waiter>()
  private total = 0

  constructor(private readonly limits: Limits) {}

  private isFree(key: string): boolean {
    return this.total < this.limits.total && (this.running.get(key) ?? 0) < this.limits.perTool
  }

  private occupy(key: string): void {
    this.total++
    this.running.set(key, (this.running.get(key) ?? 0) + 1)
  }

  /** Waits for a slot; whoever gets one gives it back. */
  take(key: string): Effect.Effect<void, ProcessError> {
    return Effect.suspend(() => {
      if (this.isFree(key)) {
        this.occupy(key)
        return Effect.void
      }
      if (this.line.size >= this.limits.waiting) return Effect.fail(refusals.lineTooLong(this.line.size))
      return Effect.async<void>((resume) => {
        const waiter: Waiter = { key, served: false, serve: () => resume(Effect.void) }
        this.line.add(waiter)
        // Served and interrupted at once: nobody else would give it back.
        return Effect.sync(() => (waiter.served ? this.give(key) : this.line.delete(waiter)))
      })
    })
  }

  give(key: string): void {
    this.total--
    const left = (this.running.get(key) ?? 1) - 1
    if (left === 0) this.running.delete(key)
    else this.running.set(key, left)
    for (const waiter of this.line) {
      if (this.total >= this.limits.total) return
      if (!this.isFree(waiter.key)) continue
      this.line.delete(waiter)
      waiter.served = true
      this.occupy(waiter.key)
      waiter.serve()
    }
  }
}
