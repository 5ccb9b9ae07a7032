/**
 * Messages of JSON-RPC 2.0 as MCP has them: requests, notifications and answers, one at a time and never in batches.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export type RequestId = string | number

/**
 * @since 0.1.0
 * @category models
 */
export interface Request {
  readonly jsonrpc: "2.0"
  readonly id: RequestId
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Notification {
  readonly jsonrpc: "2.0"
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/**
 * What came of a request. `id` is `null` where the request could not even be read.
 *
 * @since 0.1.0
 * @category models
 */
export type Answer =
  | { readonly jsonrpc: "2.0"; readonly id: RequestId; readonly result: object }
  | {
      readonly jsonrpc: "2.0"
      readonly id: RequestId | null
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown }
    }

/**
 * @since 0.1.0
 * @category models
 */
export type Message = Request | Notification | Answer

/**
 * The revisions of the protocol that are spoken, newest first.
 *
 * @since 0.1.0
 * @category models
 */
export const revisions = ["2025-11-25", "2025-06-18"] as const

/**
 * @since 0.1.0
 * @category models
 */
export type Revision = (typeof revisions)[number]

/**
 * The codes of JSON-RPC, that of MCP for a resource that is not there, and one of ours for a request that is one too many.
 *
 * @since 0.1.0
 * @category models
 */
export const codes = {
  unreadable: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  noSuchResource: -32002,
  busy: -32000
} as const
