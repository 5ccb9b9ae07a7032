/** JSON that an operator hands in, or one sentence that names the place where it is wrong. */
import { Either } from "effect"
import { readJson } from "../policy/text/StrictJson.js"
import { CliError } from "./CliError.js"

/** `name` is how the file is called in the sentence. Throws a `CliError`. */
export const parseJson = (name: string, text: string): unknown =>
  Either.getOrThrowWith(
    readJson(text),
    ({ column, detail, line }) => new CliError(`${name}:${line}:${column} is not JSON: ${detail}`)
  )
