/** SHA-256 (FIPS 180-4), for rooms that import nothing of the platform: names that nobody can forge. */

const primes = (count: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n)
  return found
}

/** The first bits behind the point of a root. */
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0

const START = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)))

const ROUNDS = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)))

const turned = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

const BLOCK = 64

/** The message, a one bit, zeroes, and its length in bits. */
const padded = (message: Uint8Array): DataView => {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / BLOCK) * BLOCK)
  bytes.set(message)
  bytes[message.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 8, Math.floor(message.length / 2 ** 29))
  view.setUint32(bytes.length - 4, message.length << 3)
  return view
}

const schedule = new Int32Array(64)

const expand = (view: DataView, offset: number): void => {
  for (let i = 0; i < 16; i++) schedule[i] = view.getInt32(offset + i * 4)
  for (let i = 16; i < 64; i++) {
    const [far, near] = [schedule[i - 15] as number, schedule[i - 2] as number]
    const low = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3)
    const high = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10)
    schedule[i] = (schedule[i - 16] as number) + low + (schedule[i - 7] as number) + high
  }
}

const compress = (state: Int32Array): void => {
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number
  ]
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g)
    const first =
      (h +
        (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
        choice +
        (ROUNDS[i] as number) +
        (schedule[i] as number)) |
      0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + word
}

const encoder = new TextEncoder()

/** Of a text in UTF-8, in hexadecimal. */
export const sha256 = (text: string): string => {
  const view = padded(encoder.encode(text))
  const state = START.slice()
  for (let offset = 0; offset < view.byteLength; offset += BLOCK) {
    expand(view, offset)
    compress(state)
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
}
