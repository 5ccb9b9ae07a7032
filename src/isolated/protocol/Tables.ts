/**
 * The services that can be served to a process of its own, by the keys of their tags: those of the categories, and those
 * of an application that says what its operations are.
 *
 * @since 0.1.0
 */
import { categories, categoryNames } from "../../capabilities/Capabilities.js"
import type { Operation, Operations, RemoteTag } from "../../capabilities/Remote.js"

/**
 * The tags of all categories.
 *
 * @since 0.1.0
 * @category tables
 */
export const ofCategories: ReadonlyMap<string, RemoteTag> = new Map(
  categoryNames.flatMap((name) =>
    categories[name].tags.map((tag): readonly [string, RemoteTag] => [tag.key, tag])
  )
)

const isSchema = (value: unknown): boolean =>
  (typeof value === "object" || typeof value === "function") && value !== null && "ast" in value

const isOperation = (value: unknown): value is Operation =>
  typeof value === "object" &&
  value !== null &&
  ["payload", "success", "failure"].every((part) => isSchema(Reflect.get(value, part)))

/**
 * What an application service can be asked, where its tag says so: `static readonly operations`, with the schemas of each
 * method. Each method takes one value, or none, and answers with an `Effect`, or a `Stream` where `stream` is `true`.
 *
 * @since 0.1.0
 * @category accessors
 */
export const operationsIn = (tag: object): Operations | undefined => {
  const given: unknown = Reflect.get(tag, "operations")
  if (typeof given !== "object" || given === null) return undefined
  const all = Object.entries(given)
  return all.length > 0 && all.every(([, one]) => isOperation(one)) ? (given as Operations) : undefined
}
