/** Whether there is anything to change in a value, found without a copy of it: mostly there is not. */
import type { Change } from "./deep.js"

/** What is nested deeper, or is no plain data, is left to those who look more closely. */
const DEEPEST = 64

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

const holds = (value: unknown, change: Change, depth: number): boolean => {
  if (typeof value === "string") return change.text(value) !== value
  if (typeof value !== "object" || value === null) return false
  if (value instanceof Uint8Array) return change.bytes(value) !== value
  if (depth === DEEPEST || !isPlain(value)) return true
  if (Array.isArray(value)) return value.some((item) => holds(item, change, depth + 1))
  if (Object.getOwnPropertySymbols(value).length > 0) return true
  for (const key of Object.getOwnPropertyNames(value)) {
    if (change.text(key) !== key || holds(Reflect.get(value, key), change, depth + 1)) return true
  }
  return false
}

export const hasText = (value: unknown, change: Change): boolean => {
  try {
    return holds(value, change, 0)
  } catch {
    return true
  }
}
