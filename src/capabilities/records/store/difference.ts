/** What differs between two texts of a record, by the names of keys and never by what they hold. */
import { Either } from "effect"
import { same } from "../../../policy/record/Data.js"
import { type RecordText, read } from "../../../policy/record/RecordText.js"
import { quote } from "../../../policy/text/Quote.js"

const NAMES = 10

const named = (keys: ReadonlyArray<string>, happened: string): ReadonlyArray<string> => {
  if (keys.length === 0) return []
  const more = keys.length > NAMES ? ` and ${keys.length - NAMES} more` : ""
  return [`${keys.slice(0, NAMES).map(quote).join(", ")}${more} ${happened}`]
}

const between = (before: RecordText, after: RecordText): ReadonlyArray<string> => {
  const [old, now] = [before.frontMatter, after.frontMatter]
  const [oldKeys, nowKeys] = [Object.keys(old), Object.keys(now)]
  return [
    ...named(
      nowKeys.filter((key) => key in old && !same(old[key], now[key])),
      "changed"
    ),
    ...named(
      nowKeys.filter((key) => !(key in old)),
      "added"
    ),
    ...named(
      oldKeys.filter((key) => !(key in now)),
      "removed"
    ),
    ...(before.body === after.body ? [] : ["the body changed"])
  ]
}

/** Empty where it cannot be told. */
export const differenceOf = (before: string | undefined, after: RecordText): string => {
  if (before === undefined) return ""
  const old = read(before)
  if (Either.isLeft(old)) return ""
  const parts = between(old.right, after)
  return parts.length === 0 ? "only its spelling changed" : parts.join("; ")
}
