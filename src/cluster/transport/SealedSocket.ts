/** Sockets of `@effect/platform` over TCP, sealed with the key of the cluster. */
import * as Net from "node:net"
import * as Socket from "@effect/platform/Socket"
import * as SocketServer from "@effect/platform/SocketServer"
import { Deferred, Effect, FiberSet, type Scope } from "effect"
import type { Keyring } from "../wire/Keys.js"
import { Ends, NotAuthentic, type Side } from "./Frames.js"

/** How long the other end may take to show that it has the key. */
const PATIENCE = 10_000

const generic = (reason: "Open" | "Read" | "Write", cause: unknown): Socket.SocketGenericError =>
  new Socket.SocketGenericError({ reason, cause })

const closed = (code: number): Socket.SocketCloseError =>
  new Socket.SocketCloseError({ reason: "Close", code })

const encoder = new TextEncoder()

interface Current {
  readonly conn: Net.Socket
  readonly ends: Ends
}

/** How many may be about that have not shown it yet. The next one takes the place of the first. */
const STRANGERS = 128

/** Who is told of a connection that was not one of the cluster. */
export type Refused = (from: string) => Effect.Effect<void>

/** What a server hears of its connections. */
interface Door {
  readonly refused: Refused
  readonly met: (conn: Net.Socket) => void
}

const unwatched: Door = { refused: () => Effect.void, met: () => {} }

const nameOf = (conn: Net.Socket): string => conn.remoteAddress ?? "an unknown address"

/** A socket that opens a connection each time it is run. */
const socketOf = (
  connect: Effect.Effect<Net.Socket, Socket.SocketError, Scope.Scope>,
  side: Side,
  keys: Keyring,
  { met, refused }: Door = unwatched
): Socket.Socket => {
  let current: Current | undefined
  const latch = Effect.unsafeMakeLatch(false)

  const run = <R, E, _>(
    // biome-ignore lint/suspicious/noConfusingVoidType: that is how a socket of the platform is written
    handler: (bytes: Uint8Array) => Effect.Effect<_, E, R> | void,
    options?: { readonly onOpen?: Effect.Effect<void> | undefined }
  ): Effect.Effect<void, Socket.SocketError | E, R> =>
    Effect.scoped(
      Effect.gen(function* () {
        const fibers = yield* FiberSet.make<unknown, E | Socket.SocketError>()
        const fork = yield* FiberSet.runtime(fibers)<R>()
        const opened = yield* Deferred.make<void>()
        const conn = yield* connect
        const end = (error?: Socket.SocketError) =>
          Deferred.unsafeDone(fibers.deferred, error === undefined ? Effect.void : Effect.fail(error))
        const onData = (chunk: Uint8Array): void => {
          try {
            for (const body of ends.take(chunk)) {
              const result = handler(body)
              if (Effect.isEffect(result)) fork(result)
            }
          } catch (error) {
            conn.destroy()
            fork(
              Effect.ignore(
                error instanceof NotAuthentic ? refused(nameOf(conn)) : Effect.void
              ) as Effect.Effect<void>
            )
            end(generic("Read", error))
            return
          }
          if (!ends.isOpen) return
          met(conn)
          Deferred.unsafeDone(opened, Effect.void)
        }
        const onEnd = () => end(closed(1000))
        const onError = (cause: Error) => end(generic("Read", cause))
        const onClose = () => end(closed(1006))
        const ends = new Ends(side, keys, (bytes) => void conn.write(bytes))
        conn.on("end", onEnd).on("error", onError).on("close", onClose).on("data", onData)
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            current = undefined
            latch.unsafeClose()
            conn.off("end", onEnd).off("close", onClose).off("data", onData)
          })
        )
        yield* Effect.raceFirst(
          Effect.timeoutFail(Deferred.await(opened), {
            duration: PATIENCE,
            onTimeout: () => generic("Open", new Error("the other end has not shown that it has the key"))
          }),
          Effect.zipRight(FiberSet.join(fibers), Effect.fail(closed(1006)))
        )
        current = { conn, ends }
        latch.unsafeOpen()
        if (options?.onOpen !== undefined) yield* options.onOpen
        yield* FiberSet.join(fibers)
      })
    ).pipe(Effect.interruptible) as Effect.Effect<void, Socket.SocketError | E, R>

  const write = (chunk: Uint8Array | string | Socket.CloseEvent): Effect.Effect<void, Socket.SocketError> =>
    latch.whenOpen(
      Effect.async<void, Socket.SocketError>((resume) => {
        if (current === undefined) return resume(Effect.fail(closed(1006)))
        const { conn, ends } = current
        if (Socket.isCloseEvent(chunk)) {
          conn.destroy()
          return resume(Effect.void)
        }
        try {
          conn.write(ends.seal(typeof chunk === "string" ? encoder.encode(chunk) : chunk), (cause) =>
            resume(cause == null ? Effect.void : Effect.fail(generic("Write", cause)))
          )
        } catch (cause) {
          resume(Effect.fail(generic("Write", cause)))
        }
      })
    )

  const writer = Effect.acquireRelease(Effect.succeed(write), () =>
    Effect.sync(() => {
      if (current !== undefined && !current.conn.writableEnded) current.conn.end()
    })
  )
  return Socket.Socket.of({ [Socket.TypeId]: Socket.TypeId, run, runRaw: run, writer })
}

const silent = () => {}

/** Ends a connection when its scope does; whatever fails after that is nobody's. */
const releasing = (conn: Net.Socket): Effect.Effect<void> =>
  Effect.sync(() => {
    conn.on("error", silent)
    conn.destroySoon()
  })

export const connecting = (
  { host, port }: { readonly host: string; readonly port: number },
  keys: Keyring
): Socket.Socket =>
  socketOf(
    Effect.tap(
      Effect.async<Net.Socket, Socket.SocketError>((resume) => {
        const conn = Net.createConnection({ host, port, noDelay: true })
        const failed = (cause: Error) => resume(Effect.fail(generic("Open", cause)))
        conn.once("error", failed)
        conn.once("connect", () => {
          conn.off("error", failed)
          resume(Effect.succeed(conn))
        })
        return Effect.sync(() => void conn.on("error", silent).destroy())
      }),
      (conn) => Effect.addFinalizer(() => releasing(conn))
    ),
    "client",
    keys
  )

export interface Listening {
  readonly host: string
  readonly port: number
  readonly keys: Keyring
  readonly refused: Refused
}

/** Listens until the scope closes. */
export const listening = ({
  host,
  keys,
  port,
  refused
}: Listening): Effect.Effect<
  SocketServer.SocketServer["Type"],
  SocketServer.SocketServerError,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const waiting: Array<Net.Socket> = []
    let connected = (conn: Net.Socket): void => void waiting.push(conn)
    const strangers = new Set<Net.Socket>()
    const door: Door = { refused, met: (conn) => void strangers.delete(conn) }
    const server = Net.createServer({ noDelay: true }, (conn) => {
      conn.on("error", silent).once("close", () => strangers.delete(conn))
      strangers.add(conn)
      const [first] = strangers
      if (first !== undefined && strangers.size > STRANGERS) {
        strangers.delete(first)
        first.destroy()
      }
      connected(conn)
    })
    yield* Effect.acquireRelease(
      Effect.async<void, SocketServer.SocketServerError>((resume) => {
        server.once("error", (cause) =>
          resume(Effect.fail(new SocketServer.SocketServerError({ reason: "Open", cause })))
        )
        server.listen({ host, port }, () => resume(Effect.void))
      }),
      () => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
    )
    const run = <R, E, _>(
      handler: (socket: Socket.Socket) => Effect.Effect<_, E, R>
    ): Effect.Effect<never, SocketServer.SocketServerError, R> =>
      Effect.scoped(
        Effect.gen(function* () {
          const fibers = yield* FiberSet.make<unknown, unknown>()
          const fork = yield* FiberSet.runtime(fibers)<R>()
          const before = connected
          connected = (conn) => {
            const own = Effect.acquireRelease(Effect.succeed(conn), releasing)
            // A connection that ends, however it does, is no matter of the others.
            fork(
              Effect.ignore(
                Effect.catchAllCause(handler(socketOf(own, "server", keys, door)), () => Effect.void)
              )
            )
          }
          yield* Effect.addFinalizer(() =>
            Effect.sync(() => {
              connected = before
            })
          )
          for (const conn of waiting.splice(0)) connected(conn)
          return yield* Effect.never
        })
      )
    const bound = server.address()
    const { address, port: taken } =
      typeof bound === "object" && bound !== null ? bound : { address: host, port }
    return SocketServer.SocketServer.of({
      // Everywhere has more than one spelling.
      address: { _tag: "TcpAddress", hostname: /^[0:.]+$/.test(address) ? address : host, port: taken },
      run
    })
  })
