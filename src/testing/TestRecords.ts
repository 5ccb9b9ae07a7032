/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import * as MemoryRecords from "../capabilities/records/MemoryRecords.js"
import { Records } from "../capabilities/records/Records.js"
import type { RecordDraft } from "../capabilities/records/RecordsOperations.js"
import * as Scoped from "../capabilities/records/ScopedRecords.js"
import { holder } from "../policy/gate/Proof.js"
import type { Authority } from "../policy/lattice/Authority.js"
import { type Recording, record } from "./Recording.js"

type Drafts = ReadonlyArray<typeof RecordDraft.Type>

/**
 * Records in memory, with a note of each call.
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (drafts: Drafts = []): Recording<Records.Everything> =>
  record(Records.memory(drafts), (operations) => Records.layer(() => operations))

/**
 * Records in memory that obey an authority.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (authority: Authority, drafts: Drafts): Layer.Layer<Records.Everything> =>
  Records.layer(() =>
    Scoped.scoped(holder({ authority }), MemoryRecords.make(drafts.map(MemoryRecords.kept)))
  )
