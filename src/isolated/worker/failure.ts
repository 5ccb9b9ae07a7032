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

/** As data: as the error of a capability that it is, by the tool's own schema, or as it is. */
export const carried = ({ failure: own }: Tool.Any, failure: unknown): unknown => {
  for (const schema of own === undefined ? errors : [...errors, own]) {
    try {
      if (Schema.is(schema)(failure)) return data(encoded(schema, failure))
    } catch {
      // A schema that breaks says nothing of the failure.
    }
  }
  return data(failure)
}
