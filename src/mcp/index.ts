/**
 * MCP: what a turn offers, served to whoever speaks the protocol.
 *
 * @since 0.1.0
 */

export { GatewayError } from "./gateway/GatewayError.js"
export { McpGateway } from "./gateway/McpGateway.js"
export * as PinnedTool from "./gateway/PinnedTool.js"
export * as McpHttp from "./http/McpHttp.js"
export * as McpServer from "./server/McpServer.js"
