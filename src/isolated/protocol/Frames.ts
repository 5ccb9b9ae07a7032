/**
 * Frames on one duplex socket: `u32 length | u32 length of the head | head, as JSON | bytes`. Both sides are read the same
 * way, and neither is believed about how long a frame is.
 *
 * @since 0.1.0
 */
import type { Duplex } from "node:stream"
import { isPlain, load, Malformed, unload } from "./Carried.js"
import { hasMoreValues } from "./Sizes.js"

const LENGTHS = 8

/** Pieces of this length are kept as they are. */
const SMALL = 32 * 1024

/** How long a frame may be. A message of a tool that is longer ends its process. */
export const LONGEST_FRAME = 64 * 1024 * 1024

/**
 * What both sides say to one another: what it is, what it is about, and at most one value.
 *
 * @since 0.1.0
 * @category models
 */
export interface Message {
  readonly t: string
  readonly id: number
  readonly value?: unknown
  readonly [key: string]: unknown
}

/** Frames that wait to be written: their heads are text until then. */
interface Waiting {
  readonly text: string
  readonly bytes: ReadonlyArray<Uint8Array>
}

const NONE: ReadonlyArray<Uint8Array> = []

const waitingOf = (message: Message): Waiting => {
  if (isPlain(message.value)) return { text: JSON.stringify(message), bytes: NONE }
  const { bytes, specials, value } = load(message.value)
  const text = JSON.stringify(
    specials.length === 0 ? { ...message, value } : { ...message, value, x: specials }
  )
  return { text, bytes }
}

const sizeOf = (bytes: ReadonlyArray<Uint8Array>): number =>
  bytes.reduce((size, { length }) => size + length, 0)

/** Room enough for a text; what is long is counted. */
const roomOf = (text: string): number => (text.length < 4096 ? text.length * 3 : Buffer.byteLength(text))

/** As few pieces as there are: all heads between two that have bytes are one. */
const piecesOf = (frames: ReadonlyArray<Waiting>): ReadonlyArray<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  let room = 0
  for (const { text } of frames) room += LENGTHS + roomOf(text)
  let buffer = Buffer.allocUnsafe(room)
  let at = 0
  for (const { bytes, text } of frames) {
    const length = buffer.write(text, at + LENGTHS)
    buffer.writeUInt32LE(length + sizeOf(bytes), at)
    buffer.writeUInt32LE(length, at + 4)
    at += LENGTHS + length
    if (bytes.length === 0) continue
    pieces.push(buffer.subarray(0, at), ...bytes)
    buffer = buffer.subarray(at)
    at = 0
  }
  if (at > 0) pieces.push(buffer.subarray(0, at))
  return pieces
}

/**
 * Gathers frames, so that those of one moment are written together.
 *
 * @since 0.1.0
 * @category models
 */
export class FrameGathering {
  private frames: Array<Waiting> = []
  /** How long those are that were not written yet. */
  length = 0

  constructor(private readonly write: (pieces: ReadonlyArray<Uint8Array>) => void) {}

  /** Throws `Malformed` for what cannot be carried. */
  readonly send = (message: Message): void => {
    const frame = waitingOf(message)
    const length = frame.text.length + sizeOf(frame.bytes)
    if (length > LONGEST_FRAME) throw new Malformed("a message is too long")
    this.length += length
    if (this.frames.push(frame) === 1) process.nextTick(this.flush)
  }

  private readonly flush = (): void => {
    const { frames } = this
    this.frames = []
    this.length = 0
    this.write(piecesOf(frames))
  }
}

/**
 * A frame, in the pieces that it is written in.
 *
 * @since 0.1.0
 * @category conversions
 */
export const written = (message: Message): ReadonlyArray<Uint8Array> => piecesOf([waitingOf(message)])

const messageOf = (frame: Buffer, head: number): Message => {
  const read: unknown = JSON.parse(frame.toString("utf8", 0, head))
  if (typeof read !== "object" || read === null || Array.isArray(read))
    throw new Malformed("a message is none")
  const message = read as { t?: unknown; id?: unknown; value?: unknown; x?: unknown }
  const { id, t, x } = message
  if (typeof t !== "string" || typeof id !== "number" || !Number.isSafeInteger(id)) {
    throw new Malformed("a message is nameless")
  }
  if (x !== undefined) message.value = unload(message.value, x, frame.subarray(head))
  else if (frame.length > head) throw new Malformed("bytes are left")
  return message as Message
}

/**
 * Reads frames from pieces of any length.
 *
 * @since 0.1.0
 * @category models
 */
export class FrameReader {
  private parts: Array<Buffer> = []
  private have = 0
  private need = LENGTHS

  constructor(
    private readonly longest: number,
    private readonly hear: (message: Message, length: number) => void,
    /** How many values a message may have. */
    private readonly values = Number.POSITIVE_INFINITY
  ) {}

  /** Small pieces become one: a frame that comes byte by byte takes no more room than another. */
  private keep(piece: Buffer): void {
    let kept = piece
    for (let last = this.parts.at(-1); last !== undefined; last = this.parts.at(-1)) {
      if (kept.length >= SMALL || last.length > kept.length) break
      this.parts.pop()
      kept = Buffer.concat([last, kept])
    }
    this.parts.push(kept)
  }

  /** Throws `Malformed`, and what JSON throws. */
  push(piece: Buffer): void {
    this.keep(piece)
    this.have += piece.length
    while (this.have >= this.need) {
      const all = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts)
      this.parts = [all]
      const [length, head] = [all.readUInt32LE(0), all.readUInt32LE(4)]
      if (length > this.longest || head > length) throw new Malformed("a frame is too long")
      if (this.have < LENGTHS + length) {
        this.need = LENGTHS + length
        return
      }
      const rest = all.subarray(LENGTHS + length)
      this.parts = rest.length === 0 ? [] : [rest]
      this.have = rest.length
      this.need = LENGTHS
      const frame = all.subarray(LENGTHS, LENGTHS + length)
      if (hasMoreValues(frame.subarray(0, head), this.values))
        throw new Malformed("a message has too many values")
      this.hear(messageOf(frame, head), length)
    }
  }
}

/**
 * Writes frames to a socket.
 *
 * @since 0.1.0
 * @category models
 */
export class FrameWriter {
  private readonly gathering: FrameGathering

  constructor(private readonly socket: Duplex) {
    this.gathering = new FrameGathering((pieces) => {
      if (socket.destroyed) return
      if (pieces.length > 1) socket.cork()
      for (const piece of pieces) socket.write(piece)
      if (pieces.length > 1) socket.uncork()
    })
  }

  /** Throws `Malformed` for what cannot be carried. */
  send(message: Message): void {
    this.gathering.send(message)
  }

  /** Bytes that nobody has read yet. */
  get unread(): number {
    return this.gathering.length + this.socket.writableLength
  }
}
