/**
 * What tools asked for, whoever called them: for authors, who declared it.
 *
 * @since 0.1.0
 */

import * as Use from "../../policy/lattice/Use.js"
import { getOrSet } from "../../policy/Memo.js"
import * as Asked from "../Asked.js"
import type { AuditEntry } from "../AuditEntry.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface ToolUse {
  /** The calls that went well: one that did not may have ended before it asked for all that it needs. */
  readonly calls: number
  /** Those of them that were answered without any decision. */
  readonly silent: number
  /** The commands that it ran. */
  readonly commands: number
  /** What it asked for, allowed or not, each thing once. */
  readonly uses: ReadonlyArray<Use.Use>
}

interface Counting {
  calls: number
  silent: number
  commands: number
  readonly uses: Map<string, Use.Use>
  /** The calls that a decision was taken in and that have not ended. */
  readonly open: Set<string>
}

/** So many different things are kept of one tool; what asks for more uses what it declares. */
const MOST = 10_000

/**
 * Takes entries one by one.
 *
 * @since 0.1.0
 * @category models
 */
export class ToolUses {
  private readonly byTool = new Map<string, Counting>()

  add(entry: AuditEntry): void {
    if (entry.type === "gap") return
    const counting = getOrSet(
      this.byTool,
      entry.tool,
      (): Counting => ({
        calls: 0,
        silent: 0,
        commands: 0,
        uses: new Map(),
        open: new Set()
      })
    )
    const call = `${entry.session}\u0000${entry.call}`
    if (entry.type === "call") {
      const wasHeard = counting.open.delete(call)
      if (entry.code !== "ok") return
      counting.calls += 1
      if (!wasHeard) counting.silent += 1
      return
    }
    counting.open.add(call)
    // It is another's to use.
    if (Asked.isPassing(entry)) return
    if (entry.allowed && entry.capability.startsWith("process.")) counting.commands += 1
    const asked = Asked.read(entry)
    for (const use of asked?.uses ?? []) {
      if (counting.uses.size < MOST) counting.uses.set(Use.keyOf(use), use)
    }
  }

  get tools(): ReadonlyMap<string, ToolUse> {
    return new Map(
      [...this.byTool].map(([name, { calls, commands, silent, uses }]) => [
        name,
        { calls, silent, commands, uses: [...uses.values()] }
      ])
    )
  }
}
