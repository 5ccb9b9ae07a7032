/**
 * The doors of a child: each host that is granted by its full name has an address of its own inside, which `/etc/hosts`
 * knows. So programs that know of no proxy reach it too.
 */
import { isIPv4 } from "node:net"
import type { Door } from "../../../policy/confinement/Plan.js"
import type { Place } from "./listeners/Listeners.js"

export interface Doors {
  /** The text of `/etc/hosts`. */
  readonly hosts: string
  /** Where to listen. */
  readonly places: ReadonlyArray<Place>
  /** What the door stands for that was come through. */
  readonly at: (address: string | undefined, port: number | undefined) => Door | undefined
}

/** 127.1.0.0 to 127.1.255.255 */
const MOST = 65_536

/** No command can listen on these by itself, so one socket may listen for all addresses. */
const SHARED: ReadonlySet<number> = new Set([80, 443])

const ANY = "0.0.0.0"

const addressAt = (index: number): string => `127.1.${index >> 8}.${index & 255}`

const isLoopback = (host: string): boolean => isIPv4(host) && host.startsWith("127.")

/** Loopback has one address of IPv6, so nothing is shared there. */
const SIX = { host: "[::1]", address: "::1" }

const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/

const LOCAL = "127.0.0.1"

/** An address of loopback is its own; `localhost` is where everybody looks for it; other addresses have no door. */
const addressesOf = (doors: ReadonlyArray<Door>): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  let index = 0
  for (const { host } of doors) {
    if (found.has(host)) continue
    if (isLoopback(host)) found.set(host, host)
    else if (host === SIX.host) found.set(host, SIX.address)
    else if (host === "localhost") found.set(host, LOCAL)
    else if (!isIPv4(host) && NAME.test(host) && index < MOST) found.set(host, addressAt(index++))
  }
  return found
}

const key = (address: string, port: number): string => `${address}:${port}`

/** A host that one of these ports stands open for may be asked for at the other: there it is refused in words. */
const withShared = (doors: ReadonlyArray<Door>): ReadonlyArray<Door> =>
  doors.flatMap(({ host, port }) =>
    SHARED.has(port) ? [...SHARED].map((shared) => ({ host, port: shared })) : [{ host, port }]
  )

export const doorsOf = (given: ReadonlyArray<Door>): Doors => {
  const doors = withShared(given)
  const addresses = addressesOf(doors)
  const behind = new Map<string, Door>()
  const places = new Map<string, Place>()
  for (const door of doors) {
    const own = addresses.get(door.host)
    if (own === undefined || behind.has(key(own, door.port))) continue
    behind.set(key(own, door.port), door)
    const address = SHARED.has(door.port) && own !== SIX.address ? ANY : own
    places.set(key(address, door.port), { address, port: door.port })
  }
  const lines = [...addresses].flatMap(([host, address]) =>
    host === address || host === "localhost" || host === SIX.host ? [] : [`${address} ${host}`]
  )
  return {
    hosts: `${[`${LOCAL} localhost`, ...lines].join("\n")}\n`,
    places: [...places.values()],
    at: (address = "", port = 0) => behind.get(key(address, port))
  }
}
