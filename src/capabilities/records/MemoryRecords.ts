/**
 * Records in the memory of this process, gone with it.
 *
 * @since 0.1.0
 */
import { Effect, Either, Layer } from "effect"
import type { Places } from "../../policy/agent/AgentRecord.js"
import { holder } from "../../policy/gate/Asking.js"
import { everything } from "../../policy/lattice/Authority.js"
import { compose, read } from "../../policy/record/RecordText.js"
import { digest } from "../../policy/text/Digest.js"
import { RecordsBackend } from "./RecordsBackend.js"
import type { RecordDraft, RecordsError, RecordsOperations } from "./RecordsOperations.js"
import { scoped } from "./ScopedRecords.js"
import { parsed } from "./store/Ids.js"
import { Index } from "./store/RecordIndex.js"
import { type Store, service } from "./store/RecordStore.js"
import { exists, missing } from "./store/Refusals.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Record {
  readonly id: string
  readonly text: string
}

const store = (records: ReadonlyArray<Record>): Store => {
  const texts = new Map<string, string>()
  const index = new Index()
  const write = (id: string, text: string): void => {
    texts.set(id, text)
    const record = read(text)
    // What cannot be read is left out of every answer about many.
    if (Either.isRight(record)) index.set(id, record.right)
    else index.delete(id)
  }
  for (const { id, text } of records)
    write(
      Either.getOrThrowWith(parsed(id), (problem) => problem),
      text
    )
  const find = (id: string): Either.Either<string, RecordsError> =>
    Either.fromNullable(texts.get(id), () => missing(id))
  return {
    read: (id) => Effect.suspend(() => find(id)),
    create: (id, text) =>
      Effect.suspend(() => (texts.has(id) ? Either.left(exists(id)) : Either.right(write(id, text)))),
    replace: (id, text, look) =>
      Effect.suspend(() => Either.map(Either.flatMap(find(id), look), () => write(id, text))),
    remove: (id, look) =>
      Effect.suspend(() =>
        Either.map(Either.flatMap(find(id), look), () => {
          texts.delete(id)
          index.delete(id)
        })
      ),
    index: Effect.sync(() => index)
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (records: ReadonlyArray<Record> = [], agents: Places = {}): RecordsBackend.Service =>
  service(store(records), agents, digest)

/**
 * A record as a test writes it, to be kept.
 *
 * @since 0.1.0
 * @category constructors
 */
export const kept = ({ body = "", class: name, frontMatter = {}, id }: typeof RecordDraft.Type): Record => ({
  id,
  text: compose(name === undefined ? frontMatter : { ...frontMatter, class: name }, body)
})

/**
 * What may be done to records where everything is permitted: the double behind `Records.mock`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const operations = (records: ReadonlyArray<typeof RecordDraft.Type>): RecordsOperations =>
  scoped(holder({ authority: everything }), make(records.map(kept)))

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  records: ReadonlyArray<Record> = [],
  agents: Places = {}
): Layer.Layer<RecordsBackend> => Layer.sync(RecordsBackend, () => make(records, agents))
