/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { Agents } from "../capabilities/agents/Agents.js"
import * as Scoped from "../capabilities/agents/ScopedAgents.js"
import * as MemoryRecords from "../capabilities/records/MemoryRecords.js"
import { holder } from "../policy/gate/Asking.js"
import type { Authority } from "../policy/lattice/Authority.js"
import { compose } from "../policy/record/RecordText.js"
import { type Recording, record } from "./Recording.js"

/**
 * Agents in memory that keep each call. Nothing is checked.
 *
 * @example
 * ```ts
 * import { TestAgents } from "bailiwick/testing"
 *
 * export const { calls, layer } = TestAgents.recording([{ id: "agents/scout" }])
 * ```
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
 * Agents in memory that obey an authority. It says which agents a tool may create, change, delete and grant to, and
 * bounds what the tool may pass on.
 *
 * @example
 * ```ts
 * import { Authority } from "bailiwick"
 * import { TestAgents } from "bailiwick/testing"
 * import { Schema } from "effect"
 *
 * const authority = Schema.decodeSync(Authority.FromJson)({
 *   agents: { grant: ["agents/*"] },
 *   network: { get: ["*.github.com"] }
 * })
 * export const agents = TestAgents.layerMemory(authority, [{ id: "agents/scout", grants: ["records.read"] }])
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  authority: Authority,
  agents: ReadonlyArray<Agents.MockAgent>
): Layer.Layer<Agents.Everything> =>
  Agents.layer(() => Scoped.scoped(holder({ authority }), MemoryRecords.make(agents.map(kept))))
