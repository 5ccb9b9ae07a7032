/**
 * A connection whose destination is known and whose bytes are not ours: after CONNECT, and behind a door. Its first bytes
 * say what it is. TLS is passed on once the name in its hello was compared; HTTP is asked about request by request;
 * nothing else is passed on.
 */
import type { Socket } from "node:net"
import { Effect, Either } from "effect"
import { isAddress } from "../../../../policy/lattice/Host.js"
import { refused as heard } from "../../../http/HttpFailures.js"
import { read } from "./clientHello.js"
import { ofFailure, tunnel } from "./decisions.js"
import { type Desk, taken, vetted, type Way } from "./office.js"
import { authorityOf, type Destination } from "./targets.js"

export interface Tunnel {
  readonly socket: Socket
  readonly destination: Destination
  /** Where it may go, if that was asked before. */
  readonly way: Way | undefined
  /** Who goes on where it turns out to be HTTP; the bytes are back in the socket. */
  readonly onHttp: () => void
}

const TLS = 0x16

/** Fatal alerts, in words that every client of TLS has: access_denied and internal_error. */
const ALERTS = { denied: 49, failed: 80 }

const alert = (socket: Socket, kind: keyof typeof ALERTS): void => {
  socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, ALERTS[kind]]))
}

/** In a way that a client of TLS can tell its user, and in words for whoever reads how the command ran. */
const refuse = (desk: Desk, socket: Socket, kind: keyof typeof ALERTS, text: string): void => {
  desk.note(text)
  alert(socket, kind)
}

const refused = (destination: Destination, why: string): string =>
  `a connection to ${authorityOf(destination)} was refused, because ${why}`

const isLetter = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a

/** Both ways, each as fast as its reader, until both have ended or one is gone. */
const join = ({ budget }: Desk, a: Socket, b: Socket): void => {
  for (const [from, to] of [
    [a, b],
    [b, a]
  ] as const) {
    from.on("data", (chunk: Buffer) => {
      if (budget.spend(chunk.length) && !to.write(chunk)) from.pause()
    })
    to.on("drain", () => from.resume())
    // The end is told of once, and maybe before anybody listened.
    if (from.readableEnded) to.end()
    else from.once("end", () => to.end())
    from.once("close", () => to.destroy())
  }
}

const passOn = (desk: Desk, { socket }: Tunnel, way: Way, hello: Buffer): void => {
  desk.run(
    Effect.match(taken(way, desk), {
      onFailure: (error) => refuse(desk, socket, "failed", ofFailure(error).text),
      onSuccess: (server) => {
        if (socket.destroyed) return void server.destroy()
        server.setTimeout(desk.office.times.idle, () => server.destroy())
        if (!desk.budget.spend(hello.length)) return
        server.write(hello)
        join(desk, socket, server)
        socket.resume()
      }
    })
  )
}

/** Where it was allowed before, it is heard that it did not come about. */
const deny = (desk: Desk, { destination, socket }: Tunnel, way: Way | undefined, why: string): void => {
  const text = refused(destination, why)
  if (way !== undefined) heard(way.proof, "HOST_NOT_ALLOWED", text, REMEDY)
  refuse(desk, socket, "denied", text)
}

const REMEDY = "have the client connect to the host that it asks for"

const secured = (desk: Desk, given: Tunnel, way: Way, hello: Buffer, name: string): void => {
  const { host } = way.proof.request
  // A hello for a name has that name, and one for an address has none.
  const wanted = isAddress(host) ? "" : host
  if (name === wanted) return void passOn(desk, given, way, hello)
  const found = name === "" ? "no name at all" : name
  const why = `its TLS hello asks for ${found}; ${REMEDY}`
  deny(desk, given, way, why)
}

/** Asks where nobody has asked yet: behind a door. */
const permitted = (desk: Desk, given: Tunnel, next: (way: Way) => void): void => {
  if (given.way !== undefined) return void next(given.way)
  const asked = tunnel(desk.proof, authorityOf(given.destination))
  if (Either.isLeft(asked)) return void refuse(desk, given.socket, "denied", asked.left.text)
  desk.run(
    Effect.match(vetted(asked.right, desk), {
      onFailure: (error) => {
        const { status, text } = ofFailure(error)
        refuse(desk, given.socket, status === 403 ? "denied" : "failed", text)
      },
      onSuccess: next
    })
  )
}

/** Looks at the first bytes, as many as it takes, and no longer than it may take. */
export const enter = (desk: Desk, given: Tunnel, first: Buffer): void => {
  const { destination, onHttp, socket } = given
  let chunks: Array<Buffer> = []
  let length = 0
  let needed = 1
  const done = () => {
    clearTimeout(timer)
    socket.off("data", hear).off("end", leave)
    socket.pause()
  }
  /** Who ends without having said what it is for. */
  const leave = () => void socket.destroy()
  const give = (why: string) => {
    done()
    desk.note(refused(destination, why))
    socket.destroy()
  }
  const timer = setTimeout(
    () => give("it said nothing for too long; only HTTP and TLS are passed on"),
    desk.office.times.hello
  )
  const hear = (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length < needed) return
    const bytes = Buffer.concat(chunks)
    chunks = [bytes]
    const start = bytes[0] ?? 0
    if (isLetter(start)) {
      done()
      socket.unshift(bytes)
      return onHttp()
    }
    if (start !== TLS) return give("it is neither HTTP nor TLS; nothing else is passed on")
    const found = read(bytes)
    if (found._tag === "More") {
      needed = found.bytes
    } else if (found._tag === "Refused") {
      done()
      deny(desk, given, given.way, found.why)
    } else {
      done()
      permitted(desk, given, (way) => secured(desk, given, way, bytes, found.name))
    }
  }
  socket.once("close", () => clearTimeout(timer))
  socket.on("data", hear).once("end", leave)
  if (first.length > 0) hear(first)
}
