/** A provider of models on loopback: it keeps what it is sent, and answers the same each time. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Schema } from "effect"

/** What a request says of its tools; whatever else they hold is kept. */
const Body = Schema.parseJson(
  Schema.Struct({
    tools: Schema.optional(Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })))
  })
)

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly tools: (typeof Body.Type)["tools"]
}

export interface Stub {
  readonly url: string
  readonly received: ReadonlyArray<Received>
}

const listening = (server: Server) =>
  Effect.async<number>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
  })

const closed = (server: Server) =>
  Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

export const stub = (reply: unknown) =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const { tools } = Schema.decodeUnknownSync(Body)(Buffer.concat(chunks).toString("utf8"))
        received.push({ path: request.url ?? "", headers: request.headers, tools })
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply))
      })
    })
    const port = yield* Effect.acquireRelease(listening(server), () => closed(server))
    const made: Stub = { url: `http://127.0.0.1:${port}`, received }
    return made
  })
