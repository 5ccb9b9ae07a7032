/**
 * Records in the memory of this process, gone with it.
 *
 * @since 0.1.0
 */
import { Effect, Either, Layer } from "effect"
import { RecordsBackend } from "../capabilities/backends/RecordsBackend.js"
import type { RecordsError } from "../capabilities/Records.js"
import type { Places } from "../policy/AgentRecord.js"
import { read } from "../policy/internal/recordText.js"
import { parsed } from "./records/Ids.js"
import { Index } from "./records/Index.js"
import { exists, missing } from "./records/Refusals.js"
import { type Store, service } from "./records/Service.js"

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
  for (const { id, text } of records) write(Either.getOrThrow(parsed(id)), text)
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
  service(store(records), agents)

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  records: ReadonlyArray<Record> = [],
  agents: Places = {}
): Layer.Layer<RecordsBackend> => Layer.sync(RecordsBackend, () => make(records, agents))
