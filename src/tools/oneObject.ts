/**
 * A union of objects as one object, in JSON Schema. Providers of models take no `anyOf` at the top of the parameters
 * of a tool: so each key may be given that one of the members has, those are required that all of them require, and
 * the description says which keys go together. The decoder holds a call to the union itself.
 */
type Keywords = Readonly<Record<string, unknown>>

const isKeywords = (value: unknown): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const keywords = (value: unknown): Keywords => (isKeywords(value) ? value : {})

const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

/** The members of a union, of unions in it too; `undefined` when one of them is no object. */
const membersOf = (schema: Keywords): ReadonlyArray<Keywords> | undefined => {
  if (schema.type === "object") return [schema]
  if (!Array.isArray(schema.anyOf)) return undefined
  const all = schema.anyOf.map((one) => membersOf(keywords(one)))
  return all.length > 0 && all.every((one) => one !== undefined) ? all.flat() : undefined
}

const isEnum = (
  schema: unknown
): schema is { readonly type: string; readonly enum: ReadonlyArray<unknown> } =>
  isKeywords(schema) &&
  Object.keys(schema).length === 2 &&
  typeof schema.type === "string" &&
  Array.isArray(schema.enum)

/** What any of these schemas takes. */
const either = (schemas: ReadonlyArray<unknown>): unknown => {
  const distinct = [...new Map(schemas.map((one) => [JSON.stringify(one), one])).values()]
  const [first] = distinct
  if (distinct.length < 2) return first
  if (distinct.every(isEnum) && distinct.every(({ type }) => type === distinct[0]?.type)) {
    return { type: distinct[0]?.type, enum: [...new Set(distinct.flatMap((one) => one.enum))] }
  }
  return { anyOf: distinct }
}

const eitherOf = (members: ReadonlyArray<Keywords>, keyword: string): Keywords => {
  const names = new Set(members.flatMap((member) => Object.keys(keywords(member[keyword]))))
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      either(
        members.flatMap((member) => {
          const all = keywords(member[keyword])
          return Object.hasOwn(all, name) ? [all[name]] : []
        })
      )
    ])
  )
}

/** What a key takes that no member names. */
const othersOf = (members: ReadonlyArray<Keywords>): unknown => {
  const open = members
    .map(({ additionalProperties }) => additionalProperties ?? true)
    .filter((others) => others !== false)
  return open.length === 0 ? false : open.includes(true) ? true : either(open)
}

/** The keys of a member in words: `{ kind: "circle", radius, label? }`, and `…` where others may be given. */
const inWords = (member: Keywords): string => {
  const required = textsOf(member.required)
  const keys = Object.entries(keywords(member.properties)).map(([name, schema]) =>
    isEnum(schema) && schema.enum.length === 1
      ? `${name}: ${JSON.stringify(schema.enum[0])}`
      : required.includes(name)
        ? name
        : `${name}?`
  )
  const all = othersOf([member]) === false ? keys : [...keys, "…"]
  return all.length === 0 ? "{}" : `{ ${all.join(", ")} }`
}

/** A schema of objects as a schema of one, or nothing when it takes what is no object. */
export const oneObject = (schema: Keywords): Keywords | undefined => {
  if (schema.type === "object") return schema
  const members = membersOf(schema)
  if (members === undefined) return undefined
  const { anyOf: _, description, ...rest } = schema
  const patterns = eitherOf(members, "patternProperties")
  const choice = `One of: ${[...new Set(members.map(inWords))].join(" or ")}`
  return {
    ...rest,
    type: "object",
    description: typeof description === "string" ? `${description}. ${choice}` : choice,
    required: textsOf(members[0]?.required).filter((name) =>
      members.every(({ required }) => textsOf(required).includes(name))
    ),
    properties: eitherOf(members, "properties"),
    ...(Object.keys(patterns).length === 0 ? {} : { patternProperties: patterns }),
    additionalProperties: othersOf(members)
  }
}
