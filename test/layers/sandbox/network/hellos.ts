/** Hellos of TLS, part by part, as no client would send them. */

const sized = (bytes: number, body: Buffer): Buffer => {
  const length = Buffer.alloc(bytes)
  length.writeUIntBE(body.length, 0, bytes)
  return Buffer.concat([length, body])
}

export const extension = (type: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([type >> 8, type & 255]), sized(2, body)])

/** A list of names, each with its kind. */
export const names = (all: ReadonlyArray<readonly [kind: number, name: string]>): Buffer =>
  extension(
    0,
    sized(
      2,
      Buffer.concat(
        all.map(([kind, one]) => Buffer.concat([Buffer.from([kind]), sized(2, Buffer.from(one, "latin1"))]))
      )
    )
  )

export const name = (one: string): Buffer => names([[0, one]])

export const grease = extension(0x0a0a, Buffer.from([0]))

export const ech = extension(0xfe0d, Buffer.alloc(32, 7))

/** The message, which is not yet in a record. */
export const hello = (extensions: ReadonlyArray<Buffer> | undefined): Buffer => {
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 9),
    sized(1, Buffer.alloc(32, 5)),
    sized(2, Buffer.from([0x0a, 0x0a, 0x13, 1])),
    sized(1, Buffer.from([0])),
    ...(extensions === undefined ? [] : [sized(2, Buffer.concat(extensions))])
  ])
  return Buffer.concat([Buffer.from([1]), sized(3, body)])
}

/** A message in records of so many bytes. */
export const records = (message: Buffer, size = 16_384): Buffer => {
  const parts: Array<Buffer> = []
  for (let at = 0; at < message.length; at += size) {
    parts.push(Buffer.from([0x16, 3, 1]), sized(2, message.subarray(at, at + size)))
  }
  return Buffer.concat(parts)
}
