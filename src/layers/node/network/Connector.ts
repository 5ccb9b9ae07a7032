/**
 * Connections to vetted addresses. The name of a host travels in SNI and in the Host header, and is not looked up.
 *
 * @since 0.1.0
 */
import { connect as connectTcp, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { Effect } from "effect"
import type { NetworkError } from "../../../capabilities/network/NetworkOperations.js"
import type { Http } from "../../../policy/lattice/Request.js"
import { codeOf, exceeded, failed, peerOf } from "../../http/HttpFailures.js"
import type { Vetted } from "../../http/Judging.js"

/**
 * Where a connection goes: `address` is what was vetted for `host`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Endpoint {
  readonly host: string
  readonly address: string
  readonly family: number
  readonly port: number
}

/**
 * Opens the TCP connection that a request goes over; TLS is put on top of it.
 *
 * @since 0.1.0
 * @category models
 */
export type Connect = (endpoint: Endpoint) => Effect.Effect<Socket, unknown>

/**
 * Who closes the sockets that are being opened when nobody waits for them any more.
 *
 * @since 0.1.0
 * @category models
 */
export interface Custody {
  readonly hold: (socket: Socket) => void
  readonly drop: () => void
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Dialling {
  readonly connect: Connect | undefined
  /** For each address, in milliseconds. */
  readonly connectTime: number
}

interface Secured extends Dialling {
  readonly trusted: ReadonlyArray<string> | undefined
}

const opened = (socket: Socket, event: "connect" | "secureConnect"): Effect.Effect<Socket, unknown> =>
  Effect.async((resume) => {
    socket.once(event, () => resume(Effect.succeed(socket)))
    socket.once("error", (error) => resume(Effect.fail(error)))
    socket.once("close", () => resume(Effect.fail({ code: "ECONNRESET" })))
  })

const held = (custody: Custody, socket: Socket): Socket => {
  custody.hold(socket)
  // A connection that nobody uses yet may fail all the same.
  return socket.on("error", () => {})
}

const tcp = ({ address, family, port }: Endpoint, custody: Custody): Effect.Effect<Socket, unknown> =>
  Effect.suspend(() =>
    opened(
      held(custody, connectTcp({ host: address, family, port, autoSelectFamily: false, noDelay: true })),
      "connect"
    )
  )

const tls = (
  under: Socket,
  { host }: Endpoint,
  { trusted }: Secured,
  custody: Custody
): Effect.Effect<Socket, unknown> =>
  Effect.suspend(() => {
    const name = host.replace(/^\[|\]$/g, "")
    const socket = connectTls({
      socket: under,
      host: name,
      ...(isIP(name) === 0 ? { servername: name } : {}),
      ...(trusted === undefined ? {} : { ca: [...trusted] }),
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: true
    })
    return opened(held(custody, socket), "secureConnect")
  })

type OnTop = (under: Socket, endpoint: Endpoint) => Effect.Effect<Socket, unknown>

const toAddress = (
  request: Http,
  address: string,
  { connect, connectTime }: Dialling,
  custody: Custody,
  onTop: OnTop | undefined
): Effect.Effect<Socket, NetworkError> => {
  const endpoint: Endpoint = { host: request.host, address, family: isIP(address), port: request.port }
  const under =
    connect === undefined
      ? tcp(endpoint, custody)
      : Effect.map(
          Effect.suspend(() => connect(endpoint)),
          (socket) => held(custody, socket)
        )
  const whole = onTop === undefined ? under : Effect.flatMap(under, (socket) => onTop(socket, endpoint))
  return whole.pipe(
    Effect.mapError((error) =>
      failed(
        `no connection to ${peerOf(request)} (${codeOf(error)}); see that the server is there, then try again`
      )
    ),
    Effect.timeoutFail({
      duration: connectTime,
      onTimeout: () =>
        exceeded(`no connection to ${peerOf(request)} in time; try again, or raise connectTime`)
    }),
    Effect.tapErrorCause(() => Effect.sync(() => custody.drop()))
  )
}

const toFirst = (
  request: Http,
  { addresses }: Vetted,
  dialling: Dialling,
  custody: Custody,
  onTop?: OnTop
): Effect.Effect<Socket, NetworkError> => {
  const [first = "", ...others] = addresses
  return others.reduce(
    (before, address) => Effect.orElse(before, () => toAddress(request, address, dialling, custody, onTop)),
    toAddress(request, first, dialling, custody, onTop)
  )
}

/**
 * To the first of the addresses that answers, without TLS: for whoever speaks it already.
 *
 * @since 0.1.0
 * @category connecting
 */
export const dialBare = (
  request: Http,
  vetted: Vetted,
  dialling: Dialling,
  custody: Custody
): Effect.Effect<Socket, NetworkError> => toFirst(request, vetted, dialling, custody)

/**
 * The same, with TLS where the request is for https.
 *
 * @since 0.1.0
 * @category connecting
 */
export const dial = (
  request: Http,
  vetted: Vetted,
  dialling: Secured,
  custody: Custody
): Effect.Effect<Socket, NetworkError> =>
  request.url.startsWith("https:")
    ? toFirst(request, vetted, dialling, custody, (under, endpoint) =>
        tls(under, endpoint, dialling, custody)
      )
    : toFirst(request, vetted, dialling, custody)
