/** A server on loopback, and a network whose names and addresses lead to it, whatever they say. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net"
import { Effect, Schema, type Scope, Stream } from "effect"
import { Network } from "../../../src/capabilities/network/Network.js"
import type { NetworkError } from "../../../src/capabilities/network/NetworkOperations.js"
import { scoped } from "../../../src/capabilities/network/ScopedNetwork.js"
import type { Endpoint } from "../../../src/layers/node/network/Connector.js"
import * as NodeNetwork from "../../../src/layers/node/network/NodeNetwork.js"
import { type Holder, holder } from "../../../src/policy/gate/Asking.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import type { Denial } from "../../../src/policy/lattice/Denial.js"

export interface Served {
  readonly port: number
  readonly url: string
  /** The sockets that are open now. */
  readonly open: ReadonlySet<Socket>
  /** How many connections there were. */
  readonly connections: () => number
  /** When all of them are closed. */
  readonly drained: Effect.Effect<void>
}

/** Server and sockets are gone with the scope. */
export const serve = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.async<Served & { readonly server: Server }>((resume) => {
      const open = new Set<Socket>()
      let count = 0
      const server = createServer({ maxHeaderSize: 1 << 20 }, listener)
      server.on("connection", (socket) => {
        count++
        open.add(socket)
        socket.on("error", () => {})
        socket.once("close", () => {
          open.delete(socket)
          if (open.size === 0) server.emit("drained")
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(
          Effect.succeed({
            server,
            port,
            url: `http://127.0.0.1:${port}`,
            open,
            connections: () => count,
            drained: Effect.async<void>((done) => {
              if (open.size === 0) done(Effect.void)
              else server.once("drained", () => done(Effect.void))
            })
          })
        )
      })
    }),
    ({ open, server }) =>
      Effect.async<void>((done) => {
        server.close(() => done(Effect.void))
        for (const socket of open) socket.destroy()
      })
  )

/** The port of a server that does with connections what it likes. */
export const serveTcp = (onSocket: (socket: Socket) => void) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
        const server = createTcpServer((socket) => onSocket(socket.on("error", () => {})))
        server.listen(0, "127.0.0.1", () =>
          resume(
            Effect.succeed({ port: (server.address() as AddressInfo).port, close: () => void server.close() })
          )
        )
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ port }) => port
  )

export const authority = (encoded: Authority.Encoded): Authority.Authority =>
  Schema.decodeSync(Authority.FromJson)(encoded)

/** Every method for these hosts, and these private endpoints. */
export const reach = (
  hosts: ReadonlyArray<string>,
  endpoints: ReadonlyArray<string> = []
): Authority.Authority =>
  authority({
    network: { get: hosts, post: hosts, put: hosts, delete: hosts },
    private: { connect: endpoints }
  })

/** What a tool that holds an authority gets of a backend. */
export const toolOf = (
  backend: Effect.Effect.Success<ReturnType<typeof NodeNetwork.make>>,
  given: Pick<Holder, "authority"> & Partial<Holder>
): Network.Operations => scoped(holder({ tool: "t", session: "s", ...given }), backend)

/** One tool over a backend of its own. */
export const network = (
  held: Authority.Authority,
  options: NodeNetwork.Options = {},
  given: Partial<Holder> = {}
): Effect.Effect<Network.Operations, never, Scope.Scope> =>
  Effect.map(NodeNetwork.make(options), (backend) => toolOf(backend, { authority: held, ...given }))

/** What is heard of refusals. */
export const ear = () => {
  const heard: Array<Denial> = []
  const observe: Holder["observe"] = (decision) => {
    if (!decision.allowed) heard.push(decision.denial)
  }
  return { heard, observe }
}

/** One tool that may do everything with one server. */
export const networkTo = ({ port }: Served, options: NodeNetwork.Options = {}) =>
  network(reach(["127.0.0.1"], [`127.0.0.1:${port}`]), options)

/** Connections go to a loopback port, and where they were meant to go is kept. */
export const recorder = (port = 0) => {
  const asked: Array<Endpoint> = []
  const dial: NonNullable<NodeNetwork.Options["connect"]> = (endpoint) =>
    Effect.async((resume) => {
      asked.push(endpoint)
      if (port === 0) return resume(Effect.fail({ code: "ENOTDIALLED" }))
      const socket = connect({ host: "127.0.0.1", port })
      socket.once("connect", () => resume(Effect.succeed(socket)))
      socket.once("error", (error) => resume(Effect.fail(error)))
    })
  return { asked, connect: dial }
}

/** A resolver that knows these names, and says how often it was asked. */
export const names = (known: Readonly<Record<string, string | ReadonlyArray<string>>>) => {
  const asked: Array<string> = []
  return {
    asked,
    resolve: (host: string) =>
      Effect.suspend(() => {
        asked.push(host)
        const found = known[host]
        return found === undefined
          ? Effect.fail({ code: "ENOTFOUND" })
          : Effect.succeed(
              [found].flat().map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
            )
      })
  }
}

export const get = (
  net: Network.Operations,
  url: string,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Network.Response, NetworkError> => net.request({ method: "GET", url, headers })

/** The body of a good answer as it comes. */
export const flow = (net: Network.Operations, url: string): Stream.Stream<Uint8Array, NetworkError> =>
  Stream.provideService(Network.stream(url), Network, Network.make(net))

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

export const bytes = (written: string): Uint8Array => new TextEncoder().encode(written)

export const bodyOf = (message: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    message.on("data", (chunk: Buffer) => chunks.push(chunk))
    message.on("end", () => resolve(Buffer.concat(chunks).toString()))
  })
