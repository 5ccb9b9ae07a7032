/** A record that is to be edited: what it says, entry by entry, and what it comes to. */
import { Either } from "effect"
import * as Grant from "../../grant/Grant.js"
import * as Authority from "../../lattice/Authority.js"
import { getOrSet } from "../../Memo.js"
import { type Split, split } from "../../record/FrontMatter.js"
import { type RecordText, read } from "../../record/RecordText.js"
import { type Problem, sentence } from "../../text/Problem.js"
import { quote } from "../../text/Quote.js"
import { type AgentFile, readAgentFile } from "../AgentFile.js"
import * as AgentRecord from "../AgentRecord.js"
import { type Bound, boundOf, type Entry, entriesOf } from "../entries.js"

export const codes = [
  "RECORD_UNREADABLE",
  "NOT_AN_AGENT",
  "GRANT_INVALID",
  "STILL_ALLOWED",
  "EDIT_IMPOSSIBLE"
] as const

export interface Refused {
  readonly code: (typeof codes)[number]
  readonly detail: string
  readonly remedy: string
}

export type Edit<A> = Either.Either<A, Refused>

export const refuse = (code: Refused["code"], detail: string, remedy: string): Edit<never> =>
  Either.left({ code, detail, remedy })

export interface Opened {
  readonly source: AgentRecord.Text
  readonly places: AgentRecord.Places
  readonly parts: Split
  readonly file: AgentFile
  readonly text: RecordText
  readonly record: AgentRecord.AgentRecord
  readonly bound: Bound
  readonly entries: ReadonlyArray<Entry>
  /** What a grant is in the record as it stands. */
  readonly compile: (grant: Grant.Grant) => Either.Either<Grant.Compiled, Grant.GrantInvalid>
}

/** Each grant is asked about several times, and costs as much as it names. */
const compiling = ({ held }: AgentRecord.AgentRecord, places: Grant.Places): Opened["compile"] => {
  const known = new Map<Grant.Grant, ReturnType<Opened["compile"]>>(
    held.map(({ compiled, grant }) => [grant, Either.right(compiled)])
  )
  return (grant) => getOrSet(known, grant, () => Grant.compile(grant, places))
}

const unreadable =
  (file: string) =>
  (problem: Problem): Refused => ({
    code: "RECORD_UNREADABLE",
    detail: sentence(file, problem),
    remedy: "mend the file by hand first"
  })

export const open = (source: AgentRecord.Text, places: AgentRecord.Places): Edit<Opened> =>
  Either.gen(function* () {
    const parts = yield* Either.mapLeft(split(source.text), unreadable(source.file))
    const text = yield* Either.mapLeft(read(source.text), unreadable(source.file))
    const file = readAgentFile(source.text)
    const record = AgentRecord.fromFile(file, source, places)
    if (record.class !== "agent") {
      return yield* refuse(
        "NOT_AN_AGENT",
        `${quote(record.id)} is of class ${quote(text.class)}, and only agents hold grants`,
        "name an agent, or write 'class: agent'"
      )
    }
    const bound = boundOf(record.id, file, places)
    const compile = compiling(record, { ...places, bound: bound.root })
    return { source, places, parts, file, text, record, bound, entries: entriesOf(file, bound), compile }
  })

/** What a grant gives in the record as it stands; what is wrong gives nothing. */
export const given = ({ compile }: Opened, grant: Grant.Grant): Authority.Authority =>
  givenBy(compile, [grant])

/** What grants give together. */
export const givenBy = (
  compile: Opened["compile"],
  grants: ReadonlyArray<Grant.Grant>
): Authority.Authority =>
  Grant.authority(
    grants.flatMap((grant) =>
      Either.getOrElse(
        Either.map(compile(grant), (one) => [one]),
        () => []
      )
    )
  )

export const equal = (a: Authority.Authority, b: Authority.Authority): boolean =>
  Authority.within(a, b) && Authority.within(b, a)
