/**
 * Values as JSON that comes out as it went in: bytes, dates, maps, sets, numbers that JSON has no word for. What a tool
 * answers may hold them; the arguments of a call are JSON already.
 */

const TAG = "$bailiwick"

type Tagged = readonly [tag: string, held: unknown]

const tagged = (tag: string, held: unknown): object => ({ [TAG]: [tag, held] })

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A property of that name is data, never a prototype. */
const put = (target: object, key: string, value: unknown): void => {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

const objectOf = (value: object, each: (held: unknown) => unknown): object => {
  const made = {}
  for (const [key, held] of Object.entries(value)) put(made, key, each(held))
  return made
}

/** What can be written as JSON. What is none of the kinds above is written as JSON writes it. */
export const pack = (value: unknown): unknown => {
  if (value === undefined) return tagged("undefined", null)
  if (typeof value === "number")
    return Number.isFinite(value) && !Object.is(value, -0) ? value : tagged("number", String(value))
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(pack)
  if (value instanceof Uint8Array) return tagged("bytes", Buffer.from(value).toString("base64"))
  if (value instanceof Date) return tagged("date", Number.isNaN(value.getTime()) ? null : value.getTime())
  if (value instanceof Map)
    return tagged(
      "map",
      [...value].map(([key, held]) => [pack(key), pack(held)])
    )
  if (value instanceof Set) return tagged("set", [...value].map(pack))
  if (!isPlain(value)) {
    const written: unknown = JSON.parse(JSON.stringify(value) ?? "null")
    return typeof written === "object" && written !== null ? pack(written) : written
  }
  const made = objectOf(value, pack)
  return Object.hasOwn(value, TAG) ? tagged("object", made) : made
}

const numbers: ReadonlyMap<unknown, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["0", -0]
])

const listOf = (held: unknown): ReadonlyArray<unknown> => (Array.isArray(held) ? held : [])

const untagged = ([tag, held]: Tagged): unknown => {
  switch (tag) {
    case "number":
      return numbers.get(held)
    case "bytes":
      return new Uint8Array(Buffer.from(String(held), "base64"))
    case "date":
      return new Date(typeof held === "number" ? held : Number.NaN)
    case "map":
      return new Map(
        listOf(held).map((pair) => {
          const [key, one] = listOf(pair)
          return [unpack(key), unpack(one)]
        })
      )
    case "set":
      return new Set(listOf(held).map(unpack))
    case "object":
      return typeof held === "object" && held !== null ? objectOf(held, unpack) : undefined
    default:
      return undefined
  }
}

const taggedIn = (value: object): Tagged | undefined => {
  const held: unknown = Object.hasOwn(value, TAG) ? Reflect.get(value, TAG) : undefined
  return Array.isArray(held) && held.length === 2 && typeof held[0] === "string"
    ? [held[0], held[1]]
    : undefined
}

export const unpack = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(unpack)
  const found = taggedIn(value)
  return found === undefined ? objectOf(value, unpack) : untagged(found)
}
