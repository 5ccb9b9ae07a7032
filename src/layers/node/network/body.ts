/** Bodies on their way in: counted as they come, decompressed, and counted again. */
import type { Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"
import { Chunk, Effect, Option } from "effect"
import type { NetworkError } from "../../../capabilities/network/NetworkOperations.js"
import type { Pull } from "../../../capabilities/network/NetworkParts.js"

/** Takes the bytes of a body. */
export interface Sink {
  /** `false`: enough for now; the sink will ask for more. */
  readonly push: (chunk: Uint8Array) => boolean
  readonly end: () => void
  readonly fail: (error: NetworkError) => void
}

const ENCODINGS: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br"])

/** The compression of a body that can be undone here. A body in any other is passed on as it is. */
export const encodingOf = (headers: Readonly<Record<string, string>>): string | undefined => {
  const encoding = headers["content-encoding"]?.trim().toLowerCase()
  return encoding !== undefined && ENCODINGS.has(encoding) ? encoding : undefined
}

/** What calls itself deflate comes with a header or without. */
export const decoderFor = (encoding: string, first: Uint8Array): Transform => {
  if (encoding === "br") return createBrotliDecompress()
  if (encoding !== "deflate") return createGunzip()
  return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()
}

const EMPTY = new Uint8Array(0)

const joined = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const [only = EMPTY] = chunks
  if (chunks.length < 2) return new Uint8Array(only)
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

/** Keeps a body until all of it is there. */
export const collect = (done: (body: Uint8Array) => void, fail: (error: NetworkError) => void): Sink => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  return {
    push: (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      return true
    },
    end: () => done(joined(chunks, size)),
    fail
  }
}

/** How many bytes wait for a reader before the sender has to. */
const ENOUGH = 64 * 1024

/** Hands a body on as it is asked for. */
export class Inlet implements Sink {
  /** Called when a reader comes for more. */
  onWant: () => void = () => {}
  #chunks: Array<Uint8Array> = []
  #size = 0
  #end: Option.Option<NetworkError> | undefined
  #reader: ((pulled: Pull) => void) | undefined

  push(chunk: Uint8Array): boolean {
    this.#chunks.push(new Uint8Array(chunk))
    this.#size += chunk.length
    this.#serve()
    return this.#size < ENOUGH
  }

  end(): void {
    this.#end ??= Option.none()
    this.#serve()
  }

  fail(error: NetworkError): void {
    this.#end ??= Option.some(error)
    this.#serve()
  }

  readonly pull: Pull = Effect.suspend(() => this.#taken() ?? this.#wait)

  /** All of it, if nothing more will come. */
  readonly whole: Effect.Effect<Uint8Array | undefined> = Effect.sync(() => {
    if (this.#end === undefined || Option.isSome(this.#end)) return undefined
    const [chunks, size] = [this.#chunks, this.#size]
    this.#chunks = []
    this.#size = 0
    return chunks.length === 1 ? chunks[0] : joined(chunks, size)
  })

  /** What is there, if anything is: to wait costs more than the rest. */
  #taken(): Pull | undefined {
    if (this.#size > 0) {
      const chunks = this.#chunks
      this.#chunks = []
      this.#size = 0
      return Effect.succeed(Chunk.unsafeFromArray(chunks))
    }
    return this.#end === undefined ? undefined : Effect.fail(this.#end)
  }

  readonly #wait: Pull = Effect.async((resume) => {
    this.#reader = resume
    this.#serve()
    if (this.#reader !== undefined) this.onWant()
    return Effect.sync(() => {
      this.#reader = undefined
    })
  })

  #serve(): void {
    const reader = this.#reader
    const taken = reader === undefined ? undefined : this.#taken()
    if (reader === undefined || taken === undefined) return
    this.#reader = undefined
    reader(taken)
  }
}
