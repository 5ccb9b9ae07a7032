/**
 * A tool of a server, as an operator has accepted it: menus are made of this, and no server is started for one. A server
 * whose tool differs from what is pinned has that tool withheld.
 *
 * @since 0.1.0
 */
import { ordered } from "../../policy/text/OrderedJson.js"
import { sha256 } from "../../policy/text/Sha256.js"

/**
 * A JSON Schema, as a server wrote it.
 *
 * @since 0.1.0
 * @category models
 */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * All of it is a stranger's: bounded when it was read from the server, and trusted for nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface PinnedTool {
  /** As the server says it. */
  readonly name: string
  readonly title?: string | undefined
  readonly description: string
  readonly parameters: JsonSchema
  readonly output?: JsonSchema | undefined
  /** The hints of the server: what it says of itself. */
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

/**
 * Tells one tool from another in every part of it: two with one digest are the same tool.
 *
 * @since 0.1.0
 * @category deciding
 */
export const digestOf = (tool: PinnedTool): string => {
  const { description, destructive, idempotent, name, openWorld, output, parameters, readOnly, title } = tool
  return sha256(
    JSON.stringify([
      name,
      title ?? null,
      description,
      ordered(parameters),
      output === undefined ? null : ordered(output),
      readOnly,
      destructive,
      idempotent,
      openWorld
    ])
  )
}
