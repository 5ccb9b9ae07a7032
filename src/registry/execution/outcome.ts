/** From a tool to its exit, and from there to its result: in words, and without a stack. */
import { Cause, Effect, type Exit, Option, ParseResult, Schema } from "effect"
import { AgentsError } from "../../capabilities/agents/AgentsOperations.js"
import { RecordsError } from "../../capabilities/records/RecordsOperations.js"
import { StorageError } from "../../capabilities/storage/StorageOperations.js"
import { Denial } from "../../policy/lattice/Denial.js"
import { prettyCause } from "../../policy/text/PrettyCause.js"
import type * as Tool from "../../tools/Tool.js"
import { InputInvalid } from "../InputInvalid.js"
import { NotAvailable } from "../NotAvailable.js"
import type { Planned } from "../Plan.js"
import * as ToolResult from "../ToolResult.js"
import { coded } from "./codec.js"
import { dataOf, MAX_DEPTH } from "./data.js"
import { outside } from "./Outside.js"

const contract = ({ name }: Tool.Any) =>
  Effect.fail(`${name} broke its contract: execute must return an Effect`)

/** All of it runs in the tool's own fiber, also what it does before it has an effect to give. */
export const effectOf = (tool: Tool.Any, args: unknown): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    const effect: unknown = tool.execute(args)
    return Effect.isEffect(effect) ? (effect as Effect.Effect<unknown, unknown>) : contract(tool)
  })

const MAX_ERROR = 4_000

/** Whoever shows an error has taken the secrets out of it first: half of one would not be found. */
export const short = (text: string): string =>
  text.length <= MAX_ERROR
    ? text
    : `${text.slice(0, MAX_ERROR)}… (${text.length - MAX_ERROR} more characters)`

const shown = (tool: Tool.Any, value: unknown): ToolResult.ToolResult => {
  try {
    const data = dataOf(value)
    return ToolResult.succeed(data === undefined ? null : data)
  } catch {
    // Reading it threw: it is as little to be shown as a circle.
  }
  return ToolResult.fail(
    "execution_failed",
    `${tool.name} answered with what cannot be written down: an Effect that was not run, a big integer, a circle, more than ${MAX_DEPTH} levels, or a property that throws`
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

const asDenial = Schema.decodeUnknownOption(Denial)

/** Whatever a failure carries is a tool's: what is no denial in all its parts is none. */
const denialOf = ({ name }: Tool.Any, failure: unknown): Denial | undefined => {
  if (typeof failure !== "object" || failure === null) return undefined
  const given = property(failure, "denial")
  if (typeof given !== "object" || given === null) return undefined
  try {
    const denial = asDenial(dataOf(given))
    return Option.isSome(denial) ? { ...denial.value, tool: name } : undefined
  } catch {
    return undefined
  }
}

/** A few words and nothing else: no name of a host, a file or a person, no number, no second line. */
const isWords = (text: string): boolean =>
  text.length <= 200 && /^\p{L}\p{Ll}*(?:[,;:]? \p{Ll}+)*[.!?]?$/u.test(text)

/** What a defect says is the host's, and goes to the log; the model is told no more of it than plain words. */
export const broken = ({ name }: Tool.Any, cause: Cause.Cause<unknown>): ToolResult.ToolResult<never> => {
  const words = Option.match(Cause.dieOption(cause), { onNone: () => "", onSome: wordsOf })
  return ToolResult.fail(
    "execution_failed",
    isWords(words) ? words : `${name} broke unexpectedly; the log has the details under the id of this call`
  )
}

/** What a tool broke with, where that is how it ended. */
export const defectOf = (settled: Exit.Exit<unknown, unknown> | string): Cause.Cause<unknown> | undefined =>
  typeof settled === "object" &&
  settled._tag === "Failure" &&
  Option.isNone(Cause.failureOption(settled.cause)) &&
  Option.isSome(Cause.dieOption(settled.cause))
    ? settled.cause
    : undefined

const isAway = (failure: unknown): boolean =>
  (failure instanceof StorageError && failure.code === "STORAGE_UNAVAILABLE") ||
  (failure instanceof RecordsError && failure.code === "RECORDS_UNAVAILABLE") ||
  (failure instanceof AgentsError && failure.code === "AGENTS_UNAVAILABLE")

/** What a call comes to that did not succeed. */
export const failed = (tool: Tool.Any, cause: Cause.Cause<unknown>): ToolResult.ToolResult<never> => {
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure)) {
    // What a tool stands on is found missing when it is used: a server that does not start, a database that is away.
    if (failure.value instanceof NotAvailable || isAway(failure.value)) {
      return ToolResult.fail("not_available", wordsOf(failure.value))
    }
    if (failure.value instanceof InputInvalid) return ToolResult.fail("input_invalid", wordsOf(failure.value))
    return ToolResult.fail("execution_failed", wordsOf(failure.value), denialOf(tool, failure.value))
  }
  if (Option.isSome(Cause.dieOption(cause))) return broken(tool, cause)
  return ToolResult.fail("interrupted", "the call was interrupted")
}

/** A cause for the log; a defect may throw when it is read. */
export const pretty = (cause: Cause.Cause<unknown>): string => {
  try {
    return outside(() => prettyCause(cause))
  } catch {
    return "with something that cannot be shown"
  }
}

/** Where an argument or an answer is not as its schema says, in one sentence. */
export const mismatch = (error: ParseResult.ParseError): string => {
  try {
    return issuesOf(error)
  } catch {
    return "it does not fit, and its schema cannot say why"
  }
}

const issuesOf = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .slice(0, 3)
    .map(({ _tag, message, path }) => {
      // What a schema cannot do here it says with the stack of whoever tried.
      const said = _tag === "Forbidden" ? "its schema breaks, or waits for something" : message
      return path.length === 0 ? said : `${path.map(String).join(".")}: ${said}`
    })
    .join("; ")

export const outcomeOf = (
  { encode, tool }: Planned,
  exit: Exit.Exit<unknown, unknown>
): ToolResult.ToolResult => {
  if (exit._tag === "Failure") return failed(tool, exit.cause)
  if (encode === undefined) return shown(tool, exit.value)
  const encoded = coded(encode, exit.value)
  if (encoded._tag === "Success") return shown(tool, encoded.value)
  const error = Cause.failureOption(encoded.cause)
  return Option.isNone(error)
    ? broken(tool, encoded.cause)
    : ToolResult.fail(
        "execution_failed",
        `${tool.name} answered with what its success schema does not describe: ${mismatch(error.value)}`
      )
}

export const expired = ({ name }: Tool.Any, millis: number): ToolResult.ToolResult<never> =>
  ToolResult.fail("timeout", `${name} did not finish within ${millis} ms`)

export const interrupted: ToolResult.ToolResult<never> = ToolResult.fail(
  "interrupted",
  "the call was interrupted"
)
