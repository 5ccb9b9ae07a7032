/** A server on loopback that keeps what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
}

export interface Served {
  readonly url: string
  readonly endpoint: string
  readonly asked: Array<Asked>
}

export const served = (
  answer: (asked: Asked, response: ServerResponse) => unknown
): Effect.Effect<Served, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<Served & { readonly close: Effect.Effect<void> }>((resume) => {
        const asked: Array<Asked> = []
        const server = createServer((request, response) => {
          const one = { method: request.method ?? "", url: request.url ?? "", headers: request.headers }
          asked.push(one)
          request.resume()
          answer(one, response)
        })
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          resume(
            Effect.succeed({
              url: `http://127.0.0.1:${port}`,
              endpoint: `127.0.0.1:${port}`,
              asked,
              close: Effect.async<void>((done) => {
                server.close(() => done(Effect.void))
                server.closeAllConnections()
              })
            })
          )
        })
      }),
      ({ close }) => close
    ),
    ({ asked, endpoint, url }) => ({ asked, endpoint, url })
  )

/** A body that is given bit by bit. */
export const inPieces = (response: ServerResponse, body: Uint8Array, piece = 64 * 1024): void => {
  let at = 0
  const more = () => {
    while (at < body.length) {
      const next = body.subarray(at, at + piece)
      at += piece
      if (!response.write(next)) {
        response.once("drain", more)
        return
      }
    }
    response.end()
  }
  more()
}
