/** Bodies, headers and places of requests, for the derived operations of `Network` and its mock. */
import { bytesOf } from "../bytes.js"

export interface HttpOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly json?: unknown
}

export type HttpAnswer =
  | string
  | Uint8Array
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly json?: unknown
      readonly text?: string
      readonly body?: Uint8Array
    }

/** A URL without its query, fragment and user info, where keys and tokens travel: safe to put in a message. */
export const placeOf = (url: string): string => url.replace(/[?#].*$/s, "").replace(/\/\/[^/]*@/, "//")

const hasHeader = (headers: Readonly<Record<string, string>>, name: string) =>
  Object.keys(headers).some((key) => key.toLowerCase() === name)

/** Throws what `JSON.stringify` throws. */
export const payloadOf = (method: string, url: string, options: HttpOptions | undefined) => {
  const headers = { ...options?.headers }
  if (options?.json !== undefined) {
    const json: string | undefined = JSON.stringify(options.json)
    if (json === undefined) throw new TypeError("not JSON")
    if (!hasHeader(headers, "content-type")) headers["content-type"] = "application/json"
    return { method, url, headers, body: bytesOf(json) }
  }
  return options?.body === undefined
    ? { method, url, headers }
    : { method, url, headers, body: bytesOf(options.body) }
}

export const mockResponse = (url: string, given: HttpAnswer) => {
  if (typeof given === "string" || given instanceof Uint8Array) {
    return { status: 200, headers: {}, url, body: bytesOf(given) }
  }
  const body = given.json === undefined ? (given.body ?? given.text ?? "") : JSON.stringify(given.json)
  const headers = { ...given.headers }
  if (given.json !== undefined && !hasHeader(headers, "content-type"))
    headers["content-type"] = "application/json"
  return { status: given.status ?? 200, headers, url, body: bytesOf(body) }
}
