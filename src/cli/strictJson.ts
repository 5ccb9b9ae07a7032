/** JSON that an operator hands in, or one sentence that names the place where it is wrong. */
import { Either } from "effect"
import { placeIn, readJson } from "../policy/text/StrictJson.js"
import { CliError } from "./CliError.js"

/** `name` is how the file is called in the sentence. Throws a `CliError`. */
export const parseJson = (name: string, text: string): unknown =>
  Either.getOrThrowWith(
    readJson(text),
    ({ column, detail, line }) => new CliError(`${name}:${line}:${column} is not JSON: ${detail}`)
  )

/** Throws a `CliError` for what is JSON and no object, too. */
export const parseObject = (name: string, text: string): Readonly<Record<string, unknown>> => {
  const value = parseJson(name, text)
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>
  }
  const { column, line } = placeIn(text, text.search(/[^\s\uFEFF]/))
  throw new CliError(`${name}:${line}:${column} is not an object of parameters; write { "key": "value" }`)
}
