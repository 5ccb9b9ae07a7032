/** The application services that a tool lists, read from its tags at run time. */
import { Context, Either } from "effect"
import { foreign } from "./foreign.js"

/** Those that nobody has to provide, by the list that they stand in: a reference has a value without that. */
const defaulted = new WeakMap<ReadonlyArray<string>, ReadonlySet<string>>()

/** The tags themselves, by the list of their keys. */
const tags = new WeakMap<ReadonlyArray<string>, ReadonlyArray<{ readonly key: string }>>()

const nothing: ReadonlyArray<string> = Object.freeze([])

/** Keys are shown to people who decide about the tool: what they cannot see is no part of one. */
const isKey = (key: unknown): key is string =>
  typeof key === "string" && key.length <= 256 && /^[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u.test(key)

/** The keys of a list of tags, or what is wrong with it. */
export const read = (list: unknown): Either.Either<ReadonlyArray<string>, string> => {
  if (list === undefined) return Either.right(nothing)
  if (!Array.isArray(list)) return Either.left("services are not a list of tags")
  const keys: Array<string> = []
  const references = new Set<string>()
  const found: Array<{ readonly key: string }> = []
  for (const tag of Array.from<unknown>(list)) {
    if (!Context.isTag(tag))
      return Either.left("services hold what is not a tag: list tags, not services or layers")
    const key: unknown = tag.key
    if (!isKey(key)) return Either.left("services hold a tag without a key of visible characters")
    const refused = foreign(key)
    if (refused !== undefined) return Either.left(refused)
    if (keys.includes(key)) return Either.left(`'${key}' is listed twice: list it once`)
    keys.push(key)
    found.push(tag)
    if (Context.isReference(tag)) references.add(key)
  }
  Object.freeze(keys)
  defaulted.set(keys, references)
  tags.set(keys, Object.freeze(found))
  return Either.right(keys)
}

/** The first service of a list that must be provided and is not. */
export const missing = (
  listed: ReadonlyArray<string>,
  provided: Context.Context<never>
): string | undefined =>
  listed.find((key) => !provided.unsafeMap.has(key) && defaulted.get(listed)?.has(key) !== true)

/** The tags that a list of keys was read from. */
export const tagsOf = (listed: ReadonlyArray<string>): ReadonlyArray<{ readonly key: string }> =>
  tags.get(listed) ?? []
