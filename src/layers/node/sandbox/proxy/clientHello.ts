/** The name in the first message of a TLS connection, read strictly: what a server could read otherwise is refused. */

/**
 * `More`: so many bytes are needed, from the first on. `Hello`: the whole of one, with the name in it, which is empty
 * where there is none.
 */
export type Read =
  | { readonly _tag: "More"; readonly bytes: number }
  | { readonly _tag: "Hello"; readonly name: string }
  | { readonly _tag: "Refused"; readonly why: string; readonly remedy: string }

const more = (bytes: number): Read => ({ _tag: "More", bytes })

const refused = (why: string, remedy: string): Read => ({ _tag: "Refused", why, remedy })

const HANDSHAKE = 0x16
const CLIENT_HELLO = 1
const RECORD = 5
const HEADER = 4
const LARGEST_RECORD = 16_384
/** With every key share of tomorrow a hello has two thousand bytes. */
const LARGEST_HELLO = 65_536
const MOST_RECORDS = 64

const SERVER_NAME = 0
/** Encrypted hellos hold another name inside. The first number is that of the standard, the others are of its drafts. */
const ENCRYPTED: ReadonlySet<number> = new Set([
  0xfe0d, 0xfe0c, 0xfe0b, 0xfe0a, 0xfe09, 0xfe08, 0xff02, 0xffce
])

const SECRET = refused(
  "its hello is encrypted (ECH), or made to look so (GREASE): nobody can tell which, nor what it asks for",
  "switch ECH off in the client"
)

const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/

const broken = refused(
  "its first message is no TLS hello that can be read",
  "use a client that sends one hello with one name"
)

/** Thrown inside, and caught at the only way in. */
class Short extends Error {}

/** Reads forward, and never past the end. */
class Cursor {
  at = 0
  constructor(readonly bytes: Buffer) {}

  get isAtEnd(): boolean {
    return this.at === this.bytes.length
  }

  number(size: 1 | 2): number {
    if (this.at + size > this.bytes.length) throw new Short()
    const value = this.bytes.readUIntBE(this.at, size)
    this.at += size
    return value
  }

  /** As many bytes as the number before them says. */
  vector(size: 1 | 2): Buffer {
    const length = this.number(size)
    if (this.at + length > this.bytes.length) throw new Short()
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  skip(length: number): void {
    if (this.at + length > this.bytes.length) throw new Short()
    this.at += length
  }
}

/** One list with one entry, which is a host name. */
const nameIn = (extension: Buffer): string | undefined => {
  const whole = new Cursor(extension)
  const list = new Cursor(whole.vector(2))
  const kind = list.number(1)
  const name = list.vector(2).toString("latin1").toLowerCase()
  if (kind !== 0 || !list.isAtEnd || !whole.isAtEnd) return undefined
  const bare = name.endsWith(".") ? name.slice(0, -1) : name
  return NAME.test(bare) && bare.length <= 253 ? bare : undefined
}

const nameOf = (hello: Buffer): Read => {
  const cursor = new Cursor(hello)
  // Version and random; then session, ciphers and compression.
  cursor.skip(34)
  cursor.vector(1)
  cursor.vector(2)
  cursor.vector(1)
  if (cursor.isAtEnd) return { _tag: "Hello", name: "" }
  const extensions = new Cursor(cursor.vector(2))
  if (!cursor.isAtEnd) return broken
  let name: string | undefined
  while (!extensions.isAtEnd) {
    const type = extensions.number(2)
    const body = extensions.vector(2)
    if (ENCRYPTED.has(type)) return SECRET
    if (type !== SERVER_NAME) continue
    const found = nameIn(body)
    if (found === undefined || name !== undefined) return broken
    name = found
  }
  return { _tag: "Hello", name: name ?? "" }
}

/** What the first bytes of a connection say. A hello may be split over records, and has to end with one. */
export const read = (bytes: Buffer): Read => {
  const parts: Array<Buffer> = []
  let length = 0
  let at = 0
  for (let records = 0; records < MOST_RECORDS; records++) {
    const header = bytes.subarray(at, at + RECORD)
    if (header.length > 0 && header[0] !== HANDSHAKE) return broken
    if (header.length > 1 && header[1] !== 3) return broken
    if (header.length < RECORD) return more(at + RECORD)
    const size = header.readUInt16BE(3)
    if (size === 0 || size > LARGEST_RECORD) return broken
    const part = bytes.subarray(at + RECORD, at + RECORD + size)
    if (parts.length === 0 && part.length > 0 && part[0] !== CLIENT_HELLO) return broken
    at += RECORD + size
    if (part.length < size) return at > 2 * LARGEST_HELLO ? broken : more(at)
    parts.push(part)
    length += size
    if (length < HEADER) continue
    const message = Buffer.concat(parts)
    const wanted = HEADER + message.readUIntBE(1, 3)
    if (wanted > LARGEST_HELLO || length > wanted) return broken
    if (length < wanted) continue
    try {
      return nameOf(message.subarray(HEADER))
    } catch (error) {
      if (error instanceof Short) return broken
      throw error
    }
  }
  return broken
}
