/**
 * A connection whose destination is known and whose bytes are not ours: after CONNECT, and behind a door. Its first bytes
 * say what it is. TLS is passed on once the name in its hello was compared; HTTP is asked about request by request;
 * nothing else is passed on.
 */
import type { Socket } from "node:net"
import { Effect, Either } from "effect"
import { isAddress } from "../../../../policy/lattice/Host.js"
import { read } from "./clientHello.js"
import { tunnel } from "./decisions.js"
import { type Desk, taken, vetted, type Way } from "./office.js"
import { type Refused, refusal, type Unheard } from "./refused.js"
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
const refuse = ({ refusals }: Desk, socket: Socket, refused: Refused): void => {
  refusals.hear(refused)
  alert(socket, refused.status === 502 ? "failed" : "denied")
}

/** What was refused of a connection to somewhere. */
const ofConnection = (
  destination: Destination,
  code: Unheard["code"],
  why: string,
  remedy: string
): Refused => {
  const authority = authorityOf(destination)
  const detail = `a connection to ${authority} was refused, because ${why}`
  return refusal(403, { code, detail, asked: `connect ${authority}`, remedy })
}

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
      onFailure: (refused) => refuse(desk, socket, refused),
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

const secured = (desk: Desk, given: Tunnel, way: Way, hello: Buffer, name: string): void => {
  const { host } = way.proof.request
  // A hello for a name has that name, and one for an address has none.
  const wanted = isAddress(host) ? "" : host
  if (name === wanted) return void passOn(desk, given, way, hello)
  const why = `its TLS hello asks for ${name === "" ? "no name at all" : name}`
  const refused = ofConnection(
    given.destination,
    "HOST_NOT_ALLOWED",
    why,
    "have the client connect to the host that it asks for"
  )
  refuse(desk, given.socket, refused)
}

/** Asks where nobody has asked yet: behind a door. */
const permitted = (desk: Desk, given: Tunnel, next: (way: Way) => void): void => {
  if (given.way !== undefined) return void next(given.way)
  const asked = tunnel(desk.refusals, authorityOf(given.destination))
  if (Either.isLeft(asked)) return void refuse(desk, given.socket, asked.left)
  desk.run(
    Effect.match(vetted(asked.right, desk), {
      onFailure: (refused) => refuse(desk, given.socket, refused),
      onSuccess: next
    })
  )
}

const ONLY = "have the client speak HTTP or TLS, and speak first: nothing else is passed on"

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
  const give = (why: string, remedy: string) => {
    done()
    desk.refusals.hear(ofConnection(destination, "REQUEST_INVALID", why, remedy))
    socket.destroy()
  }
  const timer = setTimeout(() => give("it said nothing for too long", ONLY), desk.office.times.hello)
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
    if (start !== TLS) return give("it is neither HTTP nor TLS", ONLY)
    const found = read(bytes)
    if (found._tag === "More") {
      needed = found.bytes
    } else if (found._tag === "Refused") {
      done()
      refuse(desk, socket, ofConnection(destination, "HOST_NOT_ALLOWED", found.why, found.remedy))
    } else {
      done()
      permitted(desk, given, (way) => secured(desk, given, way, bytes, found.name))
    }
  }
  socket.once("close", () => clearTimeout(timer))
  socket.on("data", hear).once("end", leave)
  if (first.length > 0) hear(first)
}
