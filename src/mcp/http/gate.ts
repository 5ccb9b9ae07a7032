/**
 * Who may speak to the server at all, by the head of a request. Nothing of a body is read before this has passed: a page
 * in a browser that was led here by a name of its own has neither the right `Host` nor the right `Origin`.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"

export interface Gate {
  readonly port: number
  /** As clients write them, with the port where it is not that of the scheme. */
  readonly hosts: ReadonlySet<string>
  readonly origins: ReadonlySet<string>
  readonly isToken: (given: string) => boolean
  readonly path: string
}

export interface Refusal {
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Takes the same time for every token of any length. */
export const tokenCheck = (token: string): ((given: string) => boolean) => {
  const expected = digestOf(token)
  return (given) => timingSafeEqual(digestOf(given), expected)
}

const loopback = ["127.0.0.1", "localhost", "[::1]"]

const HTTP_PORT = 80

const inUrl = (address: string): string => (address.includes(":") ? `[${address}]` : address)

/** How the server may be called: by names of this machine alone, the address that it was told to take, and given ones. */
export const hostsOf = (port: number, address: string, allowed: Iterable<string>): ReadonlySet<string> =>
  new Set(
    [...loopback, inUrl(address), ...allowed].flatMap((given) => {
      const name = given.toLowerCase()
      // Who allows a name with a port means that one.
      if (/[^:]:\d+$/.test(name) && !name.endsWith("]")) return [name]
      return port === HTTP_PORT ? [name, `${name}:${port}`] : [`${name}:${port}`]
    })
  )

/** Pages of the server itself, should there be any, and given ones. */
export const originsOf = (hosts: ReadonlySet<string>, allowed: Iterable<string>): ReadonlySet<string> =>
  new Set([...[...hosts].map((host) => `http://${host}`), ...[...allowed].map((one) => one.toLowerCase())])

/** A name leads wherever its owner says, and an address does not: that of the connection itself is no disguise. */
const isOwnAddress = ({ socket }: IncomingMessage, host: string, port: number): boolean => {
  const address = (socket.localAddress ?? "").replace(/^::ffff:/i, "")
  return address !== "" && host === `${inUrl(address)}:${port}`
}

const single = (values: ReadonlyArray<string> | undefined): string | undefined =>
  values?.length === 1 ? values[0] : undefined

const foreign = (what: string): Refusal => ({
  status: 403,
  message: `${what} of the request is not one that this server answers to`
})

const unauthorized = (given: boolean): Refusal => ({
  status: 401,
  message: "the token is missing or wrong; the server printed it when it started",
  headers: { "www-authenticate": `Bearer realm="bailiwick"${given ? ', error="invalid_token"' : ""}` }
})

const bearer = (value: string | undefined): string | undefined => /^bearer +(\S+) *$/i.exec(value ?? "")?.[1]

/** The first reason not to answer, if there is one. */
export const refusalOf = (request: IncomingMessage, gate: Gate): Refusal | undefined => {
  const { authorization, host: hosts, origin: origins } = request.headersDistinct
  const host = single(hosts)?.toLowerCase()
  if (host === undefined || !(gate.hosts.has(host) || isOwnAddress(request, host, gate.port))) {
    return foreign("the Host")
  }
  if (origins !== undefined) {
    const origin = single(origins)?.toLowerCase()
    if (origin === undefined || !gate.origins.has(origin)) return foreign("the Origin")
  }
  const [path] = (request.url ?? "").split("?")
  if (path !== gate.path) return { status: 404, message: `there is nothing here but ${gate.path}` }
  const token = bearer(single(authorization))
  return token !== undefined && gate.isToken(token) ? undefined : unauthorized(authorization !== undefined)
}
