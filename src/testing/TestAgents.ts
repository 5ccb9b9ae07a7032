/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { Agents } from "../capabilities/agents/Agents.js"
import * as Scoped from "../capabilities/agents/ScopedAgents.js"
import * as MemoryRecords from "../capabilities/records/MemoryRecords.js"
import { holder } from "../policy/gate/Proof.js"
import type { Authority } from "../policy/lattice/Authority.js"
import { compose } from "../policy/record/RecordText.js"
import { type Recording, record } from "./Recording.js"

/**
 * Agents in memory, with a note of each call.
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (agents: ReadonlyArray<Agents.MockAgent> = []): Recording<Agents.Everything> =>
  record(Agents.memory(agents), (operations) => Agents.layer(() => operations))

const kept = ({ body = "", frontMatter = {}, grants, id }: Agents.MockAgent) => ({
  id,
  text: compose(
    { ...frontMatter, class: "agent", ...(grants === undefined ? {} : { capabilities: grants }) },
    body
  )
})

/**
 * Agents in memory that obey an authority over who may be created, changed, deleted and granted to, and what may be passed on.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  authority: Authority,
  agents: ReadonlyArray<Agents.MockAgent>
): Layer.Layer<Agents.Everything> =>
  Agents.layer(() => Scoped.scoped(holder({ authority }), MemoryRecords.make(agents.map(kept))))
