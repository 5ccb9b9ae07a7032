/**
 * The schemas of operations as codecs of what is carried: bytes stay bytes, and all else is as the schema encodes it.
 *
 * @since 0.1.0
 */
import { Either, type ParseResult, Schema, SchemaAST } from "effect"
import type { Operation, Operations } from "../../capabilities/Remote.js"

const BYTES = Schema.Uint8ArrayFromBase64.ast

const same = <A>(before: ReadonlyArray<A>, after: ReadonlyArray<A>): boolean =>
  after.every((one, at) => one === before[at])

/** The same schema, in which bytes are not written as text. */
const carrying = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (ast === BYTES) return Schema.Uint8ArrayFromSelf.ast
  switch (ast._tag) {
    case "TypeLiteral": {
      const properties = ast.propertySignatures.map((one) => {
        const type = carrying(one.type)
        return type === one.type
          ? one
          : new SchemaAST.PropertySignature(one.name, type, one.isOptional, one.isReadonly, one.annotations)
      })
      return same(ast.propertySignatures, properties)
        ? ast
        : new SchemaAST.TypeLiteral(properties, ast.indexSignatures, ast.annotations)
    }
    case "Union": {
      const types = ast.types.map(carrying)
      return same(ast.types, types) ? ast : SchemaAST.Union.make(types, ast.annotations)
    }
    case "Transformation": {
      const from = carrying(ast.from)
      return from === ast.from
        ? ast
        : new SchemaAST.Transformation(from, ast.to, ast.transformation, ast.annotations)
    }
    default:
      return ast
  }
}

/**
 * One side of an operation.
 *
 * @since 0.1.0
 * @category models
 */
export interface Codec {
  readonly encode: (value: unknown) => unknown
  /** For what the far side sent: it has nothing that the schema does not name. */
  readonly decode: (value: unknown) => Either.Either<unknown, ParseResult.ParseError>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Coded {
  readonly payload: Codec
  readonly success: Codec
  readonly failure: Codec
  readonly inputs: ReadonlyMap<string, Codec>
  readonly isStream: boolean
}

const takesBytes = (ast: SchemaAST.AST): boolean =>
  ast === Schema.Uint8ArrayFromSelf.ast || (ast._tag === "Union" && ast.types.some(takesBytes))

/** A union would try bytes as an object first, key by key. */
const quick =
  <A, B>(otherwise: (value: A) => B, bytes: (value: A & Uint8Array) => B) =>
  (value: A): B =>
    value instanceof Uint8Array ? bytes(value) : otherwise(value)

const codecOf = (schema: Schema.Schema.AnyNoContext): Codec => {
  const carried: Schema.Schema.AnyNoContext = Schema.make(carrying(schema.ast))
  const encode: Codec["encode"] = Schema.encodeUnknownSync(carried)
  const decode: Codec["decode"] = Schema.decodeUnknownEither(carried, { onExcessProperty: "error" })
  if (!takesBytes(carried.ast)) return { encode, decode }
  return { encode: quick(encode, (bytes) => bytes), decode: quick(decode, (bytes) => Either.right(bytes)) }
}

const coded = (operation: Operation): Coded => ({
  payload: codecOf(operation.payload),
  success: codecOf(operation.success),
  failure: codecOf(operation.failure),
  inputs: new Map(Object.entries(operation.inputs ?? {}).map(([name, schema]) => [name, codecOf(schema)])),
  isStream: operation.stream === true
})

const known = new WeakMap<Operations, Map<string, Coded | undefined>>()

/**
 * The codecs of an operation; nothing for one that is not there. They are made when they are first needed.
 *
 * @since 0.1.0
 * @category accessors
 */
export const codecsOf = (operations: Operations, name: string): Coded | undefined => {
  const all = known.get(operations) ?? new Map<string, Coded | undefined>()
  known.set(operations, all)
  if (all.has(name)) return all.get(name)
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
  if (operation === undefined) return undefined
  const made = coded(operation)
  all.set(name, made)
  return made
}
