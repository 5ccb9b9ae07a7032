/** What a client asks of the proxy, before anybody is asked whether it may. */
import type { IncomingMessage } from "node:http"
import { Either } from "effect"
import { no, type Refused } from "./refused.js"

/** Where a connection leads that said so once, for all that is sent over it. */
export interface Destination {
  /** A name, or an address as it stands in a URL. */
  readonly host: string
  readonly port: number
}

export const authorityOf = ({ host, port }: Destination): string => `${host}:${port}`

const CONNECT = /^(\[[0-9A-Fa-f:.]{1,64}\]|[^\s:/?#@\\[\]]{1,255}):(\d{1,5})$/

/** As much as most servers read. Each is kept in the events of the call. */
const LONGEST_URL = 8192

/** Of CONNECT: a host and a port, in the one spelling that URLs have. */
export const tunnelTarget = (text: string): Either.Either<Destination, Refused> => {
  const [, host = "", port = ""] = CONNECT.exec(text) ?? []
  try {
    if (Number(port) < 1 || Number(port) > 65_535) throw new RangeError()
    return Either.right({
      host: new URL(`http://${host}:1/`).hostname.replace(/\.$/, ""),
      port: Number(port)
    })
  } catch {
    return no(400, {
      code: "URL_INVALID",
      detail: "CONNECT names a host and a port",
      remedy: "write both, as in api.example.com:443"
    })
  }
}

/** Of a request over a connection whose destination is known: only a path. */
const within = (target: string, destination: Destination): Either.Either<string, Refused> =>
  target.startsWith("/")
    ? Either.right(`http://${authorityOf(destination)}${target}`)
    : no(400, {
        code: "URL_INVALID",
        detail: "a request to this host names only a path",
        asked: `connect ${authorityOf(destination)}`,
        remedy: "send other requests to the proxy"
      })

/** Of a request to the proxy: a whole URL, which is not https, because that would end here. */
const whole = (target: string): Either.Either<string, Refused> => {
  if (target.startsWith("/") || target === "*") {
    return no(400, {
      code: "URL_INVALID",
      detail: "this is a proxy, and a request to it names a whole URL",
      remedy: "have the client use it as a proxy"
    })
  }
  return /^https:/i.test(target)
    ? no(400, {
        code: "URL_INVALID",
        detail: "https goes through a tunnel",
        remedy: "use CONNECT"
      })
    : Either.right(target)
}

export const urlOf = (
  target: string,
  destination: Destination | undefined
): Either.Either<string, Refused> => {
  if (target.length > LONGEST_URL) {
    return no(400, {
      code: "URL_INVALID",
      detail: `the URL has more than ${LONGEST_URL} characters`,
      remedy: "send such data in a body"
    })
  }
  return destination === undefined ? whole(target) : within(target, destination)
}

/** How the body of a request is framed. What could be read in two ways is refused. */
export type Framing = "none" | "chunked" | "length"

const unclear = (detail: string, remedy: string): Either.Either<never, Refused> =>
  no(400, { code: "REQUEST_INVALID", detail, remedy })

export const framingOf = ({ httpVersion, rawHeaders }: IncomingMessage): Either.Either<Framing, Refused> => {
  const valuesOf = (wanted: string) =>
    rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === wanted)
  const encodings = valuesOf("transfer-encoding")
  const lengths = valuesOf("content-length")
  const hosts = valuesOf("host")
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    return unclear("the proxy speaks HTTP/1.1 and HTTP/1.0", "use one of them")
  }
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === "1.1")) {
    return unclear("the request has no one Host header", "send one")
  }
  if (valuesOf("expect").some((value) => value.toLowerCase() !== "100-continue")) {
    return unclear("the request expects what the proxy does not know", "send no Expect header")
  }
  if (encodings.length === 0) {
    return lengths.length > 1 || lengths.some((length) => !/^\d{1,15}$/.test(length))
      ? unclear("the request has no one length", "send one Content-Length")
      : Either.right(lengths.length === 0 ? "none" : "length")
  }
  const isPlain = encodings.length === 1 && encodings[0]?.toLowerCase() === "chunked" && httpVersion === "1.1"
  return isPlain && lengths.length === 0
    ? Either.right("chunked")
    : unclear(
        "the length of the request could be read in two ways",
        "send one Content-Length, or Transfer-Encoding: chunked"
      )
}
