/** An entry of the audit log, as much of it as the page knows: the shape is that of `audit/AuditEntry`. */
interface Who {
  readonly time: string
  readonly session: string
  readonly agent?: string
  readonly personality?: string
  readonly revision: string
  readonly call: string
  readonly tool: string
  readonly origin: string
}

export interface DecisionEntry extends Who {
  readonly type: "decision"
  readonly capability: string
  readonly asked: string
  readonly allowed: boolean
  readonly scope?: string
  readonly code?: string
  readonly reason?: string
  readonly by?: string
}

export interface CallEntry extends Who {
  readonly type: "call"
  readonly code: string
  readonly ms: number
}

export interface GapEntry {
  readonly type: "gap"
  readonly time: string
  readonly lost: number
  readonly why: string
}

export type Entry = DecisionEntry | CallEntry | GapEntry
