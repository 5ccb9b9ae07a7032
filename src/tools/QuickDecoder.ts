/**
 * A decoder for what most tools take: an object of texts, numbers, flags and lists of them. It answers for what fits, and
 * leaves all else, and every word about it, to the schema. Decoding such an object costs as much as starting a fiber;
 * this costs a tenth of that.
 */
import { Option, SchemaAST } from "effect"

/** That the schema must say. */
export const unsure: unique symbol = Symbol("unsure")

type Decode = (given: unknown) => unknown

/** How the arguments of a tool are read: what it does not declare is refused. */
export const options: SchemaAST.ParseOptions = { onExcessProperty: "error" }

const when =
  (fits: (given: unknown) => boolean): Decode =>
  (given) =>
    fits(given) ? given : unsure

const any: Decode = (given) => given

/** What a refinement is of, in the end. */
const rootOf = (ast: SchemaAST.AST): SchemaAST.AST["_tag"] =>
  ast._tag === "Refinement" ? rootOf(ast.from) : ast._tag

const isOpen = (ast: SchemaAST.AST): boolean => ["UnknownKeyword", "AnyKeyword"].includes(rootOf(ast))

const isObject = (ast: SchemaAST.AST): boolean => ["TypeLiteral", "TupleType", "Union"].includes(rootOf(ast))

/** A value that decodes to the same, whichever of its forms is tried first: one form at most is for objects. */
const oneOf = (types: ReadonlyArray<SchemaAST.AST>): Decode | undefined => {
  const objects = types.filter(isObject).length
  if (objects > 1 || (objects === 1 && types.some(isOpen))) return undefined
  const forms: Array<Decode> = []
  for (const type of types) {
    const form = decoderOf(type)
    if (form === undefined) return undefined
    forms.push(form)
  }
  return (given) => {
    for (let index = 0; index < forms.length; index++) {
      const one = (forms[index] as Decode)(given)
      if (one !== unsure) return one
    }
    return unsure
  }
}

const listOf = (type: SchemaAST.AST): Decode | undefined => {
  const decode = decoderOf(type)
  if (decode === undefined) return undefined
  return (given) => {
    if (!Array.isArray(given)) return unsure
    const made: Array<unknown> = []
    for (let index = 0; index < given.length; index++) {
      const one = decode(given[index])
      if (one === unsure) return unsure
      made.push(one)
    }
    return made
  }
}

interface Field {
  readonly name: string
  readonly isOptional: boolean
  readonly decode: Decode
}

const fieldsOf = ({ indexSignatures, propertySignatures }: SchemaAST.TypeLiteral) => {
  if (indexSignatures.length > 0 || propertySignatures.length === 0) return undefined
  const fields: Array<Field> = []
  for (const { isOptional, name, type } of propertySignatures) {
    const decode = decoderOf(type)
    if (decode === undefined || typeof name !== "string" || name === "__proto__") return undefined
    fields.push({ name, isOptional, decode })
  }
  return fields
}

/**
 * An object whose keys stand in the order of the fields, as it mostly is written: then the copy is made at once, which takes
 * a tenth of the time of making it field by field. The keys are those of the copy: nobody can have them change in between.
 */
const objectOf = (ast: SchemaAST.TypeLiteral): Decode | undefined => {
  const fields = fieldsOf(ast)
  if (fields === undefined) return undefined
  return (given) => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) return unsure
    const made: Record<string, unknown> = { ...given }
    const names = Object.keys(made)
    let known = 0
    for (let index = 0; index < fields.length; index++) {
      const { decode, isOptional, name } = fields[index] as Field
      if (names[known] !== name) {
        if (isOptional && !Object.hasOwn(made, name)) continue
        return inAnyOrder(fields, given)
      }
      known += 1
      const value = made[name]
      const one = decode(value)
      if (one === unsure) return unsure
      if (one !== value) made[name] = one
    }
    return known === names.length && isAll(given, known) ? made : unsure
  }
}

const inAnyOrder = (fields: ReadonlyArray<Field>, given: object): unknown => {
  const made: Record<string, unknown> = {}
  let known = 0
  for (const { decode, isOptional, name } of fields) {
    if (!Object.hasOwn(given, name)) {
      if (isOptional) continue
      return unsure
    }
    const one = decode(Reflect.get(given, name))
    if (one === unsure) return unsure
    made[name] = one
    known += 1
  }
  return isAll(given, known) ? made : unsure
}

/** Whether an object has no more keys than these: none that are hidden, and no symbols. */
const isAll = (given: object, keys: number): boolean =>
  Object.getOwnPropertyNames(given).length === keys && Object.getOwnPropertySymbols(given).length === 0

const refined = (ast: SchemaAST.Refinement): Decode | undefined => {
  const from = decoderOf(ast.from)
  if (from === undefined) return undefined
  return (given) => {
    const one = from(given)
    return one === unsure || Option.isSome(ast.filter(one, options, ast)) ? unsure : one
  }
}

const decoderOf = (ast: SchemaAST.AST): Decode | undefined => {
  // A schema may say itself how it is read.
  if (Option.isSome(SchemaAST.getParseOptionsAnnotation(ast))) return undefined
  switch (ast._tag) {
    case "StringKeyword":
      return when((given) => typeof given === "string")
    case "NumberKeyword":
      return when((given) => typeof given === "number")
    case "BooleanKeyword":
      return when((given) => typeof given === "boolean")
    case "UndefinedKeyword":
      return when((given) => given === undefined)
    case "Literal":
      return when((given) => given === ast.literal)
    case "UnknownKeyword":
    case "AnyKeyword":
      return any
    case "Union":
      return oneOf(ast.types)
    case "Refinement":
      return refined(ast)
    case "TypeLiteral":
      return objectOf(ast)
    case "TupleType":
      return ast.elements.length === 0 && ast.rest.length === 1 && ast.rest[0] !== undefined
        ? listOf(ast.rest[0].type)
        : undefined
    default:
      return undefined
  }
}

/** Nothing for a schema that transforms what it is given, or has code that a call would have to wait for. */
export const quickDecoder = (ast: SchemaAST.AST): Decode | undefined => decoderOf(ast)
