/**
 * What values a JSON Schema takes, as far as a word on a command line is read by it: the kinds and the literals, one
 * alternative after the other. What else a schema asks for is left to the tool's own.
 */

export type Kind = "string" | "number" | "boolean" | "null" | "object" | "array"

type Keywords = Readonly<Record<string, unknown>>

export interface Alternative {
  readonly kinds: ReadonlySet<Kind>
  readonly whole: boolean
  /** Only these, where there is such a list. */
  readonly literals: ReadonlyArray<unknown> | undefined
  readonly keywords: Keywords
}

/** A schema within the document that its references lead into. */
export interface Shape {
  readonly schema: unknown
  readonly root: Keywords
  readonly alternatives: ReadonlyArray<Alternative>
}

const everything: ReadonlyArray<Kind> = ["string", "number", "boolean", "null", "object", "array"]

export const isKeywords = (value: unknown): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const kindOf = (value: unknown): Kind => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  const type = typeof value
  return type === "string" || type === "number" || type === "boolean" ? type : "object"
}

/** What is named by `#/$defs/Name`, one step after the other. Only what is written there is found. */
const resolved = (reference: string, root: Keywords): unknown => {
  if (!reference.startsWith("#")) return true
  return reference
    .slice(1)
    .split("/")
    .filter((step) => step !== "")
    .map((step) => decoded(step).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (at, step) =>
        typeof at === "object" && at !== null && Object.hasOwn(at, step) ? Reflect.get(at, step) : true,
      root
    )
}

const decoded = (step: string): string => {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const typesOf = ({ type }: Keywords): Pick<Alternative, "kinds" | "whole"> => {
  const named = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string")
  if (named.length === 0) return { kinds: new Set(everything), whole: false }
  const kinds = everything.filter((kind) => named.includes(kind))
  const whole = named.includes("integer") && !named.includes("number")
  return { kinds: new Set<Kind>(whole ? [...kinds, "number"] : kinds), whole }
}

const own = (keywords: Keywords): Alternative => {
  const literals = Array.isArray(keywords.enum)
    ? keywords.enum
    : "const" in keywords
      ? [keywords.const]
      : undefined
  const { kinds, whole } = typesOf(keywords)
  const possible = literals?.filter((literal) => kinds.has(kindOf(literal)))
  return {
    kinds: possible === undefined ? kinds : new Set(possible.map(kindOf)),
    whole,
    literals: possible,
    keywords
  }
}

const both = (a: Alternative, b: Alternative): Alternative => {
  const has = (all: ReadonlyArray<unknown>, one: unknown) => all.some((other) => same(other, one))
  const [left, right] = [a.literals, b.literals]
  return {
    kinds: new Set([...a.kinds].filter((kind) => b.kinds.has(kind))),
    whole: a.whole || b.whole,
    literals: left === undefined ? right : right === undefined ? left : left.filter((one) => has(right, one)),
    keywords: { ...b.keywords, ...a.keywords }
  }
}

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

/** A schema of strangers may refer to itself, and double at each step: so much is looked at, and the rest is anything. */
const MOST = 500

const anything: Alternative = own({})

class Reader {
  private looked = 0

  constructor(private readonly root: Keywords) {}

  read(schema: unknown, within: ReadonlySet<string>): ReadonlyArray<Alternative> {
    if (schema === false) return []
    if (!isKeywords(schema) || this.looked++ > MOST) return [anything]
    const { $ref: reference } = schema
    const parts: Array<ReadonlyArray<Alternative>> = [[own(schema)]]
    if (typeof reference === "string") {
      // A reference that leads back to itself adds nothing.
      if (within.has(reference)) return []
      parts.push(this.read(resolved(reference, this.root), new Set([...within, reference])))
    }
    for (const any of [schema.anyOf, schema.oneOf]) {
      if (Array.isArray(any)) parts.push(any.flatMap((one) => this.read(one, within)))
    }
    for (const one of list(schema.allOf)) parts.push(this.read(one, within))
    return parts.reduce((all, part) =>
      all.flatMap((a) => part.map((b) => both(a, b)).filter(({ kinds }) => kinds.size > 0)).slice(0, MOST)
    )
  }
}

export const shapeOf = (schema: unknown, root: Keywords): Shape => ({
  schema,
  root,
  alternatives: new Reader(root).read(schema, new Set())
})

export const kindsOf = ({ alternatives }: Shape): ReadonlySet<Kind> =>
  new Set(alternatives.flatMap(({ kinds }) => [...kinds]))

/** By its kind and by the literals: what is inside of a list or an object is not looked at. */
export const takes = ({ alternatives }: Shape, value: unknown): boolean =>
  alternatives.some(
    ({ kinds, literals, whole }) =>
      kinds.has(kindOf(value)) &&
      (literals === undefined || literals.some((literal) => same(literal, value))) &&
      !(whole && typeof value === "number" && !Number.isInteger(value))
  )

/** What stands at a place of a list. */
export const itemAt = ({ alternatives, root }: Shape, index: number): Shape => {
  const { items, prefixItems, additionalItems } =
    alternatives.find(({ kinds }) => kinds.has("array"))?.keywords ?? {}
  const first = list(prefixItems)[index] ?? list(items)[index]
  return shapeOf(first ?? (Array.isArray(items) ? additionalItems : items) ?? true, root)
}
