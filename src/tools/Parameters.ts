/** The parameters of a tool: as a decoder that takes nothing more, and as the model is shown them. */
import { JSONSchema, Schema } from "effect"

/** No fields and no index signature: to the decoder, that is anything but null. */
const takesNothing = ({ ast }: Schema.Schema.AnyNoContext): boolean =>
  ast._tag === "TypeLiteral" && ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0

const NoParameters = Schema.Unknown.pipe(
  Schema.filter(
    (input) =>
      typeof input === "object" &&
      input !== null &&
      Object.getPrototypeOf(input) === Object.prototype &&
      Object.keys(input).length === 0,
    {
      message: () => "expected an empty object: there are no parameters"
    }
  )
)

export const closed = (parameters: Schema.Schema.AnyNoContext): Schema.Schema.AnyNoContext =>
  takesNothing(parameters) ? NoParameters : parameters

export const fieldsOf = (schema: object): ReadonlyArray<string> | undefined => {
  const fields: unknown = Reflect.get(schema, "fields")
  return typeof fields === "object" && fields !== null ? Object.keys(fields) : undefined
}

/** A schema with a name would be a reference; the model is shown the object itself. */
export const jsonSchemaOf = (parameters: Schema.Schema.AnyNoContext): JSONSchema.JsonSchema7Root => {
  const $schema = "http://json-schema.org/draft-07/schema#"
  // The encoder has no schema for a struct without fields but "anything that is not null".
  if (takesNothing(parameters)) {
    return { $schema, type: "object", required: [], properties: {}, additionalProperties: false }
  }
  const definitions = {}
  const object = JSONSchema.fromAST(parameters.ast, { definitions, topLevelReferenceStrategy: "skip" })
  return { $schema, ...object, ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }) }
}
