/**
 * The backends that a turn can use: whichever of them the surrounding program provides.
 *
 * @since 0.1.0
 */
import { Context } from "effect"
import { type Category, categories, categoryNames } from "../capabilities/Capabilities.js"
import { Progress } from "../tools/Progress.js"

/** A listener for progress is no capability, and comes along. */
const tags = [
  ...new Set<{ readonly key: string }>([
    ...categoryNames.flatMap((name): ReadonlyArray<{ readonly key: string }> => categories[name].backends),
    Progress
  ])
]

/**
 * Only the backends of a context.
 *
 * @since 0.1.0
 * @category constructors
 */
export const from = (context: Context.Context<never>): Context.Context<never> =>
  Context.unsafeMake(
    new Map(
      tags.flatMap(({ key }) => {
        const service: unknown = context.unsafeMap.get(key)
        return service === undefined ? [] : [[key, service] as const]
      })
    )
  )

/**
 * Whether two contexts hold the same backends.
 *
 * @since 0.1.0
 * @category predicates
 */
export const same = (a: Context.Context<never>, b: Context.Context<never>): boolean =>
  a === b || tags.every(({ key }) => a.unsafeMap.get(key) === b.unsafeMap.get(key))

/**
 * The first category of a declaration that has no backend.
 *
 * @since 0.1.0
 * @category predicates
 */
export const missing = (declared: object, backends: Context.Context<never>): Category | undefined =>
  (Object.keys(declared) as ReadonlyArray<Category>).find((category) =>
    categories[category].backends.some(({ key }) => !backends.unsafeMap.has(key))
  )
