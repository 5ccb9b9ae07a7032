/** The text of a profile: rules, filters and paths. */
import { shown } from "../../../../policy/text/Quote.js"

declare const Text: unique symbol

/** A path in parentheses: itself, or with all that is below it. */
export type Filter = string & { readonly [Text]: "filter" }

/** Why a path has no place in a profile. */
export type Nameless = string

// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Cs}/u

/** Nothing for a path that a profile can name. */
export const named = (path: string): Nameless | undefined => {
  if (!path.startsWith("/")) return `'${shown(path)}' is not absolute, and no profile can name it`
  const isPlain = !CONTROL.test(path) && !/(?:^|\/)\.{1,2}(?:\/|$)|\/\/|.\/$/.test(path)
  return isPlain ? undefined : `no profile can name '${shown(path)}'; rename it`
}

const quoted = (path: string): string => `"${path.replace(/[\\"]/g, "\\$&")}"`

/** The root has everything below it. */
export const filterOf = (path: string, isTree: boolean): Filter =>
  `(${isTree ? "subpath" : "literal"} ${quoted(path)})` as Filter

/** The directories that lead to a path, without the root. */
export const above = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .slice(1, -1)
    .map((_, at, all) => `/${all.slice(0, at + 1).join("/")}`)

/** A rule without filters would be about everything. */
export const rule = (
  verdict: "allow" | "deny",
  operations: string,
  filters: ReadonlyArray<Filter>
): ReadonlyArray<string> =>
  filters.length === 0 ? [] : [`(${verdict} ${operations}${filters.map((one) => `\n  ${one}`).join("")})`]
