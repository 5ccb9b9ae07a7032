/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { type RecordDraft, Records } from "../capabilities/Records.js"
import * as MemoryRecords from "../layers/MemoryRecords.js"
import type { Authority } from "../policy/Authority.js"
import { compose } from "../policy/internal/recordText.js"
import { holder } from "../policy/Proof.js"
import * as Scoped from "../registry/scoped/ScopedRecords.js"
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

const kept = ({ body = "", class: name, frontMatter = {}, id }: Drafts[number]) => ({
  id,
  text: compose(name === undefined ? frontMatter : { ...frontMatter, class: name }, body)
})

/**
 * Records in memory that obey an authority.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (authority: Authority, drafts: Drafts): Layer.Layer<Records.Everything> =>
  Records.layer(() => Scoped.scoped(holder({ authority }), MemoryRecords.make(drafts.map(kept))))
