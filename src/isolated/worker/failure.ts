/** What a tool failed with, so that its caller can tell failures apart as it can in one process. */
import { Either, Schema } from "effect"
import { categories, categoryNames } from "../../capabilities/Capabilities.js"
import { plain } from "../../registry/execution/Elsewhere.js"
import type * as Tool from "../../tools/Tool.js"

const errors: ReadonlyArray<Schema.Schema.AnyNoContext> = categoryNames.map((name) => categories[name].error)

const encoded = (schema: Schema.Schema.AnyNoContext, failure: unknown): unknown =>
  Either.getOrUndefined(Schema.encodeUnknownEither(schema)(failure))

const data = (failure: unknown): unknown => {
  try {
    return plain(failure)
  } catch {
    return undefined
  }
}

/** As data: by the tool's own schema, by that of a capability's error, or as it is. */
export const carried = (tool: Tool.Any, failure: unknown): unknown => {
  const schemas = tool.failure === undefined ? errors : [tool.failure, ...errors]
  for (const schema of schemas) {
    try {
      if (Schema.is(schema)(failure)) return data(encoded(schema, failure))
    } catch {
      // A schema that breaks says nothing of the failure.
    }
  }
  return data(failure)
}
