/** A copy of a value with all its texts changed; what does not change is shared with the original. */

export interface Change {
  readonly text: (text: string) => string
  readonly bytes: (bytes: Uint8Array) => Uint8Array
}

/** A value that is nested deeper is not looked through, and so not shown. */
const DEEPEST = 500

const TOO_DEEP = "[nested too deeply to be shown]"

const viewOf = (view: ArrayBufferView): Uint8Array =>
  new Uint8Array(view.buffer, view.byteOffset, view.byteLength)

export const changed = <A>(value: A, change: Change): A => {
  const copies = new Map<object, unknown>()
  /** Copies that something points to while they are being made: a cycle goes through them. */
  const needed = new Set<object>()

  let hit = false

  const text = (given: string): string => {
    const after = change.text(given)
    hit ||= after !== given
    return after
  }

  const masked = (given: Uint8Array): Uint8Array => {
    const after = change.bytes(given)
    hit ||= after !== given
    return after
  }

  const visit = (given: unknown, depth: number): unknown => {
    if (typeof given === "string") return text(given)
    if (typeof given !== "object" || given === null) return given
    if (copies.has(given)) {
      needed.add(given)
      return copies.get(given)
    }
    if (depth > DEEPEST) {
      hit = true
      return TOO_DEEP
    }
    if (given instanceof ArrayBuffer) return buffer(given)
    if (ArrayBuffer.isView(given)) return view(given)
    if (given instanceof Date || given instanceof RegExp) return given
    return structure(given, depth + 1)
  }

  const buffer = (given: ArrayBuffer): ArrayBuffer => {
    const bytes = new Uint8Array(given)
    const after = masked(bytes)
    return after === bytes ? given : new Uint8Array(after).buffer
  }

  const view = (given: ArrayBufferView): unknown => {
    const bytes = viewOf(given)
    const after = masked(bytes)
    if (after === bytes) return given
    // The same kind of view over a copy: a `Buffer` stays one.
    const copy: unknown =
      given instanceof DataView
        ? new DataView(new ArrayBuffer(bytes.length))
        : Reflect.apply(Uint8Array.prototype.slice, given, [])
    if (ArrayBuffer.isView(copy)) viewOf(copy).set(after)
    return copy
  }

  /** Keeps the copy only if it differs from the original, or if a cycle already leads to it. */
  const settle = (given: object, copy: object, differs: boolean): unknown => {
    const kept = differs || needed.has(given) ? copy : given
    copies.set(given, kept)
    return kept
  }

  const structure = (given: object, depth: number): unknown => {
    if (given instanceof Map) {
      const copy = new Map<unknown, unknown>()
      copies.set(given, copy)
      let differs = false
      for (const [key, held] of given) {
        const [newKey, newHeld] = [visit(key, depth), visit(held, depth)]
        differs ||= newKey !== key || newHeld !== held
        copy.set(typeof newKey === "string" ? unused(newKey, (name) => copy.has(name)) : newKey, newHeld)
      }
      return settle(given, copy, differs)
    }
    if (given instanceof Set) {
      const copy = new Set<unknown>()
      copies.set(given, copy)
      let differs = false
      for (const held of given) {
        const newHeld = visit(held, depth)
        differs ||= newHeld !== held
        copy.add(newHeld)
      }
      return settle(given, copy, differs)
    }
    const copy: object = Array.isArray(given) ? [] : Object.create(Object.getPrototypeOf(given))
    copies.set(given, copy)
    let differs = false
    for (const key of Reflect.ownKeys(given)) {
      const property = Reflect.getOwnPropertyDescriptor(given, key)
      if (property === undefined) continue
      const held: unknown = "value" in property ? property.value : attempt(given, key)
      const newHeld = visit(held, depth)
      const newKey = typeof key === "string" ? text(key) : key
      differs ||= newHeld !== held || newKey !== key
      Reflect.defineProperty(
        copy,
        typeof newKey !== "string" || newKey === key
          ? key
          : unused(newKey, (name) => Object.hasOwn(given, name) || Object.hasOwn(copy, name)),
        newHeld === held
          ? property
          : { value: newHeld, enumerable: property.enumerable === true, configurable: true, writable: true }
      )
    }
    return settle(given, copy, differs)
  }

  const copy = visit(value, 0)
  // A copy has the structure of the original.
  return hit ? (copy as A) : value
}

/** What a getter answers; one that throws holds nothing. */
const attempt = (given: object, key: PropertyKey): unknown => {
  try {
    return Reflect.get(given, key)
  } catch {
    return undefined
  }
}

/** Two keys may become the same text, and neither entry may be lost. */
const unused = (name: string, taken: (name: string) => boolean): string => {
  let free = name
  for (let number = 2; taken(free); number++) free = `${name} ${number}`
  return free
}
