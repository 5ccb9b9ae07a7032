/**
 * The parameters of a tool whose schema is elsewhere.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * Whatever object a model gives, shown as another schema has it: that one is for the model, and is trusted for nothing.
 *
 * @since 0.1.0
 * @category schemas
 */
export const anyObject = (shown: Readonly<Record<string, unknown>>) =>
  Schema.Struct({}, { key: Schema.String, value: Schema.Unknown }).annotations({ jsonSchema: shown })
