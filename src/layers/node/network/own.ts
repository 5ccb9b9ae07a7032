/** The addresses of this machine. A server that listens on one of them did not mean to be open to tools. */
import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

/**
 * The interfaces of this machine, as `os.networkInterfaces` lists them. It is asked once for each connection, because
 * they come and go.
 *
 * @since 0.1.0
 * @category models
 */
export type Interfaces = () => Readonly<
  Record<string, ReadonlyArray<{ readonly address: string }> | undefined>
>

/** One spelling for each address. A scope says where it is, and not which it is. */
const spelled = (address: string): string | undefined => {
  const bare = address.replace(/%.*$/s, "")
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare).toString()
}

/** In the spelling of `toString` of the addresses of ipaddr.js; what is mapped from IPv4 is IPv4. */
export const addressesOf = (interfaces: Interfaces): ReadonlySet<string> =>
  new Set(
    Object.values(interfaces())
      .flatMap((found) => found ?? [])
      .flatMap(({ address }) => spelled(address) ?? [])
  )
