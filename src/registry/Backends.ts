/**
 * What a turn can use of the surrounding program: whichever backends it provides, and the services that tools list.
 *
 * @since 0.1.0
 */
import { Context } from "effect"
import { AuditSink } from "../audit/AuditSink.js"
import {
  type Capabilities,
  type Category,
  categories,
  categoryNames,
  ofItself
} from "../capabilities/Capabilities.js"
import { Progress } from "../tools/Progress.js"
import { Answering } from "./inquiry/Answering.js"

/** Who listens to progress, who answers servers and where decisions are kept is no capability, and comes along. */
const tags = [
  ...new Set<{ readonly key: string }>([
    ...categoryNames.flatMap((name): ReadonlyArray<{ readonly key: string }> => categories[name].backends),
    Progress,
    Answering,
    AuditSink
  ])
]

/**
 * Of a context, only the backends, and the services of these keys.
 *
 * @since 0.1.0
 * @category constructors
 */
export const from = (
  { unsafeMap }: Context.Context<never>,
  listed: ReadonlyArray<string>
): Context.Context<never> =>
  Context.unsafeMake(
    new Map([
      ...tags.flatMap(({ key }) => {
        const service: unknown = unsafeMap.get(key)
        return service === undefined ? [] : [[key, service] as const]
      }),
      ...listed.filter((key) => unsafeMap.has(key)).map((key) => [key, unsafeMap.get(key)] as const)
    ])
  )

/**
 * Whether two contexts hold the same backends, and the same services of these keys. A service that is another object is
 * another service: it may be another tenant's.
 *
 * @since 0.1.0
 * @category predicates
 */
export const same = (
  a: Context.Context<never>,
  b: Context.Context<never>,
  listed: ReadonlyArray<string>
): boolean =>
  a === b ||
  (tags.every(({ key }) => a.unsafeMap.get(key) === b.unsafeMap.get(key)) &&
    listed.every(
      (key) => a.unsafeMap.get(key) === b.unsafeMap.get(key) && a.unsafeMap.has(key) === b.unsafeMap.has(key)
    ))

/**
 * The first category of a declaration that has no backend.
 *
 * @since 0.1.0
 * @category predicates
 */
export const missing = (declared: Capabilities, backends: Context.Context<never>): Category | undefined =>
  (Object.keys(ofItself(declared)) as ReadonlyArray<Category>).find((category) =>
    categories[category].backends.some(({ key }) => !backends.unsafeMap.has(key))
  )
