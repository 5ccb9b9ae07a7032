/**
 * Descriptor 3 of a worker. At first it is read and written as a file: what Node has for sockets takes longer to load than a
 * worker takes to start. One that is used again and again reads it as the socket that it is, which is quicker then.
 */
import { FrameGathering, type Message, written } from "../protocol/Frames.js"

type Net = Pick<typeof import("node:net"), "Socket">

type Fs = Pick<typeof import("node:fs"), "read" | "writevSync">

const PIECE = 256 * 1024

/** What carries messages between a worker and its host. */
export interface Wire {
  readonly send: (message: Message) => void
  /** Hears whatever comes, until nobody is at the other end. */
  readonly read: (hear: (piece: Buffer) => void, ended: () => void) => void
}

export class Channel implements Wire {
  private readonly buffer = Buffer.allocUnsafeSlow(PIECE)
  private readonly gathering = new FrameGathering((pieces) => this.write(pieces))

  private socket: InstanceType<Net["Socket"]> | undefined

  constructor(
    private readonly fs: Fs,
    private readonly net: () => Net,
    private readonly descriptor: number
  ) {}

  /** Messages of one moment go together. Throws `Malformed` for what cannot be carried. */
  readonly send: (message: Message) => void = this.gathering.send

  /** It waits where the host is slow: nothing is kept here that nobody has read. */
  private write(pieces: ReadonlyArray<Uint8Array>): void {
    if (this.socket !== undefined) {
      this.socket.cork()
      for (const piece of pieces) this.socket.write(piece)
      this.socket.uncork()
      return
    }
    let rest: ReadonlyArray<Uint8Array> = pieces.filter(({ length }) => length > 0)
    while (rest.length > 0) {
      const now = rest.slice(0, MOST)
      let done = this.fs.writevSync(this.descriptor, now)
      const left: Array<Uint8Array> = []
      for (const piece of now) {
        if (done >= piece.length) done -= piece.length
        else {
          left.push(piece.subarray(done))
          done = 0
        }
      }
      rest = [...left, ...rest.slice(MOST)]
    }
  }

  /** Hears whatever comes, until nobody is at the other end. */
  read(hear: (piece: Buffer) => void, ended: () => void): void {
    const { buffer, descriptor, fs } = this
    const next = (left: number) =>
      fs.read(descriptor, buffer, 0, buffer.length, null, (error, count) => {
        if (error !== null || count === 0) {
          ended()
          return
        }
        // A copy: what is not a whole frame yet is kept.
        hear(Buffer.from(buffer.subarray(0, count)))
        if (left > 0) next(left - 1)
        else this.listen(hear, ended)
      })
    next(FEW)
  }

  /** A read that waits keeps a process that exits from its end: the host is told, and ends it. */
  exiting(code: number): void {
    if (this.socket !== undefined) return
    try {
      this.write(written({ t: "exit", id: 0, value: code }))
    } catch {
      // Nobody is at the other end.
    }
  }

  private listen(hear: (piece: Buffer) => void, ended: () => void): void {
    const { Socket } = this.net()
    const socket = new Socket({ fd: this.descriptor, readable: true, writable: true })
    socket.on("data", hear)
    socket.on("close", ended)
    socket.on("error", ended)
    this.socket = socket
  }
}

/** How often it is read before it is worth more. */
const FEW = 8

/** As many pieces as the system takes at once. */
const MOST = 512
