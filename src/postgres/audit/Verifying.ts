/** Whether the log in PostgreSQL is as it was written, by the digests in its lines. */
import { Effect, type Redacted, Stream } from "effect"
import type { AuditError } from "../../audit/AuditSink.js"
import type { Verified } from "../../layers/node/audit/Audit.js"
import { keyOf } from "../../layers/node/audit/chain/Digest.js"
import { linkIn } from "../../layers/node/audit/chain/Link.js"
import { Verification } from "../../layers/node/audit/chain/Verification.js"
import { entriesIn } from "../../layers/node/audit/EntriesIn.js"
import type { Database } from "../Database.js"
import { LOG } from "./Adding.js"
import { type Row, readingOf } from "./Reading.js"

/** What stands beside a line says the same as the line: questions are answered by it. */
const isBeside = ({ at, line, n, writer }: Row): boolean => {
  const link = linkIn(line)
  if (link === undefined) return true
  const time = Date.parse(entriesIn(line).entries[0]?.time ?? "")
  return link.by === writer && link.n === n && (at === undefined ? Number.isNaN(time) : at === time)
}

const beside = (id: number): Verified => ({
  ok: false,
  kind: "changed",
  at: `${LOG}:${id}`,
  detail: "what stands beside the line is not as it was written"
})

export const verifying = (
  database: Database.Service,
  secret: Redacted.Redacted<string>,
  head: string | undefined
): Effect.Effect<Verified, AuditError> =>
  Effect.gen(function* () {
    const { rows, settled } = readingOf(database)
    const verification = new Verification(keyOf(secret), head, "")
    let wrong: Row | undefined
    verification.begin(LOG)
    const last = yield* settled
    yield* Stream.runForEachWhile(rows(0, last), (row) =>
      Effect.sync(() => {
        if (!isBeside(row)) wrong = row
        else verification.add({ bytes: Buffer.from(row.line), number: row.id, offset: 0, end: 0 }, true)
        return wrong === undefined && !verification.isDecided
      })
    )
    if (wrong !== undefined) return beside(wrong.id)
    verification.end()
    const { broken, earlier, isCut, lines, torn, writers } = verification
    if (broken !== undefined) return { ok: false, ...broken }
    return { ok: true, head: verification.head, lines, writers, earlier, torn, isCut }
  })
