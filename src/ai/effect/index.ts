/**
 * `@effect/ai` both ways: what a turn offers as a toolkit whose calls go through `registry.execute`, and tools of
 * `@effect/ai` as tools with a declaration.
 *
 * @since 0.1.0
 */

export { batch } from "./Batch.js"
export { type OptionsOf, options } from "./Options.js"
export { merge, toolkit } from "./Toolkit.js"
export type { AiToolOf, ToolsOf, WrittenSchema } from "./ToolsOf.js"
