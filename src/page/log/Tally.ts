/** How often each used what, and how often each tool was called. */
import { type Log, NONE, textAt } from "./Log.js"

export interface Use {
  readonly allowed: number
  readonly refused: number
  /** The time of the last that was allowed; nought where none was. */
  readonly last: number
}

export interface ToolUse {
  readonly calls: number
  /** Calls in which something was refused. */
  readonly refused: number
  readonly origin: string
}

export interface Who {
  readonly kind: "agent" | "personality"
  readonly id: string
  readonly calls: number
  /** By the name of a capability. */
  readonly uses: ReadonlyMap<string, Use>
}

export interface Tally {
  /** By what `keyOf` makes of an agent or of a personality. */
  readonly who: ReadonlyMap<string, Who>
  /** By the name of a tool. */
  readonly tools: ReadonlyMap<string, ToolUse>
  readonly calls: number
  readonly allowed: number
  readonly refused: number
}

/** An agent and a personality may have one id. */
export const keyOf = ({ id, kind }: Pick<Who, "id" | "kind">): string => `${kind} ${id}`

export const NEVER: Use = { allowed: 0, refused: 0, last: 0 }

interface Counting {
  calls: number
  readonly uses: Map<number, { allowed: number; refused: number; last: number }>
}

export const tallyOf = (log: Log): Tally => {
  const { calls, decisions, strings } = log
  const kinds = { agent: new Map<number, Counting>(), personality: new Map<number, Counting>() }
  const counting = (id: number, kind: Who["kind"]): Counting => {
    const found = kinds[kind].get(id) ?? { calls: 0, uses: new Map() }
    kinds[kind].set(id, found)
    return found
  }
  const tools = new Map<string, { calls: number; refused: number; origin: string }>()
  let all = 0
  for (let row = 0; row < calls.time.length; row++) {
    // What was decided for no call has a row, too.
    const count = calls.id[row] === NONE && calls.code[row] === NONE ? 0 : 1
    all += count
    const [agent = 0, personality = 0] = [calls.agent[row], calls.personality[row]]
    if (agent !== 0) counting(agent, "agent").calls += count
    if (personality !== 0) counting(personality, "personality").calls += count
    const name = textAt(log, calls.tool, row)
    const tool = tools.get(name) ?? { calls: 0, refused: 0, origin: textAt(log, calls.origin, row) }
    tool.calls += count
    if ((calls.refused[row] ?? 0) > 0) tool.refused += 1
    tools.set(name, tool)
  }
  let allowed = 0
  for (let row = 0; row < decisions.time.length; row++) {
    const call = decisions.call[row] ?? 0
    const isAllowed = decisions.allowed[row] === 1
    if (isAllowed) allowed += 1
    const capability = decisions.capability[row] ?? 0
    const [agent = 0, personality = 0] = [calls.agent[call], calls.personality[call]]
    for (const [id, kind] of [
      [agent, "agent"],
      [personality, "personality"]
    ] as const) {
      if (id === 0) continue
      const { uses } = counting(id, kind)
      const use = uses.get(capability) ?? { ...NEVER }
      uses.set(capability, use)
      if (isAllowed) {
        use.allowed += 1
        use.last = Math.max(use.last, decisions.time[row] ?? 0)
      } else use.refused += 1
    }
  }
  return {
    who: new Map(
      (["agent", "personality"] as const).flatMap((kind) =>
        [...kinds[kind]].map(([place, { calls, uses }]) => {
          const id = strings[place] ?? ""
          const named = new Map([...uses].map(([name, use]) => [strings[name] ?? "", use]))
          return [keyOf({ id, kind }), { kind, id, calls, uses: named }] as const
        })
      )
    ),
    tools,
    calls: all,
    allowed,
    refused: decisions.time.length - allowed
  }
}
