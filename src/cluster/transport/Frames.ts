/**
 * The bytes between two processes of a cluster. Both sides give a number that is used once, and with the key of the cluster
 * that makes two keys for this connection, one for each direction. Every frame is sealed with its place in the sequence:
 * one that is forged, altered, left out, sent again, sent back or taken from another connection does not open.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import type { Key, Keyring } from "../wire/Keys.js"

const MAGIC = Buffer.from("BWC1", "ascii")
const RANDOM = 32
const ID = 8
const HELLO = MAGIC.length + ID + RANDOM
const LENGTH = 4
const TAG = 16

/** What a frame may hold; nobody who has the key sends more. */
const MAX_FRAME = 32 * 1024 * 1024

export type Side = "client" | "server"

/** The bytes are not those of who has the key. */
export class NotAuthentic extends Error {}

class Direction {
  private count = 0n

  constructor(private readonly key: Buffer) {}

  private nonce(): Buffer {
    const nonce = Buffer.alloc(12)
    nonce.writeBigUInt64BE(this.count, 4)
    this.count += 1n
    return nonce
  }

  seal(body: Uint8Array): Buffer {
    if (body.byteLength > MAX_FRAME) throw new RangeError(`a message is larger than ${MAX_FRAME} bytes`)
    const cipher = createCipheriv("aes-256-gcm", this.key, this.nonce())
    const text = Buffer.concat([cipher.update(body), cipher.final()])
    const length = Buffer.alloc(LENGTH)
    length.writeUInt32BE(text.length + TAG)
    return Buffer.concat([length, text, cipher.getAuthTag()])
  }

  open(frame: Buffer): Buffer {
    const decipher = createDecipheriv("aes-256-gcm", this.key, this.nonce())
    decipher.setAuthTag(frame.subarray(frame.length - TAG))
    try {
      return Buffer.concat([decipher.update(frame.subarray(0, frame.length - TAG)), decipher.final()])
    } catch {
      throw new NotAuthentic("a frame does not open")
    }
  }
}

const direction = ({ frames }: Key, random: Buffer, side: Side): Direction =>
  new Direction(Buffer.from(hkdfSync("sha256", frames, random, `bailiwick/cluster/frames/${side}`, 32)))

const helloOf = ({ id }: Key, random: Buffer): Buffer =>
  Buffer.concat([MAGIC, Buffer.from(id, "ascii"), random])

const EMPTY = new Uint8Array(0)

/**
 * One end of a connection. Bytes go in by `take`, which answers with what may be read; what is to be sent comes by `seal`,
 * and what the ends have to say to one another by `send`.
 */
export class Ends {
  /** What came and was not read yet. It is put together once, when there is enough of it. */
  private held: Array<Uint8Array> = []
  private count = 0
  private needed = MAGIC.length
  private rest: Buffer = Buffer.alloc(0)
  private incoming: Direction | undefined
  private outgoing: Direction | undefined
  private readonly random = randomBytes(RANDOM)
  /** Whether the other end has shown that it has the key. */
  isOpen = false

  constructor(
    private readonly side: Side,
    private readonly keys: Keyring,
    private readonly send: (bytes: Uint8Array) => void
  ) {
    if (side === "client") send(helloOf(keys[0], this.random))
  }

  seal(body: Uint8Array): Buffer {
    if (this.outgoing === undefined) throw new Error("the connection is not open yet")
    return this.outgoing.seal(body)
  }

  /** Throws `NotAuthentic`: then nothing that came is used, and the connection is closed. */
  take(bytes: Uint8Array): ReadonlyArray<Buffer> {
    this.held.push(bytes)
    this.count += bytes.byteLength
    if (this.count < this.needed) return []
    this.rest = Buffer.concat(this.held)
    const found = this.read()
    this.held = [this.rest]
    this.count = this.rest.length
    return found
  }

  private read(): ReadonlyArray<Buffer> {
    if (this.incoming === undefined) {
      if (!this.rest.subarray(0, MAGIC.length).equals(MAGIC)) throw new NotAuthentic("another protocol")
      this.needed = HELLO
      if (this.rest.length < HELLO) return []
      this.met(this.rest.subarray(0, HELLO))
      this.rest = this.rest.subarray(HELLO)
    }
    return this.frames()
  }

  private met(hello: Buffer): void {
    const id = hello.subarray(MAGIC.length, MAGIC.length + ID).toString("ascii")
    const key = this.keys.find((one) => one.id === id)
    if (key === undefined) throw new NotAuthentic("another key")
    const theirs = hello.subarray(MAGIC.length + ID)
    const isClient = this.side === "client"
    const random = Buffer.concat(isClient ? [this.random, theirs] : [theirs, this.random])
    this.incoming = direction(key, random, isClient ? "server" : "client")
    this.outgoing = direction(key, random, this.side)
    // Each proves that it has the key before it is sent anything, or anything of it is read.
    this.send(isClient ? this.seal(EMPTY) : Buffer.concat([helloOf(key, this.random), this.seal(EMPTY)]))
  }

  private frames(): ReadonlyArray<Buffer> {
    const found: Array<Buffer> = []
    while (this.incoming !== undefined && this.rest.length >= LENGTH) {
      const length = this.rest.readUInt32BE(0)
      if (length < TAG || length > (this.isOpen ? MAX_FRAME + TAG : TAG)) {
        throw new NotAuthentic("a frame of a wrong length")
      }
      this.needed = LENGTH + length
      if (this.rest.length < this.needed) return found
      const body = this.incoming.open(this.rest.subarray(LENGTH, LENGTH + length))
      this.rest = this.rest.subarray(LENGTH + length)
      if (this.isOpen) found.push(body)
      else this.isOpen = true
    }
    this.needed = LENGTH
    return found
  }
}
