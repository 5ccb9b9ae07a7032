/**
 * What keeps records, as the texts of Markdown files. It decides nothing: what is agent and what is not, what front
 * matter means and who may touch it is settled before, and comes as a proof.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type * as AgentRecord from "../../policy/agent/AgentRecord.js"
import { guarded, type Proof } from "../../policy/gate/Proof.js"
import type { Scoped } from "../../policy/lattice/Request.js"
import type { RecordFilter, RecordSearch, RecordSummary, RecordsError } from "./RecordsOperations.js"

/**
 * @since 0.1.0
 */
export declare namespace RecordsBackend {
  /**
   * What a decision needs to know of a record, and nothing of what it says. One without a class is of class `record`.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Head {
    readonly id: string
    readonly class: string
    readonly revision: string
  }

  /**
   * The whole text of a record. `revision` is another after every change, whoever makes it.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Stored extends Head {
    readonly text: string
  }

  /**
   * That a record of an id and a class may be touched. The id is the dimension `path` of a request about records, and
   * the dimension `id` of one about agents, whose class is `agent`.
   *
   * @since 0.1.0
   * @category models
   */
  export type Permit = Proof<Scoped>

  /**
   * Whether a record may be shown; asked of every record that an answer would name.
   *
   * @since 0.1.0
   * @category models
   */
  export type Visible = (head: { readonly id: string; readonly class: string }) => boolean

  /**
   * A record whose class is not (or not any more) that of the permit fails with `RECORD_CHANGED`.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly head: (id: string) => Effect.Effect<Head, RecordsError>
    readonly read: (permit: Permit) => Effect.Effect<Stored, RecordsError>
    /** Full text, best first. What is not visible is neither counted nor felt. */
    readonly search: (
      search: typeof RecordSearch.Type,
      visible: Visible
    ) => Effect.Effect<ReadonlyArray<typeof RecordSummary.Type>, RecordsError>
    readonly list: (
      filter: typeof RecordFilter.Type,
      visible: Visible
    ) => Effect.Effect<ReadonlyArray<typeof RecordSummary.Type>, RecordsError>
    readonly links: (permit: Permit, visible: Visible) => Effect.Effect<ReadonlyArray<string>, RecordsError>
    readonly backlinks: (
      permit: Permit,
      visible: Visible
    ) => Effect.Effect<ReadonlyArray<string>, RecordsError>
    /** Fails with `RECORD_EXISTS` when there is one. */
    readonly create: (permit: Permit, text: string) => Effect.Effect<Stored, RecordsError>
    /**
     * Replaces the text of the revision that the new one was made from; when there is another by now, or when it is not
     * the one that the writer had `seen`, fails with `RECORD_CHANGED` and says what changed. The record may change its class: `permits` prove both, the one before and the one after.
     */
    readonly replace: (
      permits: { readonly before: Permit; readonly after: Permit },
      change: { readonly text: string; readonly revision: string; readonly seen?: string | undefined }
    ) => Effect.Effect<Stored, RecordsError>
    /** To the trash, from where only an operator brings it back. */
    readonly remove: (permit: Permit) => Effect.Effect<void, RecordsError>
    /** How the agents among the records are to be read. */
    readonly agents: AgentRecord.Places
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class RecordsBackend extends Context.Tag("bailiwick/RecordsBackend")<
  RecordsBackend,
  RecordsBackend.Service
>() {
  /** A backend that takes proofs which were made for itself, and nothing else: every implementation is one. */
  static guarded(service: RecordsBackend.Service): RecordsBackend.Service {
    return guarded(service, ["read", "links", "backlinks", "create", "replace", "remove"], ["search", "list"])
  }
}
