/**
 * All modules of a worker in one file: what each is, where its imports lead, its text, and what V8 made of that. It is written by
 * a process that reads a stranger's modules, and read by processes of the same module.
 *
 * @since 0.1.0
 */

/**
 * A module in a pack. `key` is its address, with the attributes that it is imported with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Packed {
  readonly kind: "module" | "json" | "script" | "builtin"
  readonly key: string
  /** What it names in its imports, and the place of that in the list of all. */
  readonly needs: ReadonlyArray<readonly [key: string, at: number]>
  /** Of a script: the scripts that it requires by name, and what it exports where a module imports it. */
  readonly requires?: ReadonlyArray<readonly [specifier: string, path: string]> | undefined
  readonly names?: ReadonlyArray<string> | undefined
  /** Bytes of its text, and of what V8 made of it. */
  readonly text: number
  readonly code: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Index {
  /** The files that it is of, and their digests. */
  readonly sources: ReadonlyArray<readonly [path: string, digest: string]>
  /** Whether a process can be started from it. What cannot be packed has its sources all the same. */
  readonly isWhole: boolean
  readonly modules: ReadonlyArray<Packed>
  /** The places of those that nobody in it imports; the first is started. */
  readonly roots: ReadonlyArray<number>
}

const HEAD = 8

/** V8 copies what it was given at another place. */
const aligned = (length: number): number => Math.ceil(length / 8) * 8

const padded = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => [
  bytes,
  new Uint8Array(aligned(bytes.length) - bytes.length)
]

/**
 * A file of these pieces: the text of each module, and what V8 made of it.
 *
 * @since 0.1.0
 * @category encoding
 */
export const encode = (index: Index, pieces: ReadonlyArray<Uint8Array>): Buffer => {
  const json = Buffer.from(JSON.stringify(index))
  const head = Buffer.alloc(HEAD)
  head.writeUInt32LE(json.length)
  return Buffer.concat([head, ...padded(json), ...pieces.flatMap(padded)])
}

/**
 * What the file says of itself. Throws where it is none.
 *
 * @since 0.1.0
 * @category decoding
 */
export const indexOf = (file: Buffer): Index =>
  JSON.parse(file.toString("utf8", HEAD, HEAD + file.readUInt32LE())) as Index

/**
 * The pieces of each module, in order.
 *
 * @since 0.1.0
 * @category decoding
 */
export const piecesOf = (
  file: Buffer,
  { modules }: Index
): ReadonlyArray<{ readonly text: Buffer; readonly code: Buffer }> => {
  let at = HEAD + aligned(file.readUInt32LE())
  const next = (length: number): Buffer => {
    const piece = file.subarray(at, at + length)
    at += aligned(length)
    return piece
  }
  return modules.map(({ code, text }) => ({ text: next(text), code: next(code) }))
}
