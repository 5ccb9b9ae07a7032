/**
 * What an IP address is to us. `public` may be connected to by whoever may reach the host, `private` only where the
 * policy names the endpoint, `never` by nobody. What is not understood is `never`, and an address of this machine is
 * not `public`, whatever range it is in.
 */
import ipaddr from "ipaddr.js"

export type AddressClass = "public" | "private" | "never"

const PRIVATE: ReadonlySet<string> = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat"])

/** Metadata services that live in ranges which are otherwise public or private. */
const METADATA_4: ReadonlySet<string> = new Set(["168.63.129.16", "100.100.100.200"])

const METADATA_6: ReadonlyArray<[ipaddr.IPv6, number]> = [
  "fd00:ec2::/32",
  "fd20:ce::254/128",
  "fd00:42::42/128"
].map((range) => ipaddr.IPv6.parseCIDR(range))

/** What IPv6 routes on the open internet; whatever a newer table would name outside it is not understood here. */
const GLOBAL_6 = ipaddr.IPv6.parseCIDR("2000::/3")

const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96")

/** The addresses of this machine, in the one spelling of `toString`. */
type Own = ReadonlySet<string>

const classify4 = (address: ipaddr.IPv4, own: Own): AddressClass => {
  if (METADATA_4.has(address.toString())) return "never"
  const range = address.range()
  if (range === "unicast") return own.has(address.toString()) ? "private" : "public"
  return PRIVATE.has(range) ? "private" : "never"
}

const embedded = (octets: ReadonlyArray<number>): ipaddr.IPv4 => new ipaddr.IPv4([...octets])

/** A gateway that turns the address into IPv4 must not lead where IPv4 itself would need a word of the policy. */
const onlyPublic = (inner: AddressClass): AddressClass => (inner === "public" ? "public" : "never")

const classify6 = (address: ipaddr.IPv6, own: Own): AddressClass => {
  if (METADATA_6.some((range) => address.match(range))) return "never"
  const octets = address.toByteArray()
  const range = address.range()
  if (range === "ipv4Mapped") return classify4(embedded(octets.slice(12)), own)
  if (address.match(NAT64)) return onlyPublic(classify4(embedded(octets.slice(12)), own))
  if (range === "6to4") return onlyPublic(classify4(embedded(octets.slice(2, 6)), own))
  if (PRIVATE.has(range)) return "private"
  // Teredo, IPv4-translated and IPv4-compatible addresses end here too: nothing in use answers there.
  if (range !== "unicast" || !address.match(GLOBAL_6)) return "never"
  return own.has(address.toString()) ? "private" : "public"
}

/** Without dots: IPv4 at the end of a compatible address is otherwise read as if it were a mapped one. */
const inHexadecimal = (address: string): string => new URL(`http://[${address}]/`).hostname.slice(1, -1)

/** As `isIP` of Node, which not every runtime has. */
const familyOf = (address: string): 0 | 4 | 6 => {
  if (address.includes("%")) return 0
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return 4
  return address.includes(":") && URL.canParse(`http://[${address}]/`) && ipaddr.IPv6.isValid(address) ? 6 : 0
}

/**
 * An address as a resolver or a URL gives it. Only the strict spellings are read: what the operating system would look
 * up as a name, or send through an interface that the address names, is no address here.
 */
export const classify = (address: string, own: Own): AddressClass => {
  const family = familyOf(address)
  if (family === 4) return classify4(ipaddr.IPv4.parse(address), own)
  return family === 6 ? classify6(ipaddr.IPv6.parse(inHexadecimal(address)), own) : "never"
}
