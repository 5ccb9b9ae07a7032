/**
 * The answer to a request: allowed, with the scope that allowed it, or refused, with what would allow it.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Denial } from "./Denial.js"

/**
 * @since 0.1.0
 * @category schemas
 */
export const Allowed = Schema.Struct({
  allowed: Schema.Literal(true),
  capability: Schema.String,
  scope: Schema.String
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const Refused = Schema.Struct({ allowed: Schema.Literal(false), denial: Denial })

/**
 * @since 0.1.0
 * @category schemas
 */
export const Decision = Schema.Union(Allowed, Refused)

/**
 * @since 0.1.0
 * @category models
 */
export type Decision = typeof Decision.Type
