/**
 * Lists by pages. A cursor is the name of the last item of a page, in base64: it finds its place again when the list has
 * changed, and whoever forges one names an item of the same list, or nothing.
 */
import { Effect, Either, Encoding } from "effect"
import { own } from "../protocol/ReadMessage.js"
import { type Problem, problem } from "./problem.js"

export interface Page<out A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor?: string
}

const unknown = problem(
  "invalidParams",
  "the cursor is not known any more; ask for the list again, without a cursor"
)

const startOf = (names: ReadonlyArray<string>, cursor: unknown): number | undefined => {
  if (cursor === undefined) return 0
  if (typeof cursor !== "string") return undefined
  const name = Either.getOrUndefined(Encoding.decodeBase64UrlString(cursor))
  const at = name === undefined ? -1 : names.indexOf(name)
  return at === -1 ? undefined : at + 1
}

export const pageOf = <A>(
  all: ReadonlyArray<A>,
  nameOf: (item: A) => string,
  params: unknown,
  size: number
): Effect.Effect<Page<A>, Problem> => {
  const from = startOf(all.map(nameOf), own(params, "cursor"))
  if (from === undefined) return Effect.fail(unknown)
  const items = all.slice(from, from + size)
  const last = items.at(-1)
  return Effect.succeed(
    last === undefined || from + size >= all.length
      ? { items }
      : { items, nextCursor: Encoding.encodeBase64Url(nameOf(last)) }
  )
}
