/**
 * The data of a front matter: what YAML and JSON both can hold. Its mappings have no prototype, so that `__proto__`,
 * `constructor` and `toString` are keys like others, there or not.
 */
import type { Yaml } from "../text/StrictYaml.js"

export interface Data {
  readonly [key: string]: unknown
}

const empty = (): Record<string, unknown> => Object.create(null)

export const fromEntries = (entries: Iterable<readonly [string, unknown]>): Data => {
  const made = empty()
  for (const [key, value] of entries) made[key] = value
  return made
}

export const fromYaml = (yaml: Yaml): unknown => {
  switch (yaml._tag) {
    case "Scalar":
      return yaml.value
    case "List":
      return yaml.items.map(fromYaml)
    case "Mapping":
      return fromEntries([...yaml.entries].map(([key, { value }]) => [key, fromYaml(value)] as const))
  }
}

/** Whether a value is a mapping, and not a list. */
export const isMapping = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What JSON would make of a value: what it leaves out is left out. Throws on what holds itself. */
export const fromValue = (value: unknown, above: ReadonlyArray<object> = []): unknown => {
  if (typeof value === "bigint") throw new TypeError("a record holds no numbers of that kind")
  if (typeof value !== "object" || value === null) {
    return typeof value === "function" || typeof value === "symbol" ? undefined : value
  }
  if (above.includes(value)) throw new TypeError("a record cannot hold what holds itself")
  const below = [...above, value]
  if ("toJSON" in value && typeof value.toJSON === "function") return fromValue(value.toJSON(), below)
  if (Array.isArray(value)) return value.map((item) => fromValue(item, below) ?? null)
  return fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const made = fromValue(item, below)
      return made === undefined ? [] : [[key, made] as const]
    })
  )
}

/** Equal as data: the order of keys is none. */
export const same = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => same(item, b[index]))
    )
  }
  if (!isMapping(a) || !isMapping(b)) return Object.is(a, b)
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
  )
}
