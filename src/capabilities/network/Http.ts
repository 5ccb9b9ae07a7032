/** Bodies, headers and places of requests, for the derived operations of `Network` and its mock. */
import { Redacted, type Stream } from "effect"
import { bytesOf } from "../bytes.js"
import type { NetworkError } from "./NetworkOperations.js"

/** A redacted value is unwrapped when the request is made, and shown nowhere. */
type HttpHeaders = Readonly<Record<string, string | Redacted.Redacted>>

export interface HttpOptions {
  readonly headers?: HttpHeaders
  readonly body?: string | Uint8Array
  readonly json?: unknown
  /** Which redirects to follow, of those that are permitted. Without it, all. */
  readonly redirects?: "follow" | "same-host" | "same-origin" | "none"
}

export type HttpAnswer =
  | string
  | Uint8Array
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly setCookies?: ReadonlyArray<string>
      readonly json?: unknown
      readonly text?: string
      /** A stream is a body that comes bit by bit. */
      readonly body?: string | Uint8Array | Stream.Stream<Uint8Array, NetworkError>
    }

/** A URL without its query, fragment and user info, where keys and tokens travel: safe to put in a message. */
export const placeOf = (url: string): string => url.replace(/[?#].*$/s, "").replace(/\/\/[^/]*@/, "//")

/** For who makes the request. */
export const unredacted = (headers: HttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Redacted.isRedacted(value) ? Redacted.value(value) : value
    ])
  )

export const hasHeader = (headers: HttpHeaders, name: string) =>
  Object.keys(headers).some((key) => key.toLowerCase() === name)

/** Throws what `JSON.stringify` throws. */
export const payloadOf = (method: string, url: string, options: HttpOptions | undefined) => {
  const headers = { ...options?.headers }
  const asked =
    options?.redirects === undefined
      ? { method, url, headers }
      : { method, url, headers, redirects: options.redirects }
  if (options?.json !== undefined) {
    const json: string | undefined = JSON.stringify(options.json)
    if (json === undefined) throw new TypeError("not JSON")
    if (!hasHeader(headers, "content-type")) headers["content-type"] = "application/json"
    return { ...asked, body: bytesOf(json) }
  }
  return options?.body === undefined ? asked : { ...asked, body: bytesOf(options.body) }
}

const bodyOf = <S>(body: string | S): Uint8Array | S => (typeof body === "string" ? bytesOf(body) : body)

/** The head of a mock's answer, and its body. */
export const mockAnswer = (url: string, given: HttpAnswer) => {
  if (typeof given === "string" || given instanceof Uint8Array) {
    return { head: { status: 200, headers: {}, setCookies: [], url }, body: bytesOf(given) }
  }
  const { body, json, setCookies, status = 200, text = "" } = given
  const headers = { ...given.headers }
  if (json !== undefined && !hasHeader(headers, "content-type")) headers["content-type"] = "application/json"
  if (setCookies !== undefined && !hasHeader(headers, "set-cookie"))
    headers["set-cookie"] = setCookies.join(", ")
  const cookies = Object.entries(headers).filter(([name]) => name.toLowerCase() === "set-cookie")
  return {
    head: { status, headers, setCookies: setCookies ?? cookies.map(([, value]) => value), url },
    body: json === undefined ? bodyOf(body ?? text) : bytesOf(JSON.stringify(json))
  }
}
