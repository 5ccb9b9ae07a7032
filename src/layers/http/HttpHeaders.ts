/** Which headers a tool may send, which of them follow a redirect, and what the headers of an answer become. */
import { Either, Redacted } from "effect"
import { isOfSender } from "../../capabilities/network/ConnectionHeaders.js"
import type { NetworkBackend } from "../../capabilities/network/NetworkBackend.js"
import type { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import type { Proof } from "../../policy/gate/Proof.js"
import type { Http } from "../../policy/lattice/Request.js"
import { refused } from "./HttpFailures.js"

type Plain = Readonly<Record<string, string>>

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

/** With these a permitted method would stand for another. */
const METHODS: ReadonlySet<string> = new Set([
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
  "x-method",
  "x-original-method",
  "http-method-override",
  "method-override"
])

/** And with these a permitted URL. */
const URLS: ReadonlySet<string> = new Set(["x-original-url", "x-rewrite-url"])

/** What says nothing of who asks. */
const SAFE: ReadonlySet<string> = new Set(["accept", "accept-language", "accept-encoding", "user-agent"])

const OF_A_BODY = /^content-/

/** What is wrong, and what to do. */
type Objection = readonly [why: string, remedy: string]

/** Of a header that would make another request of the one that was permitted; its name is in lower case. */
export const changes = (name: string): Objection | undefined => {
  // Many servers cannot tell the two apart.
  const read = name.replaceAll("_", "-")
  if (METHODS.has(read)) {
    return [
      `the header '${name}' would change the method that was permitted`,
      "request with that method instead"
    ]
  }
  return URLS.has(read)
    ? [`the header '${name}' would change the URL that was permitted`, "request that URL instead"]
    : undefined
}

const objection = (name: string, value: unknown): Objection | undefined => {
  if (!NAME.test(name)) {
    return ["a header has a name that HTTP does not know", "use letters, digits and dashes"]
  }
  const read = name.replaceAll("_", "-")
  // The connection is the layer's own, and so is where a request goes.
  if (isOfSender(read)) {
    return [`the header '${name}' belongs to the connection, which is not the tool's`, "leave it out"]
  }
  const change = changes(name)
  if (change !== undefined) return change
  return typeof value === "string" && VALUE.test(value)
    ? undefined
    : [`the value of the header '${name}' is not text that HTTP can carry`, "encode it"]
}

/** The headers to send, in lower case, with those that every request has. */
export const outgoing = (
  proof: Proof<Http>,
  given: NetworkBackend.Content["headers"],
  limit: number
): Either.Either<Plain, NetworkError> => {
  const refuse = ([why, remedy]: Objection) =>
    Either.left(refused(proof, "HEADER_REFUSED", `${why}; ${remedy}`, remedy))
  const headers: Record<string, string> = {
    accept: "*/*",
    "accept-encoding": "gzip, deflate, br",
    "user-agent": "bailiwick"
  }
  const names = Object.keys(given)
  if (names.length === 0) return Either.right(headers)
  const seen = new Set<string>()
  let bytes = 0
  for (const written of names) {
    const name = written.toLowerCase()
    const found = given[written]
    const value = Redacted.isRedacted(found) ? Redacted.value(found) : found
    const wrong = objection(name, value)
    if (wrong !== undefined) return refuse(wrong)
    if (seen.has(name)) return refuse([`the header '${name}' is given twice`, "join its values"])
    seen.add(name)
    headers[name] = value ?? ""
    bytes += name.length + headers[name].length
  }
  return bytes > limit
    ? refuse([`the headers are longer than ${limit} bytes`, "send less, or raise the limit headerBytes"])
    : Either.right(headers)
}

/** The headers that go on after a redirect: none that may hold a credential to another origin. */
export const following = (
  headers: Plain,
  { bodyStays, sameOrigin }: { readonly bodyStays: boolean; readonly sameOrigin: boolean }
): Plain =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => (sameOrigin || SAFE.has(name)) && (bodyStays || !OF_A_BODY.test(name))
    )
  )

/** The headers of an answer, each once. */
export const folded = (raw: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>): Plain => {
  const headers: Record<string, string> = {}
  for (const name in raw) {
    const value = raw[name]
    if (typeof value === "string") headers[name] = value
    else if (value !== undefined) headers[name] = value.join(", ")
  }
  return headers
}

/** The headers of an answer whose body was decompressed: the two that spoke of the other body are gone. */
export const decoded = (headers: Plain): Plain => {
  const { "content-encoding": _encoding, "content-length": _length, ...rest } = headers
  return rest
}
