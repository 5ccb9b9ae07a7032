/** The text of a record: a Markdown file whose front matter says what it is. */
import { Either } from "effect"
import type { Problem } from "../text/Problem.js"
import { fromValue, isMapping } from "./Data.js"
import { split } from "./FrontMatter.js"
import { lines } from "./WrittenYaml.js"

export { merge } from "./merge.js"
export { glance, type RecordText, read, UNCLASSED } from "./read.js"

const fenced = (yaml: ReadonlyArray<string>, body: string): string => ["---", ...yaml, "---", body].join("\n")

/** Whether a text would be taken for one that opens a front matter. */
const opens = (text: string): boolean => {
  const parts = split(text)
  return Either.isLeft(parts) || parts.right.fenced
}

/** The text of a new record. Throws on what no JSON could hold. */
export const compose = (frontMatter: { readonly [key: string]: unknown }, body: string): string => {
  const data = fromValue(frontMatter)
  const yaml = isMapping(data) ? lines(data) : []
  return yaml.length === 0 && !opens(body) ? body : fenced(yaml, body)
}

/** The same front matter, byte for byte, above another body. */
export const withBody = (text: string, body: string): Either.Either<string, Problem> =>
  Either.map(split(text), (parts) => {
    if (!parts.fenced) return opens(body) ? fenced([], body) : body
    const above = text.slice(0, text.length - parts.body.length)
    return above.endsWith("\n") || body === "" ? above + body : `${above}\n${body}`
  })
