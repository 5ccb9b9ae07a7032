/**
 * Isolated tools: the same tool, unchanged, in a process of its own inside of the sandbox. What it touches is asked of the
 * host, where authority, proofs, transcript, scrubbing and backends stay.
 *
 * @since 0.1.0
 */
export { Described, digestOf } from "./host/Description.js"
export { IsolatedError } from "./host/IsolatedError.js"
export { defaults, type Limits } from "./host/Limits.js"
export { describe, type Options, type ToolsOf, toolkit, tools } from "./Toolkit.js"
