/** Answers that may be given again. Each tool has its own: what is registered anew starts with none. */
import { getOrSet } from "../../policy/Memo.js"
import { ordered } from "../../policy/text/OrderedJson.js"
import type * as Tool from "../../tools/Tool.js"
import type { Turn } from "../Turn.js"

const MAX_ENTRIES = 1_000

/** How the keys of a session begin, and those of no other. */
const prefixOf = (session: string): string => `${JSON.stringify([session]).slice(0, -1)},`

const numbers = new WeakMap<object, number>()
let last = 0

/** What tells a service from every other: one tenant's answers are not given to another. */
const instanceOf = (service: unknown): unknown => {
  if ((typeof service !== "object" || service === null) && typeof service !== "function") {
    return typeof service === "symbol" ? ++last : [typeof service, String(service)]
  }
  return getOrSet(numbers, service, () => ++last)
}

/**
 * A list and not a joined text: no session can be spelt so that it is another session and personality. `services` are
 * what the tool was given of those that it lists.
 */
export const keyOf = (turn: Turn, args: unknown, services: ReadonlyArray<unknown>): string =>
  JSON.stringify([
    turn.session,
    turn.policy.personality ?? null,
    // A revision is a short name, and an agent that writes records could bring about that of another.
    turn.policy.agent ?? null,
    turn.policy.revision,
    turn.workdir,
    turn.attachments.map(({ ref, type, url }) => [ref, type, url]),
    // Two spellings of the same arguments are the same arguments.
    ordered(args),
    services.map(instanceOf)
  ])

const copied = (value: unknown): unknown => {
  try {
    return structuredClone(value)
  } catch {
    return undefined
  }
}

export class Cache {
  private readonly byTool = new WeakMap<Tool.Any, Map<string, unknown>>()

  get(tool: Tool.Any, key: string): { readonly value: unknown } | undefined {
    const entries = this.byTool.get(tool)
    if (entries === undefined || !entries.has(key)) return undefined
    return { value: structuredClone(entries.get(key)) }
  }

  /** A copy, as each answer is: what is done to one of them is not done to the next. */
  set(tool: Tool.Any, key: string, answer: unknown): void {
    const value = copied(answer)
    if (value === undefined) return
    const entries = this.byTool.get(tool) ?? new Map<string, unknown>()
    this.byTool.set(tool, entries)
    entries.delete(key)
    entries.set(key, value)
    const [oldest] = entries.keys()
    if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
  }

  /** Forgets what was answered in a session. */
  clear(session: string, tools: Iterable<Tool.Any>): void {
    const prefix = prefixOf(session)
    for (const tool of tools) {
      const entries = this.byTool.get(tool)
      for (const key of entries?.keys() ?? []) if (key.startsWith(prefix)) entries?.delete(key)
    }
  }
}
