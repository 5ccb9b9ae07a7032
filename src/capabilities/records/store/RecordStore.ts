/** The backend of records over anything that keeps texts by ids: what a store must not decide for itself is here. */
import { Effect, Either } from "effect"
import type { Places } from "../../../policy/agent/AgentRecord.js"
import { RecordsBackend } from "../RecordsBackend.js"
import type { RecordSearch, RecordsError } from "../RecordsOperations.js"
import { differenceOf } from "./difference.js"
import { parsed } from "./Ids.js"
import { forReading, forWriting, type Permitted } from "./permits.js"
import { type Index, summaryOf } from "./RecordIndex.js"
import { invalid, missing, refused } from "./Refusals.js"
import { found, offered, type RevisionOf, type Version } from "./Texts.js"
import { wordsOf } from "./tokens.js"

/** The texts that were last given out, to be able to say what has changed since. */

const ENTRIES = 512
const CHARACTERS = 4 * 1024 * 1024

class Recent {
  private readonly texts = new Map<string, string>()
  private characters = 0

  private forget(key: string): void {
    this.characters -= this.texts.get(key)?.length ?? 0
    this.texts.delete(key)
  }

  remember(id: string, revision: string, text: string): void {
    const key = `${revision} ${id}`
    this.forget(key)
    this.texts.set(key, text)
    this.characters += text.length
    for (const oldest of this.texts.keys()) {
      if (this.texts.size <= ENTRIES && this.characters <= CHARACTERS) return
      this.forget(oldest)
    }
  }

  get(id: string, revision: string): string | undefined {
    return this.texts.get(`${revision} ${id}`)
  }
}

/** Whether what is there is what was permitted. */
export type Look = (current: string) => Either.Either<unknown, RecordsError>

export interface Store {
  readonly read: (id: string) => Effect.Effect<string, RecordsError>
  /** Never takes the place of a text that is there. */
  readonly create: (id: string, text: string) => Effect.Effect<void, RecordsError>
  /** Has what is there looked at, and puts the given text in its place, with no other writer in between. */
  readonly replace: (id: string, text: string, look: Look) => Effect.Effect<void, RecordsError>
  readonly remove: (id: string, look: Look) => Effect.Effect<void, RecordsError>
  /** All that is there at the moment it is asked for, or later. */
  readonly index: Effect.Effect<Index, RecordsError>
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1000
const MAX_QUERY = 1000

const AGAIN = "read it again, and make the change anew"

const ofAnotherClass = (id: string): RecordsError =>
  refused("RECORD_CHANGED", `${id} is of another class than the one that was permitted; read it again`)

const isOf = (version: Version, { class: kind, id }: Permitted): Either.Either<Version, RecordsError> =>
  version.record.class === kind ? Either.right(version) : Either.left(ofAnotherClass(id))

const stored = (id: string, { record, revision, text }: Version): RecordsBackend.Stored => ({
  id,
  class: record.class,
  revision,
  text
})

const asked = ({ limit = DEFAULT_LIMIT, query }: typeof RecordSearch.Type) =>
  Effect.suspend(() => {
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      return Effect.fail(invalid(`the limit of a search is a whole number from 1 to ${MAX_LIMIT}`))
    }
    if (query.length > MAX_QUERY) {
      return Effect.fail(invalid(`a query is at most ${MAX_QUERY} characters long; search for fewer words`))
    }
    const words = wordsOf(query)
    return words.length === 0
      ? Effect.fail(invalid("the query holds no word; write what to search for, or list the records"))
      : Effect.succeed({ limit, words })
  })

export const service = (store: Store, agents: Places, revisionOf: RevisionOf): RecordsBackend.Service => {
  const recent = new Recent()

  /** The text that a permit is about must be of the class that the permit names. */
  const offeredAs = (text: string, { class: kind, id }: Permitted): Effect.Effect<Version, RecordsError> =>
    Effect.filterOrFail(
      offered(id, text, revisionOf),
      ({ record }) => record.class === kind,
      () => invalid(`the text of ${id} is of another class than the one that was permitted`)
    )

  const look = (id: string, text: string): Effect.Effect<Version, RecordsError> =>
    Effect.tap(found(id, text, revisionOf), ({ revision }) => recent.remember(id, revision, text))

  const current = (id: string) => Effect.flatMap(store.read(id), (text) => look(id, text))

  const changed = (id: string, since: string, { record, revision }: Version): RecordsError => {
    const what = differenceOf(recent.get(id, since), record)
    const now = `it is at revision ${revision} by now`
    return refused("RECORD_CHANGED", `${id} was changed${what === "" ? "" : ` (${what})`}: ${now}; ${AGAIN}`)
  }

  const kept = (id: string, version: Version): RecordsBackend.Stored => {
    recent.remember(id, version.revision, version.text)
    return stored(id, version)
  }

  /** The index, once it is certain that it holds the record of a permit. */
  const around = (permit: RecordsBackend.Permit) =>
    Effect.gen(function* () {
      const permitted = yield* forReading(permit)
      const index = yield* store.index
      const known = index.get(permitted.id)
      if (known === undefined) {
        // What is left out of the index says itself why.
        yield* current(permitted.id)
        return yield* missing(permitted.id)
      }
      if (known.class !== permitted.class) return yield* ofAnotherClass(permitted.id)
      return { index, id: permitted.id }
    })

  return RecordsBackend.guarded({
    agents,
    head: (given) =>
      Effect.gen(function* () {
        const id = yield* parsed(given)
        const { record, revision } = yield* current(id)
        return { id, class: record.class, revision }
      }),
    read: (permit) =>
      Effect.gen(function* () {
        const permitted = yield* forReading(permit)
        return stored(permitted.id, yield* isOf(yield* current(permitted.id), permitted))
      }),
    search: (search, visible) =>
      Effect.gen(function* () {
        const { limit, words } = yield* asked(search)
        const index = yield* store.index
        const { class: kind } = search
        const wanted = (known: { readonly id: string; readonly class: string }) =>
          (kind === undefined || known.class === kind) && visible({ id: known.id, class: known.class })
        return index.search(words, wanted, limit).map(summaryOf)
      }),
    list: ({ class: kind, tag }, visible) =>
      Effect.map(store.index, (index) =>
        index
          .list(
            (known) =>
              (kind === undefined || known.class === kind) &&
              (tag === undefined || known.tags.includes(tag)) &&
              visible({ id: known.id, class: known.class })
          )
          .map(summaryOf)
      ),
    links: (permit, visible) => Effect.map(around(permit), ({ id, index }) => index.links(id, visible)),
    backlinks: (permit, visible) =>
      Effect.map(around(permit), ({ id, index }) => index.backlinks(id, visible)),
    create: (permit, text) =>
      Effect.gen(function* () {
        const permitted = yield* forWriting(permit)
        const version = yield* offeredAs(text, permitted)
        yield* store.create(permitted.id, text)
        return kept(permitted.id, version)
      }),
    replace: ({ after, before }, { revision, seen = revision, text }) =>
      Effect.gen(function* () {
        const [from, to] = [yield* forWriting(before), yield* forWriting(after)]
        if (from.id !== to.id) return yield* invalid("the permits are about two records")
        const version = yield* offeredAs(text, to)
        yield* store.replace(to.id, text, (there) =>
          Either.flatMap(found(to.id, there, revisionOf), (now) =>
            now.revision !== seen
              ? Either.left(changed(to.id, seen, now))
              : now.revision === revision
                ? isOf(now, from)
                : Either.left(changed(to.id, revision, now))
          )
        )
        return kept(to.id, version)
      }),
    remove: (permit) =>
      Effect.gen(function* () {
        const permitted = yield* forWriting(permit)
        yield* store.remove(permitted.id, (there) =>
          Either.flatMap(found(permitted.id, there, revisionOf), (version) => isOf(version, permitted))
        )
      })
  })
}
