/**
 * Values as both sides carry them: JSON, with what JSON cannot write beside it. Bytes go as they are, behind the text.
 * A value of the far side is put together from parts that are looked at one by one: what does not fit is malformed.
 *
 * @since 0.1.0
 */
import { Chunk, Either, Hash, HashMap, HashSet, Option } from "effect"

/** What stands at a place in place of what was there. */
type Kind =
  | "bytes"
  | "buffer"
  | "undefined"
  | "number"
  | "date"
  | "map"
  | "set"
  | "none"
  | "some"
  | "left"
  | "right"
  | "chunk"
  | "hashmap"
  | "hashset"

type Place = ReadonlyArray<string | number>

/**
 * One value that JSON does not write: where it is, what it is, and how many bytes of it follow.
 *
 * @since 0.1.0
 * @category models
 */
export type Special = readonly [place: Place, kind: Kind, bytes?: number]

/**
 * @since 0.1.0
 * @category models
 */
export interface Carried {
  readonly value: unknown
  readonly specials: ReadonlyArray<Special>
  readonly bytes: ReadonlyArray<Uint8Array>
}

/**
 * Says that what came from the far side is not as it says.
 *
 * @since 0.1.0
 * @category errors
 */
export class Malformed extends Error {}

const DEEPEST = 300

class Loading {
  readonly specials: Array<Special> = []
  readonly bytes: Array<Uint8Array> = []
  /** Where we are. */
  private readonly place: Array<string | number> = []

  private special(kind: Kind, value: unknown = null): unknown {
    this.specials.push([[...this.place], kind])
    return value
  }

  private at(key: string | number, value: unknown): unknown {
    this.place.push(key)
    const put = this.put(value)
    this.place.pop()
    return put
  }

  private items(given: Iterable<unknown>): ReadonlyArray<unknown> {
    return Array.from(given, (one, at) => this.at(at, one === undefined ? nothing : one))
  }

  private pairs(given: Iterable<readonly [unknown, unknown]>): ReadonlyArray<unknown> {
    return this.items(Array.from(given, ([key, held]) => [key, held]))
  }

  put(value: unknown): unknown {
    if (value === nothing) return this.special("undefined")
    if (typeof value === "number") {
      if (Number.isFinite(value) && !Object.is(value, -0)) return value
      return this.special("number", Object.is(value, -0) ? "-0" : String(value))
    }
    if (typeof value !== "object" || value === null) return value
    if (this.place.length > DEEPEST) throw new Malformed("a value is too deep")
    if (Array.isArray(value)) return this.items(value)
    if (value instanceof Uint8Array) {
      this.bytes.push(value)
      this.specials.push([[...this.place], Buffer.isBuffer(value) ? "buffer" : "bytes", value.length])
      return null
    }
    if (value instanceof Date) {
      const time = value.getTime()
      return this.special("date", Number.isNaN(time) ? null : time)
    }
    return this.structure(value)
  }

  private structure(value: object): unknown {
    if (value instanceof Map) return this.after("map", this.pairs(value))
    if (value instanceof Set) return this.after("set", this.items(value))
    if (Option.isOption(value)) {
      return Option.isNone(value) ? this.special("none") : this.after("some", this.items([value.value]))
    }
    if (Either.isEither(value)) {
      return Either.isLeft(value)
        ? this.after("left", this.items([value.left]))
        : this.after("right", this.items([value.right]))
    }
    if (Chunk.isChunk(value)) return this.after("chunk", this.items(value))
    if (HashMap.isHashMap(value)) return this.after("hashmap", this.pairs(value))
    if (HashSet.isHashSet(value)) return this.after("hashset", this.items(value))
    const written: unknown = Reflect.get(value, "toJSON")
    return typeof written === "function"
      ? this.put(Reflect.apply(written, value, [""]))
      : this.properties(value)
  }

  /** What is inside is noted first: a whole is put together from there. */
  private after(kind: Kind, inside: unknown): unknown {
    return this.special(kind, inside)
  }

  private properties(value: object): object {
    const put: object = {}
    for (const key of Object.keys(value)) own(put, key, this.at(key, Reflect.get(value, key)))
    return put
  }
}

/** Stands for `undefined` in a list, where JSON would have `null`. */
const nothing = Symbol("undefined")

/** No key of a stranger's is a prototype. */
const own = (object: object, key: string | number, value: unknown): void => {
  if (key !== "__proto__") Reflect.set(object, key, value)
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

/**
 * Whether JSON writes a value as it is, so that it need not be looked at piece by piece.
 *
 * @since 0.1.0
 * @category guards
 */
export const isPlain = (value: unknown, depth = 0): boolean => {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== "object") return typeof value !== "function"
  if (value === null) return true
  if (depth > DEEPEST) return false
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      if (value[at] === undefined || !isPlain(value[at], depth + 1)) return false
    }
    return true
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  for (const key of Object.keys(value)) if (!isPlain(Reflect.get(value, key), depth + 1)) return false
  return true
}

/**
 * Throws `Malformed` for what is too deep.
 *
 * @since 0.1.0
 * @category conversions
 */
export const load = (value: unknown): Carried => {
  const loading = new Loading()
  return { value: loading.put(value), specials: loading.specials, bytes: loading.bytes }
}

const listOf = (value: unknown): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) throw new Malformed("a list is none")
  return value
}

const pairsOf = (value: unknown): ReadonlyArray<readonly [unknown, unknown]> =>
  listOf(value).map((pair) => {
    const [key, held, ...rest] = listOf(pair)
    if (rest.length > 0) throw new Malformed("a pair is none")
    return [key, held]
  })

const oneOf = (value: unknown): unknown => {
  const [one, ...rest] = listOf(value)
  if (rest.length > 0) throw new Malformed("one value is several")
  return one
}

const numberOf = (value: unknown): number => {
  if (typeof value === "number") return value
  if (typeof value === "string" && ["NaN", "Infinity", "-Infinity", "-0"].includes(value))
    return Number(value)
  throw new Malformed("a number is none")
}

const dateOf = (value: unknown): Date => new Date(value === null ? Number.NaN : numberOf(value))

/** Keys are compared with those of the same hash, each with each: whoever chooses many of one would have it take hours. */
const MOST_KEYS = 4096
const MOST_ALIKE = 16

const few = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => {
  if (all.length > MOST_KEYS) throw new Malformed("there are too many keys")
  return all
}

const hashed = <A>(all: ReadonlyArray<A>, keyOf: (one: A) => unknown): ReadonlyArray<A> => {
  const alike = new Map<number, number>()
  for (const one of few(all)) {
    const hash = Hash.hash(keyOf(one))
    const count = (alike.get(hash) ?? 0) + 1
    if (count > MOST_ALIKE) throw new Malformed("keys are alike")
    alike.set(hash, count)
  }
  return all
}

const made: { readonly [K in Exclude<Kind, "bytes" | "buffer">]: (value: unknown) => unknown } = {
  undefined: () => undefined,
  number: numberOf,
  date: dateOf,
  map: (value) => new Map(few(pairsOf(value))),
  set: (value) => new Set(few(listOf(value))),
  none: () => Option.none(),
  some: (value) => Option.some(oneOf(value)),
  left: (value) => Either.left(oneOf(value)),
  right: (value) => Either.right(oneOf(value)),
  chunk: (value) => Chunk.unsafeFromArray([...listOf(value)]),
  hashmap: (value) => HashMap.fromIterable(hashed(pairsOf(value), ([key]) => key)),
  hashset: (value) => HashSet.fromIterable(hashed(listOf(value), (one) => one))
}

/** What is at a place of plain data, and only there: nothing is reached through a prototype. */
const stepped = (from: unknown, key: unknown): unknown => {
  const isPlain = typeof from === "object" && from !== null
  if (!isPlain || (typeof key !== "string" && typeof key !== "number") || !Object.hasOwn(from, key)) {
    throw new Malformed("a place is nowhere")
  }
  return Reflect.get(from, key)
}

/**
 * Puts a value together from JSON and what stands beside it. Throws `Malformed`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const unload = (value: unknown, specials: unknown, tail: Uint8Array): unknown => {
  const root: { value: unknown } = { value }
  let at = 0
  for (const special of listOf(specials)) {
    const [place, kind, length] = listOf(special)
    const path = ["value", ...listOf(place)]
    if (path.length > DEEPEST + 2) throw new Malformed("a place is too deep")
    const key = path.pop()
    const parent = path.reduce(stepped, root)
    const held = stepped(parent, key)
    let whole: unknown
    if (kind === "bytes" || kind === "buffer") {
      if (typeof length !== "number" || !(length >= 0) || !Number.isInteger(length) || held !== null) {
        throw new Malformed("bytes are none")
      }
      if (at + length > tail.length) throw new Malformed("bytes are missing")
      // A copy of its own: the rest of a frame is not kept for a few bytes of it.
      const part = new Uint8Array(length)
      part.set(tail.subarray(at, at + length))
      whole = kind === "buffer" ? Buffer.from(part.buffer) : part
      at += length
    } else {
      if (typeof kind !== "string" || !Object.hasOwn(made, kind)) throw new Malformed("a kind is unknown")
      whole = made[kind as keyof typeof made](held)
    }
    own(parent as object, key as string, whole)
  }
  if (at !== tail.length) throw new Malformed("bytes are left")
  return root.value
}
