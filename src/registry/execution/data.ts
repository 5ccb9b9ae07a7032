/**
 * An answer as data: a copy that holds no code of the tool. What it was made from may have a `toJSON`, a getter or a trap
 * that answers otherwise when it is asked again, or that runs when whoever called the tool writes the answer down.
 */
import { Chunk, Effect, Either, HashMap, HashSet, Option } from "effect"

/** That a value cannot be written down. */
class NotData extends Error {}

export const MAX_DEPTH = 256

/** An Effect that nobody ran says nothing of its value, and much of where it was written. */
const isUnrun = (value: object): boolean =>
  Effect.isEffect(value) && !Option.isOption(value) && !Either.isEither(value)

const viewOf = (view: ArrayBufferView): ArrayBufferView => {
  const { buffer, byteLength, byteOffset } = view
  if (view instanceof DataView) return new DataView(buffer, byteOffset, byteLength)
  if (!(view instanceof Uint8Array)) return structuredClone(view)
  const isBuffer = typeof Buffer !== "undefined" && Buffer.isBuffer(view)
  return isBuffer
    ? Buffer.from(buffer, byteOffset, byteLength)
    : new Uint8Array(buffer, byteOffset, byteLength)
}

/** Throws `NotData`, and whatever the value throws when it is read. */
export const dataOf = (value: unknown): unknown => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value == null) {
    return value
  }
  const done = new Map<object, unknown>()
  const open = new Set<object>()

  const copy = (given: unknown, depth: number): unknown => {
    if (typeof given === "function" || typeof given === "symbol") return undefined
    if (typeof given === "bigint") throw new NotData()
    if (typeof given !== "object" || given === null) return given
    if (done.has(given)) return done.get(given)
    if (depth === MAX_DEPTH || open.has(given) || isUnrun(given)) throw new NotData()
    open.add(given)
    const made = structure(given, depth + 1)
    open.delete(given)
    done.set(given, made)
    return made
  }

  const structure = (given: object, depth: number): unknown => {
    const all = (items: Iterable<unknown>) => Array.from(items, (one) => copy(one, depth))
    const pairs = (items: Iterable<readonly [unknown, unknown]>) =>
      Array.from(items, ([key, held]): readonly [unknown, unknown] => [copy(key, depth), copy(held, depth)])
    if (Array.isArray(given)) return all(given)
    if (ArrayBuffer.isView(given)) return viewOf(given)
    if (given instanceof ArrayBuffer) return given.slice(0)
    if (given instanceof String) return String.prototype.valueOf.call(given)
    if (given instanceof Number) return Number.prototype.valueOf.call(given)
    if (given instanceof Boolean) return Boolean.prototype.valueOf.call(given)
    if (given instanceof Date) return new Date(Date.prototype.getTime.call(given))
    if (given instanceof RegExp) return new RegExp(given.source, given.flags)
    if (given instanceof Map) return new Map(pairs(Map.prototype.entries.call(given)))
    if (given instanceof Set) return new Set(all(Set.prototype.values.call(given)))
    if (Option.isOption(given)) return Option.map(given, (held) => copy(held, depth))
    if (Either.isEither(given)) {
      return Either.mapBoth(given, {
        onLeft: (held) => copy(held, depth),
        onRight: (held) => copy(held, depth)
      })
    }
    if (Chunk.isChunk(given)) return Chunk.unsafeFromArray(all(given))
    if (HashMap.isHashMap(given)) return HashMap.fromIterable(pairs(given))
    if (HashSet.isHashSet(given)) return HashSet.fromIterable(all(given))
    const written: unknown = Reflect.get(given, "toJSON")
    if (typeof written === "function") return copy(Reflect.apply(written, given, [""]), depth)
    return properties(given, depth)
  }

  const properties = (given: object, depth: number): object => {
    const made: object = {}
    for (const key of Object.keys(given)) {
      const held = Reflect.get(given, key)
      if (typeof held === "function") continue
      const value = copy(held, depth)
      if (key === "__proto__")
        Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true })
      else Reflect.set(made, key, value)
    }
    return made
  }

  return copy(value, 0)
}

/** The same for what goes to logs and spans, where an error is looked at as one. */
export const inert = (value: unknown): unknown => {
  if (typeof value === "bigint" || value instanceof Error) return value
  try {
    return dataOf(value)
  } catch {
    return "[something that cannot be written down]"
  }
}
