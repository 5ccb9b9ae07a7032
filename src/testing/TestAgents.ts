/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { Agents } from "../capabilities/Agents.js"
import * as MemoryRecords from "../layers/MemoryRecords.js"
import type { Authority } from "../policy/Authority.js"
import { compose } from "../policy/internal/recordText.js"
import { holder } from "../policy/Proof.js"
import * as Scoped from "../registry/scoped/ScopedAgents.js"
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
