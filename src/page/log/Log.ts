/**
 * The log in columns: a list of numbers for each field, in which a text is its place in one list of all texts. A hundred
 * thousand decisions are a few megabytes so, and a search looks at each text once and not at each row.
 */

/** A call, and what it belongs to. `refused` is the number of its decisions that were refused. */
export interface Calls {
  /** In milliseconds: when it was answered, or first decided about while it is not. */
  readonly time: Array<number>
  readonly id: Array<number>
  readonly session: Array<number>
  readonly agent: Array<number>
  readonly personality: Array<number>
  readonly revision: Array<number>
  readonly tool: Array<number>
  readonly origin: Array<number>
  /** The empty text while there is no answer. */
  readonly code: Array<number>
  readonly ms: Array<number>
  readonly refused: Array<number>
}

export interface Decisions {
  readonly time: Array<number>
  /** The row of its call. */
  readonly call: Array<number>
  readonly capability: Array<number>
  readonly asked: Array<number>
  /** One or nought. */
  readonly allowed: Array<number>
  readonly scope: Array<number>
  readonly code: Array<number>
  readonly reason: Array<number>
  readonly by: Array<number>
}

export interface Log {
  /** The first is the empty text, which stands for what an entry does not have. */
  readonly strings: Array<string>
  readonly calls: Calls
  readonly decisions: Decisions
  /** How many entries were lost, as far as the log says. */
  lost: number
}

export const NONE = 0

export const emptyLog = (): Log => ({
  strings: [""],
  calls: {
    time: [],
    id: [],
    session: [],
    agent: [],
    personality: [],
    revision: [],
    tool: [],
    origin: [],
    code: [],
    ms: [],
    refused: []
  },
  decisions: {
    time: [],
    call: [],
    capability: [],
    asked: [],
    allowed: [],
    scope: [],
    code: [],
    reason: [],
    by: []
  },
  lost: 0
})

/** The text of a field. */
export const textAt = ({ strings }: Log, column: ReadonlyArray<number>, row: number): string =>
  strings[column[row] ?? NONE] ?? ""

/** On whose behalf a call was made: an agent, else a personality. */
export const whoOf = ({ calls, strings }: Log, call: number): string =>
  strings[calls.agent[call] || (calls.personality[call] ?? NONE)] ?? ""

/** The times of the first and the last call; nothing where there is none. */
export const spanOf = ({ calls, decisions }: Log): readonly [from: number, to: number] | undefined => {
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  for (const times of [calls.time, decisions.time]) {
    for (const time of times) {
      if (time < from) from = time
      if (time > to) to = time
    }
  }
  return from <= to ? [from, to] : undefined
}
