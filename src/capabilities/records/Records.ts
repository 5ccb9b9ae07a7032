/**
 * The records of a workspace, Markdown with front matter, by the verbs a tool declares.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Layer, Schema } from "effect"
import { recordClass } from "../../policy/lattice/dimensions/Name.js"
import { declared, oneOf } from "../declared.js"
import { complete } from "../doubles.js"
import type { NotLiteral } from "../Literals.js"
import { access, layerOf } from "../phantom.js"
import { made } from "../Remote.js"
import type { MissingKey, UnknownKey } from "../spelling.js"
import * as MemoryRecords from "./MemoryRecords.js"
import {
  RecordChange,
  RecordDraft,
  RecordEntry,
  RecordFilter,
  RecordSearch,
  RecordSummary,
  RecordsError,
  type RecordsOperations
} from "./RecordsOperations.js"

/**
 * @since 0.1.0
 * @category schemas
 */
const RecordsVerb = oneOf("read", "create", "update", "delete")

/**
 * A class of records a tool declares.
 *
 * @since 0.1.0
 * @category schemas
 */
const RecordClass = declared("RecordClass", recordClass.parse)

/**
 * The `records` of a declaration.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RecordsDeclaration = Schema.Struct({
  verbs: Schema.Array(RecordsVerb),
  classes: Schema.optionalWith(Schema.Array(RecordClass), { exact: true })
}).annotations({ parseOptions: { onExcessProperty: "error" } })

/**
 * @since 0.1.0
 * @category symbols
 */
const RecordsVerbTypeId: unique symbol = Symbol.for("bailiwick/RecordsVerb")

/**
 * @since 0.1.0
 */
export declare namespace Records {
  /**
   * @since 0.1.0
   * @category models
   */
  export type Search = typeof RecordSearch.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Filter = typeof RecordFilter.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Draft = typeof RecordDraft.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Change = typeof RecordChange.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type VerbName = typeof RecordsVerb.Type

  /**
   * The requirement "may do V to records".
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Verb<out V extends string> {
    readonly [RecordsVerbTypeId]: V
  }

  /**
   * The requirement that a declared verb supplies.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Declared<D extends string> = string extends D
    ? Verb<string> | NotLiteral
    : D extends unknown
      ? Verb<D>
      : never

  /**
   * The requirements that a declaration supplies, or the sentences that say what is wrong with it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Supplied<D> = keyof D extends "verbs" | "classes"
    ? D extends { readonly verbs: ReadonlyArray<infer V extends string> }
      ? Records | Declared<V>
      : MissingKey<"records", D, "verbs">
    : UnknownKey<"records", D, "verbs" | "classes", "verbs, classes"> | Known<D>

  type Known<D> = D extends { readonly verbs: unknown } ? Supplied<Pick<D, "verbs">> : never

  /**
   * Everything that the category can be asked for. A mock supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Everything = Records | Verb<string>

  /**
   * @since 0.1.0
   * @category models
   */
  export type Entry = typeof RecordEntry.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Summary = typeof RecordSummary.Type

  /**
   * The operations over plain data, as a backend implements them.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Operations extends RecordsOperations {}

  /**
   * `links` and `backlinks` answer with the ids of other records.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly get: (id: string) => Effect.Effect<Entry, RecordsError, Verb<"read">>
    readonly search: (
      search: typeof RecordSearch.Type
    ) => Effect.Effect<ReadonlyArray<Summary>, RecordsError, Verb<"read">>
    readonly list: (
      filter?: typeof RecordFilter.Type
    ) => Effect.Effect<ReadonlyArray<Summary>, RecordsError, Verb<"read">>
    readonly links: (id: string) => Effect.Effect<ReadonlyArray<string>, RecordsError, Verb<"read">>
    readonly backlinks: (id: string) => Effect.Effect<ReadonlyArray<string>, RecordsError, Verb<"read">>
    readonly create: (draft: typeof RecordDraft.Type) => Effect.Effect<Entry, RecordsError, Verb<"create">>
    readonly update: (change: typeof RecordChange.Type) => Effect.Effect<Entry, RecordsError, Verb<"update">>
    readonly delete: (id: string) => Effect.Effect<void, RecordsError, Verb<"delete">>
  }
}

const ById = Schema.Struct({ id: Schema.String })

/**
 * @since 0.1.0
 * @category tags
 */
export class Records extends Context.Tag("bailiwick/Records")<Records, Records.Service>() {
  /** Schemas of the declaration, and of what goes in and out of the operations. */
  static readonly schemas = {
    Declaration: RecordsDeclaration,
    Verb: RecordsVerb,
    Class: RecordClass,
    Entry: RecordEntry,
    Summary: RecordSummary,
    Search: RecordSearch,
    Filter: RecordFilter,
    Draft: RecordDraft,
    Change: RecordChange
  } as const

  /** The operations as data, for a service on the far side of a process boundary. */
  static readonly operations = {
    get: { payload: ById, success: RecordEntry, failure: RecordsError },
    search: { payload: RecordSearch, success: Schema.Array(RecordSummary), failure: RecordsError },
    list: { payload: RecordFilter, success: Schema.Array(RecordSummary), failure: RecordsError },
    links: { payload: ById, success: Schema.Array(Schema.String), failure: RecordsError },
    backlinks: { payload: ById, success: Schema.Array(Schema.String), failure: RecordsError },
    create: { payload: RecordDraft, success: RecordEntry, failure: RecordsError },
    update: { payload: RecordChange, success: RecordEntry, failure: RecordsError },
    delete: { payload: ById, success: Schema.Void, failure: RecordsError }
  } as const

  /** Makes the service from its operations. */
  static make(operations: Records.Operations): Records.Service {
    const service: Records.Service = {
      get: (id) => operations.get({ id }),
      search: operations.search,
      list: (filter = {}) => operations.list(filter),
      links: (id) => operations.links({ id }),
      backlinks: (id) => operations.backlinks({ id }),
      create: operations.create,
      update: operations.update,
      delete: (id) => operations.delete({ id })
    }
    return made(service, operations)
  }

  /**
   * Reads one record: its class, front matter, body and revision. `records.verbs` must hold `read`. Fails with
   * `RECORD_NOT_FOUND` when there is none, and with `RECORD_NOT_REACHABLE` when it is not permitted. Where a tool may
   * read only some classes, both cases get the same answer.
   *
   * @example
   * ```ts
   * import { Records } from "bailiwick"
   *
   * export const note = Records.get("notes/today")
   * ```
   */
  static readonly get: Records.Service["get"] = (id) => access(Records, (records) => records.get(id))

  /**
   * Finds records that hold all words of a query, the best first: 20 of them, or `limit`. `records.verbs` must hold
   * `read`. Records that may not be read are left out. Fails with `RECORD_NOT_REACHABLE` when none may be read.
   *
   * @example
   * ```ts
   * import { Records } from "bailiwick"
   *
   * export const found = Records.search({ query: "dairy open", class: "note", limit: 5 })
   * ```
   */
  static readonly search: Records.Service["search"] = (search) =>
    access(Records, (records) => records.search(search))

  /**
   * Lists the records of a class, or with a tag, or all of them, by id. It needs `read` and fails as `search` does.
   *
   * @example
   * ```ts
   * import { Records } from "bailiwick"
   *
   * export const tasks = Records.list({ class: "task", tag: "today" })
   * ```
   */
  static readonly list: Records.Service["list"] = (filter) =>
    access(Records, (records) => records.list(filter))

  /**
   * Lists the ids of the records that one links to. It needs `read` and fails as `get` does.
   *
   * @example
   * ```ts
   * import { Records } from "bailiwick"
   *
   * export const targets = Records.links("notes/today")
   * ```
   */
  static readonly links: Records.Service["links"] = (id) => access(Records, (records) => records.links(id))

  /**
   * Lists the ids of the records that link to one. It needs `read` and fails as `get` does.
   *
   * @example
   * ```ts
   * import { Records } from "bailiwick"
   *
   * export const sources = Records.backlinks("notes/today")
   * ```
   */
  static readonly backlinks: Records.Service["backlinks"] = (id) =>
    access(Records, (records) => records.backlinks(id))

  /**
   * Writes a new record, and answers with it. `records.verbs` must hold `create`. Fails with `RECORD_EXISTS` when the
   * id is taken, `RECORD_NOT_REACHABLE` when its class or path is not permitted, and `RECORD_INVALID` when it cannot
   * be kept.
   *
   * @example
   * ```ts
   * import { Records } from "bailiwick"
   *
   * export const note = Records.create({ id: "notes/milk", class: "note", frontMatter: { title: "Buy milk" } })
   * ```
   */
  static readonly create: Records.Service["create"] = (draft) =>
    access(Records, (records) => records.create(draft))

  /**
   * Changes a record, and answers with it. A body that is left out stays as it is; the keys of `frontMatter` are
   * merged, and `null` removes one. `records.verbs` must hold `update`. With a `revision`, a write in between fails
   * with `RECORD_CHANGED`.
   *
   * @example
   * ```ts
   * import { Records } from "bailiwick"
   * import { Effect } from "effect"
   *
   * export const done = Effect.flatMap(Records.get("tasks/milk"), ({ id, revision }) =>
   *   Records.update({ id, revision, frontMatter: { done: true } })
   * )
   * ```
   */
  static readonly update: Records.Service["update"] = (change) =>
    access(Records, (records) => records.update(change))

  /**
   * Deletes a record; on disk it moves to `.trash/`. `records.verbs` must hold `delete`. It fails as `get` does.
   *
   * @example
   * ```ts
   * import { Records } from "bailiwick"
   *
   * export const gone = Records.delete("notes/milk")
   * ```
   */
  static readonly delete: Records.Service["delete"] = (id) => access(Records, (records) => records.delete(id))

  /** A layer of the service over these operations. It supplies everything that the category can be asked for. */
  static layer(operations: () => Records.Operations): Layer.Layer<Records.Everything> {
    return layerOf<Records.Everything>()(Records, () => Records.make(operations()))
  }

  /** A test double that keeps the given records in memory. It reads their links from their bodies. */
  static mock(records: ReadonlyArray<typeof RecordDraft.Type> = []): Layer.Layer<Records.Everything> {
    return Records.layer(() => Records.memory(records))
  }

  /** The operations of the mock. */
  static memory(records: ReadonlyArray<typeof RecordDraft.Type>): Records.Operations {
    return MemoryRecords.operations(records)
  }

  /** A test double made of a part of the service. A method that is missing dies when it is called, and names itself. */
  static layerTest(service: Partial<Records.Service>): Layer.Layer<Records.Everything> {
    return layerOf<Records.Everything>()(Records, () =>
      complete(
        "Records",
        {
          get: "effect",
          search: "effect",
          list: "effect",
          links: "effect",
          backlinks: "effect",
          create: "effect",
          update: "effect",
          delete: "effect"
        },
        service
      )
    )
  }
}
