/**
 * What a model reads of a result: the value, or the sentence of the failure. A denial stays with the program: what is
 * held, and how it is written down, is for operators.
 */
import { Encoding } from "effect"
import * as ToolResult from "../registry/ToolResult.js"

/** What JSON has no word for, in words that it has. */
const inJson = (value: unknown): unknown => {
  if (value instanceof Map) return [...value]
  if (value instanceof Set) return [...value]
  if (value instanceof ArrayBuffer) return Encoding.encodeBase64(new Uint8Array(value))
  if (!ArrayBuffer.isView(value)) return value
  return Encoding.encodeBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
}

const stringify = (value: unknown): string =>
  JSON.stringify(value, function (this: unknown, key, given) {
    // A Buffer has written itself down before it comes here; its holder still has it.
    const held = typeof this === "object" && this !== null ? Reflect.get(this, key) : given
    const written = inJson(held)
    return written === held ? given : written
  }) ?? "null"

/** Bytes become base64, maps lists of pairs, sets lists; all else is as it is. */
export const dataOf = (value: unknown): unknown =>
  typeof value === "string" ? value : JSON.parse(stringify(value))

/** A result without its denial. */
export const shown = <A>(result: ToolResult.ToolResult<A>): ToolResult.ToolResult<A> =>
  result.ok ? result : ToolResult.fail(result.code, result.error)

const CUT = "[cut: this is not all of the result]"

/** A text is itself, and all else is JSON. What was cut says so, because a list that was cut does not. */
export const textOf = (result: ToolResult.ToolResult): string => {
  if (!result.ok) return `${result.code}: ${result.error}`
  const text = typeof result.value === "string" ? result.value : stringify(result.value)
  return result.truncated === true ? `${text}\n${CUT}` : text
}
