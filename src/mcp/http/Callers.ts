/**
 * Who may speak to a server of this machine at all, by the head of a request: a page in a browser that was led here by a
 * name of its own has neither the right `Host` nor the right `Origin`.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"

export interface Callers {
  readonly port: number
  /** As clients write them, with the port where it is not that of the scheme. */
  readonly hosts: ReadonlySet<string>
  readonly origins: ReadonlySet<string>
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

/** A header that is given once. */
export const single = (values: ReadonlyArray<string> | undefined): string | undefined =>
  values?.length === 1 ? values[0] : undefined

const foreign = (what: string): Refusal => ({
  status: 403,
  message: `${what} of the request is not one that this server answers to`
})

/** Why not to answer a caller, whatever it asks for, if there is a reason. */
export const foreignTo = (
  request: IncomingMessage,
  { hosts, origins, port }: Callers
): Refusal | undefined => {
  const { host: named, origin: given } = request.headersDistinct
  const host = single(named)?.toLowerCase()
  if (host === undefined || !(hosts.has(host) || isOwnAddress(request, host, port)))
    return foreign("the Host")
  if (given === undefined) return undefined
  const origin = single(given)?.toLowerCase()
  return origin !== undefined && origins.has(origin) ? undefined : foreign("the Origin")
}
