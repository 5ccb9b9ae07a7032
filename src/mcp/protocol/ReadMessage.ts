/**
 * Reads a value that came from outside as a message. It may be anything: what is read are own properties of objects, and
 * what is not exactly a message says why.
 *
 * @since 0.1.0
 */
import type { Answer, Notification, Request, RequestId } from "./Message.js"

/**
 * A value as a message. `Unreadable` has the id of the request that it would have been, where that can be read.
 *
 * @since 0.1.0
 * @category models
 */
export type ReadMessage =
  | { readonly _tag: "Request"; readonly message: Request }
  | { readonly _tag: "Notification"; readonly message: Notification }
  | { readonly _tag: "Answer"; readonly message: Answer }
  | { readonly _tag: "Unreadable"; readonly id: RequestId | null; readonly detail: string }

/** Deeper than this nobody writes, and what walks a value would run out of stack. */
const MAX_DEPTH = 100

const MAX_ID = 1024
const MAX_METHOD = 256

/**
 * An object of JSON, and no list.
 *
 * @since 0.1.0
 * @category guards
 */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * What a value has of its own under a key.
 *
 * @since 0.1.0
 * @category getters
 */
export const own = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/**
 * @since 0.1.0
 * @category guards
 */
export const isRequestId = (value: unknown): value is RequestId =>
  typeof value === "string" ? value.length <= MAX_ID : Number.isSafeInteger(value)

/** Without recursion: how deep it goes is for the sender to say. */
const isDeep = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false
  let level: Array<object> = [value]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    const below: Array<object> = []
    for (const holder of level) {
      for (const held of Object.values(holder)) {
        if (typeof held === "object" && held !== null) below.push(held)
      }
    }
    level = below
  }
  return false
}

const errorOf = (value: unknown): Extract<Answer, { readonly error: unknown }>["error"] | undefined => {
  const code = own(value, "code")
  const message = own(value, "message")
  if (!Number.isSafeInteger(code) || typeof message !== "string") return undefined
  const data = own(value, "data")
  return { code: code as number, message, ...(data === undefined ? {} : { data }) }
}

const answerOf = (value: object, id: unknown): ReadMessage => {
  const bad = (detail: string): ReadMessage => ({ _tag: "Unreadable", id: null, detail })
  if (Object.hasOwn(value, "error")) {
    const error = errorOf(own(value, "error"))
    if (error === undefined) return bad("its error is no object with a code and a message")
    if (id !== undefined && id !== null && !isRequestId(id)) return bad("its id cannot be read")
    return { _tag: "Answer", message: { jsonrpc: "2.0", id: id ?? null, error } }
  }
  const result = own(value, "result")
  if (!isRequestId(id)) return bad("it answers no request: its id cannot be read")
  if (!isObject(result)) return bad("its result is no object")
  return { _tag: "Answer", message: { jsonrpc: "2.0", id, result } }
}

/**
 * Reads one message. Batches are none: the revisions that are spoken have no batches.
 *
 * @since 0.1.0
 * @category parsing
 */
export const readMessage = (value: unknown): ReadMessage => {
  const bad = (detail: string, id: RequestId | null = null): ReadMessage => ({
    _tag: "Unreadable",
    id,
    detail
  })
  if (Array.isArray(value)) return bad("batches are not supported: send one message at a time")
  if (!isObject(value)) return bad("a message is an object")
  const given = own(value, "id")
  const method = own(value, "method")
  const isAnswer = method === undefined && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))
  const id = isRequestId(given) && !isAnswer ? given : null
  if (own(value, "jsonrpc") !== "2.0") return bad('jsonrpc must be "2.0"', id)
  if (isDeep(value)) return bad(`it is nested more than ${MAX_DEPTH} levels deep`, id)
  if (isAnswer) return answerOf(value, given)
  if (typeof method !== "string" || method.length > MAX_METHOD) return bad("its method is no short text", id)
  if (Object.hasOwn(value, "id") && id === null) return bad("an id is a text or a whole number")
  const params = own(value, "params")
  if (params !== undefined && !isObject(params)) return bad("its params are no object", id)
  const said = { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) } as const
  return id === null ? { _tag: "Notification", message: said } : { _tag: "Request", message: { ...said, id } }
}
