/** What a server lists of its tools, read as a stranger's: what does not fit is left out, and what is too much fails. */
import { Effect } from "effect"
import { seen } from "../../policy/text/Quote.js"
import { jsonSchemaOf, visible } from "../../policy/text/Stranger.js"
import { isObject } from "../protocol/ReadMessage.js"
import { GatewayError } from "./GatewayError.js"
import type { Limits } from "./Limits.js"
import type { Peer } from "./Peer.js"
import type { JsonSchema, PinnedTool } from "./PinnedTool.js"

/** A schema of an object, as it may be shown to a model. */
const schemaOf = (given: unknown, limits: Limits): JsonSchema | undefined =>
  isObject(given) && given.type === "object" ? jsonSchemaOf(given, limits) : undefined

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
