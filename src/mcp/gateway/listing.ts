/** What a server lists of its tools, read as a stranger's: what does not fit is left out, and what is too much fails. */
import { Effect } from "effect"
import { seen } from "../../policy/text/Quote.js"
import { isObject } from "../protocol/ReadMessage.js"
import { GatewayError } from "./GatewayError.js"
import type { Limits } from "./Limits.js"
import type { Peer } from "./Peer.js"
import type { JsonSchema, PinnedTool } from "./PinnedTool.js"
import { visible } from "./words.js"

/** Texts for readers. All others are compared letter by letter, and hide nothing. */
const WORDS = new Set(["description", "title", "$comment"])

class Unreadable extends Error {}

const readable = (value: unknown, key: string, left: number, limits: Limits): unknown => {
  if (left === 0) throw new Unreadable()
  if (typeof value === "string") {
    if (WORDS.has(key)) return visible(value, limits.descriptionLength)
    if (seen(value) !== value) throw new Unreadable()
    return value
  }
  if (Array.isArray(value)) return value.map((one) => readable(one, "", left - 1, limits))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (seen(name) !== name) throw new Unreadable()
      return [name, readable(one, name, left - 1, limits)]
    })
  )
}

/** A schema of an object, as it may be shown to a model. */
const schemaOf = (given: unknown, limits: Limits): JsonSchema | undefined => {
  if (!isObject(given) || given.type !== "object") return undefined
  try {
    const schema = readable(given, "", limits.schemaDepth, limits)
    return JSON.stringify(schema).length <= limits.schemaLength ? (schema as JsonSchema) : undefined
  } catch {
    return undefined
  }
}

const LONGEST_NAME = 256

const textOf = (given: unknown, limits: Limits): string =>
  typeof given === "string" ? visible(given, limits.descriptionLength) : ""

/** One tool, or nothing where it cannot be read. */
const toolOf = (given: unknown, limits: Limits): PinnedTool | undefined => {
  if (!isObject(given)) return undefined
  const { annotations, description, inputSchema, name, outputSchema, title } = given
  if (typeof name !== "string" || name === "" || name.length > LONGEST_NAME || seen(name) !== name) {
    return undefined
  }
  const parameters = schemaOf(inputSchema, limits)
  const output = outputSchema === undefined ? undefined : schemaOf(outputSchema, limits)
  if (parameters === undefined || (outputSchema !== undefined && output === undefined)) return undefined
  const hints = isObject(annotations) ? annotations : {}
  const said = textOf(title ?? hints.title, limits)
  return {
    name,
    ...(said === "" ? {} : { title: said }),
    description: textOf(description, limits),
    parameters,
    ...(output === undefined ? {} : { output }),
    // What it does not say is the worse of both, as the protocol has it.
    readOnly: hints.readOnlyHint === true,
    destructive: hints.destructiveHint !== false,
    idempotent: hints.idempotentHint === true,
    openWorld: hints.openWorldHint !== false
  }
}

const tooMuch = (what: string) =>
  new GatewayError({ code: "SERVER_MALFORMED", detail: `the server lists more than ${what}` })

/** All tools of a server, page by page. A name that comes twice is nobody's. */
export const listed = (
  peer: Peer,
  limits: Limits
): Effect.Effect<ReadonlyMap<string, PinnedTool>, GatewayError> =>
  Effect.gen(function* () {
    const found = new Map<string, PinnedTool>()
    const twice = new Set<string>()
    let count = 0
    let cursor: string | undefined
    for (let page = 0; page < limits.pages; page++) {
      const answer = yield* peer.request("tools/list", cursor === undefined ? {} : { cursor })
      const { nextCursor, tools } = answer as { readonly nextCursor?: unknown; readonly tools?: unknown }
      if (!Array.isArray(tools)) {
        const detail = "the server answered tools/list without a list of tools"
        return yield* new GatewayError({ code: "SERVER_MALFORMED", detail })
      }
      count += tools.length
      if (count > limits.tools) return yield* tooMuch(`${limits.tools} tools`)
      for (const one of tools) {
        const tool = toolOf(one, limits)
        if (tool === undefined) continue
        if (found.has(tool.name)) twice.add(tool.name)
        else found.set(tool.name, tool)
      }
      if (typeof nextCursor !== "string" || nextCursor === "") {
        for (const name of twice) found.delete(name)
        return found
      }
      cursor = nextCursor
    }
    return yield* tooMuch(`${limits.pages} pages of tools`)
  })
