/** The parameters of a tool: as a decoder that takes nothing more, and as the model is shown them. */
import { JSONSchema, Schema, SchemaAST } from "effect"
import { oneObject } from "./oneObject.js"

/** No fields and no index signature: to the decoder, that is anything but null. */
const takesNothing = (ast: SchemaAST.AST): boolean =>
  ast._tag === "TypeLiteral" && ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0

const Nothing = Schema.Unknown.annotations({
  jsonSchema: { type: "object", required: [], properties: {}, additionalProperties: false }
}).pipe(
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

/** A class is shown as what it is made from, which here is another schema. */
const shown = ({ [SchemaAST.SurrogateAnnotationId]: _, ...annotations }: SchemaAST.Annotations) => annotations

/** The same schema, in which an object without keys is one: at its root, and not in its fields. */
const closedAst = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (takesNothing(ast)) return Nothing.ast
  switch (ast._tag) {
    case "Refinement": {
      const from = closedAst(ast.from)
      return from === ast.from ? ast : new SchemaAST.Refinement(from, ast.filter, ast.annotations)
    }
    case "Transformation": {
      const from = closedAst(ast.from)
      return from === ast.from
        ? ast
        : new SchemaAST.Transformation(from, ast.to, ast.transformation, shown(ast.annotations))
    }
    case "Union": {
      const types = ast.types.map(closedAst)
      return types.every((type, index) => type === ast.types[index])
        ? ast
        : SchemaAST.Union.make(types, ast.annotations)
    }
    default:
      return ast
  }
}

export const closed = (parameters: Schema.Schema.AnyNoContext): Schema.Schema.AnyNoContext =>
  Schema.make(closedAst(parameters.ast))

/** Whether what a model sends is a plain object, or one of several: nothing that only this process can make. */
const takesObjects = (ast: SchemaAST.AST): boolean => {
  switch (ast._tag) {
    case "TypeLiteral":
      return true
    case "Refinement":
    case "Transformation":
      return takesObjects(ast.from)
    case "Union":
      return ast.types.every(takesObjects)
    default:
      return false
  }
}

export const isObject = ({ ast }: Schema.Schema.AnyNoContext): boolean => takesObjects(ast)

/** A schema with a name would be a reference; the model is shown the object itself. */
export const jsonSchemaOf = (parameters: Schema.Schema.AnyNoContext): JSONSchema.JsonSchema7Root => {
  const definitions = {}
  const schema = JSONSchema.fromAST(closedAst(parameters.ast), {
    definitions,
    topLevelReferenceStrategy: "skip"
  })
  const object = oneObject({ ...schema })
  if (object === undefined) throw new TypeError("no schema of an object")
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...(object as object as JSONSchema.JsonSchema7Object),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
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
