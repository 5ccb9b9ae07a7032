/**
 * Headers that are about a connection, and not about what is asked on it.
 *
 * @since 0.1.0
 */

const NAMES: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "http2-settings"
])

/**
 * Whether a header, by its name in lower case, is of whoever keeps the connection.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isOfConnection = (name: string): boolean => NAMES.has(name) || name.startsWith("proxy-")

/**
 * Whether it is of whoever sends, which also says where a request goes and how long it is.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isOfSender = (name: string): boolean =>
  name === "host" || name === "content-length" || isOfConnection(name)
