/** The parameters of a tool: as a decoder that takes nothing more, and as the model is shown them. */
import { JSONSchema, Schema, type SchemaAST } from "effect"

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

/**
 * Whether a schema has code in it that may answer with an Effect: a transformation or a declaration of its own.
 *
 * @since 0.1.0
 * @category schemas
 */
export const mayWait = (ast: SchemaAST.AST): boolean => {
  const known = new Set<SchemaAST.AST>()
  const waits = (one: SchemaAST.AST): boolean => {
    if (known.has(one)) return false
    known.add(one)
    switch (one._tag) {
      case "Declaration":
        return true
      case "Transformation":
        return one.transformation._tag === "FinalTransformation" || waits(one.from) || waits(one.to)
      case "Refinement":
        return waits(one.from)
      case "Suspend":
        return waits(one.f())
      case "Union":
        return one.types.some(waits)
      case "TupleType":
        return [...one.elements, ...one.rest].some(({ type }) => waits(type))
      case "TypeLiteral":
        return [
          ...one.propertySignatures.map(({ type }) => type),
          ...one.indexSignatures.flatMap(({ parameter, type }) => [parameter, type])
        ].some(waits)
      default:
        return false
    }
  }
  return waits(ast)
}
