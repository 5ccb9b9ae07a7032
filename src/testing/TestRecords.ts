/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import * as MemoryRecords from "../capabilities/records/MemoryRecords.js"
import { Records } from "../capabilities/records/Records.js"
import type { RecordDraft } from "../capabilities/records/RecordsOperations.js"
import * as Scoped from "../capabilities/records/ScopedRecords.js"
import { holder } from "../policy/gate/Asking.js"
import type { Authority } from "../policy/lattice/Authority.js"
import { type Recording, record } from "./Recording.js"

type Drafts = ReadonlyArray<typeof RecordDraft.Type>

/**
 * Records in memory that keep each call. Nothing is checked.
 *
 * @example
 * ```ts
 * import { TestRecords } from "bailiwick/testing"
 *
 * export const { calls, layer } = TestRecords.recording([{ id: "notes/milk", class: "note", body: "Buy milk" }])
 * ```
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (drafts: Drafts = []): Recording<Records.Everything> =>
  record(Records.memory(drafts), (operations) => Records.layer(() => operations))

/**
 * Records in memory that obey an authority.
 *
 * @example
 * ```ts
 * import { Authority } from "bailiwick"
 * import { TestRecords } from "bailiwick/testing"
 * import { Schema } from "effect"
 *
 * const authority = Schema.decodeSync(Authority.FromJson)({ records: { read: [{ class: "note", path: "**" }] } })
 * export const records = TestRecords.layerMemory(authority, [{ id: "notes/milk", class: "note", body: "Buy milk" }])
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (authority: Authority, drafts: Drafts): Layer.Layer<Records.Everything> =>
  Records.layer(() =>
    Scoped.scoped(holder({ authority }), MemoryRecords.make(drafts.map(MemoryRecords.kept)))
  )
