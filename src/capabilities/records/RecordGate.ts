/** The gate of records and agents, and what both read out of the texts that a backend keeps. */
import { Effect, Either } from "effect"
import type { Holder } from "../../policy/gate/Asking.js"
import * as Gate from "../../policy/gate/Gate.js"
import type { Denial } from "../../policy/lattice/Denial.js"
import { holding } from "../../policy/lattice/Remedy.js"
import type { ScopeInvalid } from "../../policy/lattice/ScopeInvalid.js"
import { fromValue, isMapping } from "../../policy/record/Data.js"
import * as RecordText from "../../policy/record/RecordText.js"
import type { Problem } from "../../policy/text/Problem.js"
import type { RecordsBackend } from "./RecordsBackend.js"
import { type RecordEntry, RecordsError } from "./RecordsOperations.js"

export type RecordGate = Gate.Gate<RecordsError>

const own = ["AGENT_NOT_REACHABLE", "SELF_MODIFICATION", "EXCEEDS_GRANTOR_AUTHORITY"] as const

const denied = (denial: Denial): RecordsError =>
  new RecordsError({
    code: own.find((code) => code === denial.code) ?? "RECORD_NOT_REACHABLE",
    detail: denial.detail,
    denial
  })

const malformed = ({ detail }: ScopeInvalid): RecordsError =>
  new RecordsError({ code: "RECORD_INVALID", detail })

export const recordGate = (holder: Holder, backend: RecordsBackend.Service): RecordGate =>
  Gate.make(holder, backend, { denied, malformed })

/** Why nothing can be found: who may read no record at all is told so, and not that there are none. */
export const noneToRead = ({ authority, mentioned }: Holder): Denial | undefined =>
  authority.scopes.records.read.isEmpty
    ? {
        reason: mentioned.has("records.read") ? "scope_violation" : "capability_absent",
        code: "RECORD_NOT_REACHABLE",
        detail: "read not permitted for any record",
        capability: "records.read",
        asked: "records.read",
        held: [],
        ...holding("records.read", {})
      }
    : undefined

export const invalid = ({ detail, remedy }: Pick<Problem, "detail" | "remedy">): RecordsError =>
  new RecordsError({ code: "RECORD_INVALID", detail: `${detail}; ${remedy}` })

export const notFound = (id: string): RecordsError =>
  new RecordsError({ code: "RECORD_NOT_FOUND", detail: `there is no record ${id}` })

/** Of a front matter, the keys that another has. */
export const onlyOf = (
  frontMatter: Readonly<Record<string, unknown>>,
  written: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(frontMatter).filter(([key]) => Object.hasOwn(written, key)))

/** A record as tools see it. */
export const entryOf = (
  stored: RecordsBackend.Stored
): Effect.Effect<typeof RecordEntry.Type, RecordsError> =>
  Either.match(RecordText.read(stored.text), {
    onLeft: (wrong) => Effect.fail(invalid(wrong)),
    onRight: ({ body, class: name, frontMatter }) =>
      Effect.succeed({
        id: stored.id,
        ...(name === RecordText.UNCLASSED ? {} : { class: name }),
        frontMatter: { ...frontMatter },
        body,
        revision: stored.revision
      })
  })

const unwritable = () =>
  new RecordsError({
    code: "RECORD_INVALID",
    detail: "the front matter holds what cannot be written down; use strings, numbers, lists and mappings"
  })

/** A copy that holds what will be written, and nothing that answers otherwise when it is asked again. */
export const plain = (
  frontMatter: Readonly<Record<string, unknown>>
): Either.Either<Readonly<Record<string, unknown>>, RecordsError> =>
  Either.filterOrLeft(
    Either.try({ try: () => fromValue(frontMatter), catch: unwritable }),
    isMapping,
    unwritable
  )

/** The text with a change made to it; what the change does not name stays as it is, byte for byte. */
export const changed = (
  text: string,
  { body, frontMatter }: { readonly frontMatter?: Readonly<Record<string, unknown>>; readonly body?: string }
): Either.Either<string, RecordsError> =>
  Either.mapLeft(
    Either.flatMap(
      frontMatter === undefined ? Either.right(text) : RecordText.merge(text, frontMatter),
      (merged) => (body === undefined ? Either.right(merged) : RecordText.withBody(merged, body))
    ),
    invalid
  )

/** The text of a new record; values that no record can hold are an error, and not a crash. */
export const composed = (
  frontMatter: Readonly<Record<string, unknown>>,
  body: string
): Either.Either<string, RecordsError> =>
  Either.try({
    try: () => RecordText.compose(frontMatter, body),
    catch: unwritable
  })
