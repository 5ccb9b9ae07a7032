/**
 * How much the tools of a turn, and those of a session, may write. A loop that writes ends here and not with a full disk.
 *
 * @since 0.1.0
 */
import { getOrSet } from "../../policy/Memo.js"
import { FilesError } from "./FilesOperations.js"

/**
 * What is written: files and directories, each time that one is written or made, and their bytes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Amount {
  readonly files: number
  readonly bytes: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Quota {
  readonly turn: Amount
  readonly session: Amount
}

/**
 * What is not given is as by default.
 *
 * @since 0.1.0
 * @category models
 */
export type Given = { readonly [S in keyof Quota]?: Partial<Amount> | undefined }

const GiB = 1024 * 1024 * 1024

/**
 * More than any honest tool writes, and less than fills a disk.
 *
 * @since 0.1.0
 * @category defaults
 */
export const defaultQuota: Quota = {
  turn: { files: 50_000, bytes: 4 * GiB },
  session: { files: 500_000, bytes: 32 * GiB }
}

const spans = ["turn", "session"] as const
const kinds = ["files", "bytes"] as const

/**
 * Throws a `RangeError` for what is not a whole number from 0 on: it would lift the quota.
 *
 * @since 0.1.0
 * @category defaults
 */
export const quotaOf = (given: Given = {}): Quota => {
  const amountOf = (span: keyof Quota): Amount => {
    const amount = { ...defaultQuota[span], ...given[span] }
    for (const kind of kinds) {
      const value = amount[kind]
      if (!Number.isSafeInteger(value) || value < 0) {
        throw new RangeError(`the quota '${span}.${kind}' is not a whole number from 0 on`)
      }
    }
    return amount
  }
  return { turn: amountOf("turn"), session: amountOf("session") }
}

type Count = { -readonly [K in keyof Amount]: Amount[K] }

const none = (): Count => ({ files: 0, bytes: 0 })

/** As many sessions as one backend counts for; of more, the oldest starts anew. */
const REMEMBERED = 10_000

const turns = new WeakMap<object, Count>()
const sessions = new WeakMap<object, Map<string, Count>>()

const countIn = (backend: object, session: string): Count => {
  const known = getOrSet(sessions, backend, () => new Map<string, Count>())
  const count = known.get(session) ?? none()
  known.delete(session)
  known.set(session, count)
  if (known.size > REMEMBERED) {
    for (const oldest of known.keys()) {
      known.delete(oldest)
      break
    }
  }
  return count
}

const remedies = {
  turn: "go on in another turn, or have the operator raise",
  session: "go on in another session, or have the operator raise"
} as const

/**
 * What was written so far in one turn, and in its session.
 *
 * @since 0.1.0
 * @category models
 */
export class Written {
  private readonly counts: { readonly [S in keyof Quota]: Count }

  /** `turn` is any value that stands for the turn; a backend counts for itself what its sessions write. */
  constructor(
    private readonly quota: Quota,
    backend: object,
    turn: object,
    session: string
  ) {
    this.counts = { turn: getOrSet(turns, turn, none), session: countIn(backend, session) }
  }

  /** Counts what is about to be written, or says why it may not be. */
  add(amount: Amount): FilesError | undefined {
    for (const span of spans) {
      for (const kind of kinds) {
        const [written, most] = [this.counts[span][kind], this.quota[span][kind]]
        if (amount[kind] === 0 || written + amount[kind] <= most) continue
        return new FilesError({
          code: "QUOTA_EXCEEDED",
          detail: `this ${span} has written ${written} ${kind}, and with ${amount[kind]} more it would have written more than ${most}; ${remedies[span]} quota.${span}.${kind} of the files layer`
        })
      }
    }
    for (const span of spans) for (const kind of kinds) this.counts[span][kind] += amount[kind]
    return undefined
  }

  /** Takes back what was not written after all. */
  remove(amount: Amount): void {
    for (const span of spans) for (const kind of kinds) this.counts[span][kind] -= amount[kind]
  }
}
