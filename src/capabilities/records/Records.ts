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
export const RecordsVerb = oneOf("read", "create", "update", "delete")

/**
 * A class of records a tool declares.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RecordClass = declared("RecordClass", recordClass.parse)

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
export const RecordsVerbTypeId: unique symbol = Symbol.for("bailiwick/RecordsVerb")

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
   * What a declared verb supplies.
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
   * What a declaration supplies, or the sentences that say what is wrong with it.
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
   * All that the category can be asked for; a mock supplies it.
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
   * The operations themselves, over plain data, as a backend writes them.
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
  /** What a tool declares, and what goes in and out of the operations, as schemas. */
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

  static make(operations: Records.Operations): Records.Service {
    return {
      get: (id) => operations.get({ id }),
      search: operations.search,
      list: (filter = {}) => operations.list(filter),
      links: (id) => operations.links({ id }),
      backlinks: (id) => operations.backlinks({ id }),
      create: operations.create,
      update: operations.update,
      delete: (id) => operations.delete({ id })
    }
  }

  /** One record. */
  static readonly get: Records.Service["get"] = (id) => access(Records, (records) => records.get(id))

  /** Records whose text holds the words of a query. */
  static readonly search: Records.Service["search"] = (search) =>
    access(Records, (records) => records.search(search))

  /** Records of a class, or with a tag, or all. */
  static readonly list: Records.Service["list"] = (filter) =>
    access(Records, (records) => records.list(filter))

  /** The records one links to. */
  static readonly links: Records.Service["links"] = (id) => access(Records, (records) => records.links(id))

  /** The records that link to one. */
  static readonly backlinks: Records.Service["backlinks"] = (id) =>
    access(Records, (records) => records.backlinks(id))

  /** Writes a new record. */
  static readonly create: Records.Service["create"] = (draft) =>
    access(Records, (records) => records.create(draft))

  /** Changes a record. */
  static readonly update: Records.Service["update"] = (change) =>
    access(Records, (records) => records.update(change))

  /** Deletes a record. */
  static readonly delete: Records.Service["delete"] = (id) => access(Records, (records) => records.delete(id))

  /** The service of these operations, made with the layer; it supplies whatever the category can be asked for. */
  static layer(operations: () => Records.Operations): Layer.Layer<Records.Everything> {
    return layerOf<Records.Everything>()(Records, () => Records.make(operations()))
  }

  /** A test double that keeps the given records in memory; what they link to is read from their bodies. */
  static mock(records: ReadonlyArray<typeof RecordDraft.Type> = []): Layer.Layer<Records.Everything> {
    return Records.layer(() => Records.memory(records))
  }

  /** The operations of the mock. */
  static memory(records: ReadonlyArray<typeof RecordDraft.Type>): Records.Operations {
    return MemoryRecords.operations(records)
  }

  /** A test double from a part of the service; what is missing dies when it is called. */
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
