/**
 * MCP: what a turn offers, served to whoever speaks the protocol; and servers of others, held.
 *
 * @since 0.1.0
 */

export { Answering, Unanswered } from "../registry/inquiry/Answering.js"
export * as Elicitation from "../registry/inquiry/Elicitation.js"
export * as Sampling from "../registry/inquiry/Sampling.js"
export { GatewayError } from "./gateway/GatewayError.js"
export { McpGateway } from "./gateway/McpGateway.js"
export * as PinnedTool from "./gateway/PinnedTool.js"
export * as McpHttp from "./http/McpHttp.js"
export * as McpServer from "./server/McpServer.js"
