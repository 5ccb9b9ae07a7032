/** From the exit of a tool to its result: in words, and without a stack. */
import { Cause, type Exit, Option, ParseResult } from "effect"
import type { Denial } from "../../policy/lattice/Denial.js"
import type * as Tool from "../../tools/Tool.js"
import type { Planned } from "../Plan.js"
import * as ToolResult from "../ToolResult.js"

const MAX_ERROR = 4_000

/** Whoever shows an error has taken the secrets out of it first: half of one would not be found. */
export const short = (text: string): string =>
  text.length <= MAX_ERROR
    ? text
    : `${text.slice(0, MAX_ERROR)}… (${text.length - MAX_ERROR} more characters)`

const MAX_DEPTH = 256

/** Whether a value can be written down: a tool may answer with a circle, or with something that throws when read. */
const isPlain = (value: unknown, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (depth === MAX_DEPTH) return false
  if (value instanceof Uint8Array) return true
  for (const key in value) if (!isPlain((value as Record<string, unknown>)[key], depth + 1)) return false
  return true
}

const shown = (tool: Tool.Any, value: unknown): ToolResult.ToolResult => {
  try {
    if (isPlain(value, 0)) return ToolResult.succeed(value === undefined ? null : value)
  } catch {
    // Reading it threw: it is as little to be shown as a circle.
  }
  return ToolResult.fail(
    "execution_failed",
    `${tool.name} answered with what cannot be written down: a circle, more than ${MAX_DEPTH} levels, or a property that throws`
  )
}

const property = (value: object, key: string): unknown => {
  try {
    return Reflect.get(value, key)
  } catch {
    return undefined
  }
}

const plain = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return "something that cannot be shown"
  }
}

/** What a tool failed with, in the words that its author chose. */
const wordsOf = (failure: unknown): string => {
  if (typeof failure === "string") return failure === "" ? "it failed without saying why" : failure
  if (typeof failure !== "object" || failure === null) return String(failure)
  const message = property(failure, "message")
  if (typeof message === "string" && message !== "") return message
  const tag = property(failure, "_tag")
  return typeof tag === "string" && failure instanceof Error ? tag : plain(failure)
}

const denialOf = (failure: unknown): Denial | undefined => {
  if (typeof failure !== "object" || failure === null) return undefined
  const denial = property(failure, "denial")
  return typeof denial === "object" && denial !== null && "reason" in denial ? (denial as Denial) : undefined
}

const failed = (cause: Cause.Cause<unknown>): ToolResult.ToolResult<never> => {
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure)) {
    return ToolResult.fail("execution_failed", wordsOf(failure.value), denialOf(failure.value))
  }
  const defect = Cause.dieOption(cause)
  if (Option.isSome(defect)) return ToolResult.fail("execution_failed", wordsOf(defect.value))
  return ToolResult.fail("interrupted", "the call was interrupted")
}

/** Where an argument or an answer is not as its schema says, in one sentence. */
export const mismatch = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .slice(0, 3)
    .map(({ message, path }) => (path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`))
    .join("; ")

export const outcomeOf = (
  { encode, tool }: Planned,
  exit: Exit.Exit<unknown, unknown>
): ToolResult.ToolResult => {
  if (exit._tag === "Failure") return failed(exit.cause)
  if (encode === undefined) return shown(tool, exit.value)
  const encoded = encode(exit.value)
  return encoded._tag === "Right"
    ? shown(tool, encoded.right)
    : ToolResult.fail(
        "execution_failed",
        `${tool.name} answered with what its success schema does not describe: ${mismatch(encoded.left)}`
      )
}

export const expired = ({ name }: Tool.Any, millis: number): ToolResult.ToolResult<never> =>
  ToolResult.fail("timeout", `${name} did not finish within ${millis} ms`)

export const interrupted: ToolResult.ToolResult<never> = ToolResult.fail(
  "interrupted",
  "the call was interrupted"
)
