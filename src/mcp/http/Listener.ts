/**
 * A server of HTTP at an address, within limits and for as long as it is wanted.
 *
 * @since 0.1.0
 */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Schema } from "effect"
import { type HttpLimits, millis } from "./Limits.js"

/**
 * @since 0.1.0
 * @category errors
 */
export class HttpError extends Schema.TaggedError<HttpError>("bailiwick/McpHttpError")("McpHttpError", {
  reason: Schema.Literal("taken", "unusable"),
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : error.name)

/** `0` takes a port that is free. */
export const listening = (
  server: Server,
  host: string,
  port: number
): Effect.Effect<AddressInfo, HttpError> =>
  Effect.async((resume) => {
    const failed = (error: Error): void =>
      resume(
        Effect.fail(
          codeOf(error) === "EADDRINUSE"
            ? new HttpError({
                reason: "taken",
                detail: `another program listens on port ${port} of ${host}; name another, or 0 for one that is free`
              })
            : new HttpError({
                reason: "unusable",
                detail: `nobody can listen on port ${port} of ${host} (${codeOf(error)}); name another`
              })
        )
      )
    server.once("error", failed)
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", failed).on("error", () => {})
      resume(Effect.succeed(server.address() as AddressInfo))
    })
  })

/** No port is listened on any more, and no connection is left. */
export const closing = (server: Server): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    // What was just said is on its way.
    setImmediate(() => server.closeAllConnections())
  })

const STATUS = new Map([
  ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout"],
  ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large"]
])

/** Who sends too much, or too slowly, is told so, and his connection ends. */
export const boundedServer = ({
  connections,
  headerBytes,
  request
}: Pick<HttpLimits, "connections" | "headerBytes" | "request">): Server => {
  const server = createServer({
    maxHeaderSize: headerBytes,
    requestTimeout: millis(request),
    headersTimeout: millis(request),
    connectionsCheckingInterval: Math.max(10, Math.min(5000, millis(request) / 2))
  })
  server.maxConnections = connections
  server.on("clientError", (error, socket) => {
    if (socket.writable) {
      socket.end(`HTTP/1.1 ${STATUS.get(codeOf(error)) ?? "400 Bad Request"}\r\nConnection: close\r\n\r\n`)
    } else socket.destroy()
  })
  return server
}
