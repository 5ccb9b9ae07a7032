/** The calls of a turn, as a file gives them: `[{ "id", "name", "args" }]`. */
import { quote } from "../../../policy/text/Quote.js"
import type { Call } from "../../../registry/Call.js"
import { CliError } from "../../CliError.js"
import { parseJson } from "../../strictJson.js"

const MAX_CALLS = 10_000

const keys = ["id", "name", "args"]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A number that is too large to be exact is not the one that was written. */
const idOf = (id: unknown): unknown =>
  typeof id === "number" && Math.abs(id) <= Number.MAX_SAFE_INTEGER ? String(id) : id

const one = (file: string, value: unknown, index: number): Call => {
  const refuse = (detail: string) => new CliError(`${file}: call ${index + 1} ${detail}`)
  if (!isObject(value)) throw refuse('is not an object; write { "id": "1", "name": "read_file", "args": {} }')
  const unknown = Object.keys(value).find((key) => !keys.includes(key))
  if (unknown !== undefined) {
    throw refuse(`has the key ${quote(unknown)}; a call has the keys 'id', 'name' and 'args'`)
  }
  const { args = {}, name } = value
  const id = idOf(value.id)
  if (typeof id !== "string" || id === "") throw refuse("has no 'id'; give it a string of its own")
  if (typeof name !== "string" || name === "") throw refuse("has no 'name'; name the tool that it calls")
  return { id, name, args }
}

/** Throws a `CliError` that names what is wrong. */
export const parseCalls = (file: string, text: string): ReadonlyArray<Call> => {
  const value = parseJson(file, text)
  if (!Array.isArray(value)) {
    throw new CliError(
      `${file} is not a list of calls; write [{ "id": "1", "name": "read_file", "args": {} }]`
    )
  }
  if (value.length > MAX_CALLS) throw new CliError(`${file} holds more than ${MAX_CALLS} calls; split it`)
  const calls = value.map((given: unknown, index) => one(file, given, index))
  const seen = new Set<string>()
  for (const { id } of calls) {
    if (seen.has(id))
      throw new CliError(`${file}: the id ${quote(id)} is used twice; give every call its own`)
    seen.add(id)
  }
  return calls
}
