/**
 * What keeps agents.
 *
 * @since 0.1.0
 */
import { Context } from "effect"
import type { Agents } from "../Agents.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class AgentsBackend extends Context.Tag("bailiwick/AgentsBackend")<
  AgentsBackend,
  Agents.Operations
>() {}
