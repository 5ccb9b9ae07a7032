/** From the URL that an operator keeps as a secret to the one that a client is given. */
import { Either } from "effect"
import type { DatabaseError } from "./DatabaseError.js"
import { refused } from "./Trouble.js"

export interface Terms {
  readonly statementMillis: number
  readonly silenceMillis: number
}

const NOT_ONE = refused(
  "the secret that holds the URL of PostgreSQL is none; write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
)

/** With a socket in place of a host, nothing stands before the path, which URLs do not know. */
const NO_HOST = /^(postgres(?:ql)?:\/\/[^/?#]*@)(?=\/)/i

const PLACEHOLDER = "socket.invalid"

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i

/** Whether what goes there stays on this machine. */
const isLocal = (host: string): boolean => host === "" || host.startsWith("/") || LOOPBACK.test(host)

/** What each is here: the client takes those in between for the strictest, and warns that it may not always do so. */
const MODES: ReadonlyMap<string, string> = new Map([
  ["disable", "disable"],
  ["no-verify", "no-verify"],
  ["require", "verify-full"],
  ["verify-ca", "verify-full"],
  ["verify-full", "verify-full"]
])

const UNKNOWN_MODE = refused(
  "the URL of PostgreSQL says how to encrypt in a way that is not known; write sslmode=verify-full, verify-ca, require, no-verify or disable"
)

/** Whoever wants to go without says so; what leaves this machine is encrypted by default, and to the right host. */
const modeOf = (
  given: string | undefined,
  host: string
): Either.Either<string | undefined, DatabaseError> => {
  if (given === undefined) return Either.right(isLocal(host) ? undefined : "verify-full")
  const mode = MODES.get(given)
  return mode === undefined ? Either.left(UNKNOWN_MODE) : Either.right(mode)
}

const parsed = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** What is missing in it is added: encryption where it leaves the machine, and limits of time. */
export const addressOf = (given: string, terms: Terms): Either.Either<string, DatabaseError> => {
  const [text = ""] = given.trim().split("#")
  const url = /^postgres(?:ql)?:\/\//i.test(text)
    ? parsed(text.replace(NO_HOST, `$1${PLACEHOLDER}`))
    : undefined
  if (url === undefined) return Either.left(NOT_ONE)
  // Of a key that stands there twice, the client takes the last.
  const params = new Map(url.searchParams)
  if (params.has("ssl")) return Either.left(UNKNOWN_MODE)
  const named = url.hostname === PLACEHOLDER ? "" : decoded(url.hostname)
  const host = params.get("host") ?? named
  return Either.map(modeOf(params.get("sslmode"), host), (mode) => {
    const also = new URLSearchParams()
    const add = (key: string, value: string): void => {
      if (!params.has(key)) also.set(key, value)
    }
    // Without one, the client would look into the environment, and it could be anywhere.
    if (host === "") also.set("host", "localhost")
    if (mode !== undefined) also.set("sslmode", mode)
    add("application_name", "bailiwick")
    add("statement_timeout", String(terms.statementMillis))
    add("query_timeout", String(terms.silenceMillis))
    return `${text}${text.includes("?") ? "&" : "?"}${also.toString()}`
  })
}
