/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { Agents } from "../capabilities/Agents.js"
import type { Authority } from "../policy/Authority.js"
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

/**
 * Agents in memory that obey an authority over who may be created, changed, deleted and granted to.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  authority: Authority,
  agents: ReadonlyArray<Agents.MockAgent>
): Layer.Layer<Agents.Everything> =>
  Agents.layer(() => Scoped.scoped(holder({ authority }), Agents.memory(agents)))
