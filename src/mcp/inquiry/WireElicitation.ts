/**
 * `elicitation/create` as it is sent: read from a server, and written for a client. Forms only: what would lead a person to
 * an address of the server's is not passed on.
 *
 * @since 0.1.0
 */
import { Either, Schema } from "effect"
import * as Elicitation from "../../registry/inquiry/Elicitation.js"
import type { Revision } from "../protocol/Message.js"
import { isObject, own } from "../protocol/ReadMessage.js"
import { fieldOf, propertyOf } from "./fields.js"
import { whereIn } from "./whereIn.js"

const MOST_FIELDS = 64

/** A name that a person can read, and that is no more than a name to a program. */
const isName = (name: string): boolean => /^[\p{L}\p{N}_$.-]{1,128}$/u.test(name) && name !== "__proto__"

const requiredIn = (schema: unknown): ReadonlySet<unknown> => {
  const required = own(schema, "required")
  return new Set(Array.isArray(required) ? required : [])
}

const fieldsIn = (schema: unknown): Either.Either<ReadonlyArray<Elicitation.Field>, string> => {
  const properties = own(schema, "properties")
  if (own(schema, "type") !== "object" || !isObject(properties)) {
    return Either.left("'requestedSchema' is no object with properties")
  }
  const entries = Object.entries(properties)
  if (entries.length > MOST_FIELDS) return Either.left(`it asks for more than ${MOST_FIELDS} fields`)
  const required = requiredIn(schema)
  const fields = entries.map(([name, value]) =>
    isName(name) ? fieldOf(value, { name, required: required.has(name) }) : undefined
  )
  const known = fields.filter((field) => field !== undefined)
  return known.length < fields.length
    ? Either.left("'requestedSchema' has a field that is no text, number, yes or no, or choice")
    : Either.right(known)
}

/**
 * What a server asks, or why it is not asked, as a clause.
 *
 * @since 0.1.0
 * @category parsing
 */
export const read = (params: unknown): Either.Either<Elicitation.Request, string> => {
  const mode = own(params, "mode") ?? "form"
  if (mode !== "form") return Either.left("it wants a person to open an address, which is not passed on")
  const message = own(params, "message")
  if (typeof message !== "string") return Either.left("'message' is no text")
  return Either.map(fieldsIn(own(params, "requestedSchema")), (fields) => ({ message, fields }))
}

/**
 * The same for a client of a revision, or why that client cannot be asked. A field that the revision has no word for is left out
 * where it may be left empty, and something else is asked.
 *
 * @since 0.1.0
 * @category printing
 */
export const write = (
  { fields, message }: Elicitation.Request,
  revision: Revision
): Either.Either<Readonly<Record<string, unknown>>, string> => {
  const written = fields.map((field) => ({ field, property: propertyOf(field, revision) }))
  const properties = written.flatMap(({ field, property }) =>
    property === undefined ? [] : [[field.name, property] as const]
  )
  const isLacking = written.some(({ field, property }) => property === undefined && field.required)
  if (isLacking || (properties.length === 0 && fields.length > 0)) {
    return Either.left(`revision ${revision} of the protocol has no word for a list of choices`)
  }
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  return Either.right({
    message,
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length === 0 ? {} : { required })
    }
  })
}

const decodeResult = Schema.decodeUnknownEither(Elicitation.Answer)

/**
 * What a client answers, or why it cannot be read. A form without fields is accepted without contents.
 *
 * @since 0.1.0
 * @category parsing
 */
export const readAnswer = (result: unknown): Either.Either<Elicitation.Answer, string> =>
  Either.mapLeft(
    decodeResult(
      own(result, "action") === "accept" && own(result, "content") === undefined
        ? { action: "accept", content: {} }
        : result
    ),
    whereIn
  )
