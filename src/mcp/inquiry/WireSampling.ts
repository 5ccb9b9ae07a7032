/**
 * `sampling/createMessage` as it is sent: read from a server, and written for a client.
 *
 * @since 0.1.0
 */
import { Either, Schema } from "effect"
import * as Sampling from "../../registry/inquiry/Sampling.js"
import { own } from "../protocol/ReadMessage.js"
import { whereIn } from "./whereIn.js"

/** Several pieces may be one message; the earlier revision has no such. */
const Said = Schema.Struct({
  role: Schema.Literal("user", "assistant"),
  content: Schema.Union(Sampling.Content, Schema.Array(Sampling.Content))
})

const { messages: _, ...others } = Sampling.Request.fields

const Params = Schema.Struct({ messages: Schema.Array(Said), ...others })

const decode = Schema.decodeUnknownEither(Params)

const whole = Schema.validateEither(Sampling.Request)

const apart = ({ content, role }: typeof Said.Type): ReadonlyArray<typeof Sampling.Message.Type> =>
  (Array.isArray(content) ? content : [content]).map((piece) => ({ role, content: piece }))

/**
 * What a server asks, or why it is not asked, as a clause. Tools and the context of others are never passed on.
 *
 * @since 0.1.0
 * @category parsing
 */
export const read = (params: unknown): Either.Either<Sampling.Request, string> => {
  if (own(params, "tools") !== undefined || own(params, "toolChoice") !== undefined) {
    return Either.left("it wants the model to use tools, which is not passed on")
  }
  return Either.flatMap(Either.mapLeft(decode(params), whereIn), ({ messages, ...rest }) =>
    Either.mapLeft(whole({ ...rest, messages: messages.flatMap(apart) }), whereIn)
  )
}

/**
 * @since 0.1.0
 * @category printing
 */
export const write = (request: Sampling.Request): Readonly<Record<string, unknown>> => ({ ...request })

/** One piece alone may stand in a list. */
const Result = Schema.Struct({
  ...Sampling.Answer.fields,
  content: Schema.Union(Sampling.Content, Schema.Tuple(Sampling.Content))
})

const decodeResult = Schema.decodeUnknownEither(Result)

/**
 * What a client answers, or why it cannot be read.
 *
 * @since 0.1.0
 * @category parsing
 */
export const readAnswer = (result: unknown): Either.Either<Sampling.Answer, string> =>
  Either.mapBoth(decodeResult(result), {
    onLeft: whereIn,
    onRight: ({ content, ...rest }) => ({ ...rest, content: "type" in content ? content : content[0] })
  })

/**
 * @since 0.1.0
 * @category printing
 */
export const writeAnswer = (answer: Sampling.Answer): object => ({ role: "assistant", ...answer })
