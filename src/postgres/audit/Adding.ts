/**
 * The lines of one writer, added to the log. Who comes while others are being kept waits, and is kept with all that wait: one
 * statement for all of them. Where nobody knows what became of a statement, that is found out before the next one, so that
 * each line is kept once.
 */
import { randomBytes } from "node:crypto"
import { Deferred, Effect, FiberId, type Scope } from "effect"
import type { AuditEntry } from "../../audit/AuditEntry.js"
import { apart, Encoder } from "../../audit/AuditLine.js"
import { AuditError } from "../../audit/AuditSink.js"
import type { Chain } from "../../layers/node/audit/chain/Chain.js"
import type { Place } from "../../layers/node/audit/chain/Link.js"
import type { Database } from "../Database.js"
import type { DatabaseError } from "../DatabaseError.js"

/** What the log is called where a line says in which it stands. */
export const LOG = "postgres"

/** Entries as lines, without how they stand in a chain. */
type Objects = ReadonlyArray<string>

interface Batch {
  readonly objects: Objects
  readonly done: Deferred.Deferred<void, AuditError>
}

/** Lines that were sent, and what makes them part of the chain. */
interface Sent {
  readonly objects: Objects
  readonly lines: ReadonlyArray<string>
  readonly first: number
  readonly keep: () => void
}

/** So many entries go into one statement, but for a batch that has more. */
const MOST = 20_000

/** Of so many others a line says where they were. */
const OTHERS = 64

/** A statement of which nothing is known is asked for so often. */
const ATTEMPTS = 3

const TAKEN = "23505"

const unwritable = ({ told }: Pick<DatabaseError, "told">): AuditError =>
  new AuditError({ code: "AUDIT_UNWRITABLE", detail: `the audit log cannot be written: ${told}` })

const closed = unwritable({ told: "the layer it came from has ended" })

const TIME = /^\{"v":\d+,"time":"([^"\\]*)"/

const timeOf = (object: string): number | null => {
  const millis = Date.parse(TIME.exec(object)?.[1] ?? "")
  return Number.isNaN(millis) ? null : millis
}

const placeIn = (text: string): ReadonlyArray<Place> => {
  const [by = "", n = ""] = text.split(":")
  return by === "" ? [] : [{ by, n: Number(n) }]
}

export class Adding {
  private readonly encoder = new Encoder()
  /** Of one that makes no chain. */
  private readonly name = randomBytes(9).toString("base64url")
  private n = 0
  private waiting: Array<Batch> = []
  private isWriting = false
  private isEnded = false
  private others: ReadonlyArray<Place> = []
  private seen = 0
  /** What was sent last, where it is not known what became of it. */
  private doubt: Sent | undefined

  constructor(
    private readonly database: Database.Service,
    private readonly chain: Chain | undefined,
    private readonly scope: Scope.Scope
  ) {}

  end(): void {
    this.isEnded = true
  }

  /** One that restarts is waited for, as by whoever writes. */
  get reached(): Effect.Effect<void, AuditError> {
    const { ask, reached } = this.database
    const waiting = Effect.asVoid(ask("SELECT 1", [], { isRepeatable: true }))
    return Effect.mapError(
      Effect.catchAll(reached, () => waiting),
      unwritable
    )
  }

  append(entries: ReadonlyArray<AuditEntry>): Effect.Effect<void, AuditError> {
    return Effect.suspend(() => this.take(entries.map((entry) => this.encoder.line(entry))))
  }

  lines(lines: string): Effect.Effect<void, AuditError> | undefined {
    return lines === "" ? undefined : this.take(apart(lines))
  }

  /** They are taken now; what is answered settles when they are kept. */
  private take(objects: Objects): Effect.Effect<void, AuditError> {
    if (this.isEnded) return closed
    if (objects.length === 0) return Effect.void
    const batch = { objects, done: Deferred.unsafeMake<void, AuditError>(FiberId.none) }
    this.waiting.push(batch)
    return Effect.suspend(() => {
      const waited = Deferred.await(batch.done)
      if (this.isWriting) return waited
      this.isWriting = true
      return Effect.zipRight(Effect.forkIn(Effect.uninterruptible(this.writeAll), this.scope), waited)
    })
  }

  private readonly writeAll: Effect.Effect<void> = Effect.suspend(() => {
    const batches = this.next()
    if (batches.length === 0) {
      this.isWriting = false
      return Effect.void
    }
    const objects = batches.flatMap((batch) => batch.objects)
    return Effect.flatMap(Effect.exit(this.write(objects, ATTEMPTS)), (exit) => {
      for (const { done } of batches) Deferred.unsafeDone(done, exit)
      return this.writeAll
    })
  })

  private next(): ReadonlyArray<Batch> {
    let count = 0
    const end = this.waiting.findIndex((batch, index) => {
      count += batch.objects.length
      return index > 0 && count > MOST
    })
    return this.waiting.splice(0, end < 0 ? this.waiting.length : end)
  }

  private write(objects: Objects, left: number): Effect.Effect<void, AuditError> {
    return Effect.flatMap(this.resolved(objects), (rest) => {
      if (rest.length === 0) return Effect.void
      const sent = this.linked(rest)
      return Effect.catchAll(this.send(sent), (error) => {
        const isOpen = error.kind === "unknown" || error.named === TAKEN
        if (isOpen) this.doubt = sent
        return isOpen && left > 1 ? this.write(rest, left - 1) : unwritable(error)
      })
    })
  }

  private linked(objects: Objects): Sent {
    const first = this.n
    const count = () => {
      this.n += objects.length
    }
    if (this.chain === undefined) return { objects, lines: objects, first, keep: count }
    const { keep, lines } = this.chain.linked(objects, {
      ...(first === 0 ? { opens: { file: LOG, from: 0 } } : {}),
      after: this.others
    })
    return {
      objects,
      lines: apart(lines),
      first,
      keep: () => {
        keep()
        count()
      }
    }
  }

  private get by(): string {
    return this.chain?.by ?? this.name
  }

  private send({ first, keep, lines, objects }: Sent): Effect.Effect<void, DatabaseError> {
    const { ask, schema } = this.database
    const values = [this.by, first, objects.map(timeOf), lines, this.seen, OTHERS]
    return Effect.map(
      ask(`SELECT * FROM ${schema}.audit_add($1, $2, $3, $4, $5, $6)`, values),
      ([row = {}]) => {
        keep()
        this.seen = Number(row.last ?? 0)
        this.others = (Array.isArray(row.others) ? row.others : []).map(String).flatMap(placeIn)
      }
    )
  }

  /** What is left to be kept, once it is known what became of what was sent last. */
  private resolved(objects: Objects): Effect.Effect<Objects, AuditError> {
    const { doubt } = this
    if (doubt === undefined) return Effect.succeed(objects)
    const { ask, schema } = this.database
    return Effect.mapBoth(
      ask(`SELECT 1 FROM ${schema}.audit WHERE writer = $1 AND n = $2`, [this.by, doubt.first], {
        isRepeatable: true
      }),
      {
        onFailure: unwritable,
        onSuccess: ({ length }) => {
          this.doubt = undefined
          if (length === 0) return objects
          doubt.keep()
          // It was kept after all; given again, it is not kept twice.
          const isAgain = doubt.objects.every((object, index) => objects[index] === object)
          return isAgain ? objects.slice(doubt.objects.length) : objects
        }
      }
    )
  }
}
