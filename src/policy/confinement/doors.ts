/** Hosts that a child reaches by an address of their own, because the policy names each in full. */

import { forbidsHost } from "../gate/floor/Floor.js"
import type { Authority } from "../lattice/Authority.js"
import * as Host from "../lattice/Host.js"
import type { Door, LeftOut } from "./Plan.js"

export interface Hosts {
  readonly reaches: boolean
  readonly doors: ReadonlyArray<Door>
  readonly leftOut: ReadonlyArray<LeftOut>
}

/** Each has a listener. */
const MOST = 256

const TOO_MANY = `a child has at most ${MOST} hosts by an address of their own; programs that use a proxy reach it`

const isName = (pattern: string): boolean => !/[*!]/.test(pattern)

/** By a name that a resolver is asked for. */
const named = ({ scopes: { network } }: Authority): ReadonlyArray<Door> => {
  const sets = Object.values(network)
  const hosts = new Set(sets.flatMap((set) => set.encode().filter(isName)))
  return [...hosts]
    .filter((host) => !Host.isAddress(host) && !forbidsHost(host) && sets.some((set) => set.has(host)))
    .flatMap((host) => [
      { host, port: 80 },
      // What is said inside of TLS is not seen, so that everything must be permitted.
      ...(sets.every((set) => set.has(host)) ? [{ host, port: 443 }] : [])
    ])
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/

const PORTED = /^(.*):(\d+)$/s

/** By host and port, where the policy says that its address is private. */
const ported = ({ scopes: { private: endpoints } }: Authority): ReadonlyArray<Door> =>
  endpoints.connect.encode().flatMap((one) => {
    const [, host = "", port] = typeof one === "string" && isName(one) ? (PORTED.exec(one) ?? []) : []
    const isReached = !Host.isAddress(host) || LOOPBACK.test(host)
    return port !== undefined && isReached && !forbidsHost(host) ? [{ host, port: Number(port) }] : []
  })

const keyOf = ({ host, port }: Door): string => `${host}:${port}`

export const hostsOf = (authority: Authority): Hosts => {
  const { network, private: endpoints } = authority.scopes
  const all = [...named(authority), ...ported(authority)]
  const doors = [...new Map(all.map((door) => [keyOf(door), door])).values()].sort((a, b) =>
    keyOf(a) < keyOf(b) ? -1 : 1
  )
  return {
    reaches: Object.values(network).some((set) => !set.isEmpty) || !endpoints.connect.isEmpty,
    doors: doors.slice(0, MOST),
    leftOut: doors.slice(MOST).map((door) => ({ what: `a door to ${keyOf(door)}`, why: TOO_MANY }))
  }
}
