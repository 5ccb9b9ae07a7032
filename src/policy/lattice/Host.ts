/**
 * Host names and host patterns. A host has one spelling here: lower case, IDNA in ASCII, one trailing dot
 * stripped, no port. A pattern is a host, `*.suffix` (every name strictly below the suffix), or `*`.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { getPublicSuffix } from "tldts"
import { deceives } from "../text/Lookalike.js"
import { hasControl, quote } from "../text/Quote.js"
import { invalid, type ScopeInvalid } from "./ScopeInvalid.js"

/**
 * @since 0.1.0
 * @category models
 */
export type HostPattern =
  | { readonly _tag: "Exact"; readonly host: string }
  | { readonly _tag: "Below"; readonly suffix: string }
  | { readonly _tag: "Any" }

const refuse = (detail: string) => invalid("HOST_INVALID", detail)

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/

const LABEL = /^[a-z0-9_-]{1,63}$/

const MAPPED = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/

/** An IPv4 address that is spelt as IPv6 is that IPv4 address. */
const unmapped = (address: string): string => {
  const [, high, low] = MAPPED.exec(address) ?? []
  if (high === undefined || low === undefined) return address
  return [high, low]
    .flatMap((half) => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255])
    .join(".")
}

/** What `URL` leaves to be done to a host name that it has parsed: it lets through more than names. */
const finish = (hostname: string): string | undefined => {
  const host = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname
  if (host.startsWith("[")) return unmapped(host)
  return host.length <= 253 && host.split(".").every((label) => LABEL.test(label)) ? host : undefined
}

/**
 * The host of a URL that may be requested at all: http or https, no user info, a well-formed name.
 *
 * @since 0.1.0
 * @category parsing
 */
export const fromUrl = (
  text: string
): Either.Either<{ readonly host: string; readonly port: number; readonly url: string }, ScopeInvalid> => {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    // Not repeated: what is no URL may hold a token anywhere.
    return invalid("URL_INVALID", "that is not an absolute URL")
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return invalid(
      "URL_INVALID",
      `${quote(url.protocol)} URLs are always refused; only http and https are allowed`
    )
  }
  if (url.username !== "" || url.password !== "") {
    return invalid("URL_INVALID", "a URL with user info is always refused; send credentials in a header")
  }
  const host = finish(url.hostname)
  return host === undefined
    ? invalid("URL_INVALID", `${quote(url.hostname)} is not a well-formed host name`)
    : Either.right({ host, port: portOf(url), url: url.href })
}

const portOf = ({ port, protocol }: URL): number =>
  port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)

/** A name that `URL` would give back as it is: no address ends in a letter's label, and nothing of it is encoded. */
const PLAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const isPlain = (text: string): boolean => text.length <= 253 && PLAIN.test(text) && !text.includes("xn--")

/** What `URL` reads as another letter or as a dot: wide letters, ligatures, the full stops of other scripts. */
const isOddlySpelt = (text: string): boolean => {
  const lower = text.toLowerCase()
  return lower.normalize("NFKC") !== lower.normalize("NFC") || /[\u3002\uff61]/.test(text)
}

/**
 * A bare host name, as declarations and policies write it. Spellings that hide what they name, such as an IPv4
 * address in hexadecimal, are refused.
 */
const parse = (text: string): Either.Either<string, ScopeInvalid> => {
  if (isPlain(text)) return Either.right(text)
  const bracketed = text.startsWith("[") && text.endsWith("]")
  if (text === "" || hasControl(text) || /[\s/\\?#@%*]/.test(text) || (!bracketed && text.includes(":"))) {
    return refuse(
      `${quote(text)} is not a bare host name; write it without scheme, port, path or wildcard inside`
    )
  }
  const why = deceives(text)
  const wrong = (otherwise: string) =>
    refuse(why === undefined ? otherwise : `the host ${quote(text)} ${why}`)
  let hostname: string
  try {
    hostname = new URL(`http://${text}/`).hostname
  } catch {
    return wrong(`${quote(text)} is not a host name`)
  }
  const host = finish(hostname)
  if (host === undefined) return wrong(`${quote(text)} is not a well-formed host name`)
  if (IPV4.test(host) && host !== text.replace(/\.$/, "") && !bracketed) {
    return refuse(`${quote(text)} is an odd spelling of an address; write '${host}'`)
  }
  const odd = `${quote(text)} is an odd spelling of a host name; write '${host}'`
  if (!isOddlySpelt(text)) return why === undefined ? Either.right(host) : wrong(odd)
  // Nobody can tell from a name in code whether it is the one that was meant.
  return host.includes("xn--") ? wrong(odd) : refuse(odd)
}

/**
 * Whether a host is an address and not a name.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isAddress = (host: string): boolean => IPV4.test(host) || host.startsWith("[")

/**
 * Whether what is below a name belongs to many: `*.kawasaki.jp` covers public suffixes without being one itself, hence
 * the second question.
 *
 * @since 0.1.0
 * @category predicates
 */
export const coversPublicSuffix = (suffix: string): boolean =>
  [suffix, `x.${suffix}`].some((name) => getPublicSuffix(name, { allowPrivateDomains: true }) === name)

const parseBelow = (
  text: string,
  publicSuffixes: "refused" | "allowed"
): Either.Either<HostPattern, ScopeInvalid> =>
  Either.flatMap(parse(text.slice(2)), (suffix) => {
    if (isAddress(suffix)) {
      return refuse(`${quote(text)} puts a wildcard over an address; name the address itself`)
    }
    return publicSuffixes === "refused" && (!suffix.includes(".") || coversPublicSuffix(suffix))
      ? refuse(`${quote(text)} covers a whole public suffix; name the domain below it, as in '*.example.com'`)
      : Either.right({ _tag: "Below", suffix })
  })

const parseExact = (text: string): Either.Either<HostPattern, ScopeInvalid> =>
  Either.map(parse(text), (host) => ({ _tag: "Exact", host }))

/**
 * A pattern that lets hosts in.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parsePattern = (text: string): Either.Either<HostPattern, ScopeInvalid> =>
  text === "*"
    ? Either.right({ _tag: "Any" })
    : text.startsWith("*.")
      ? parseBelow(text, "refused")
      : parseExact(text)

/**
 * A pattern that leaves hosts out: it may be as wide as it likes, but not everything.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parseException = (text: string): Either.Either<HostPattern, ScopeInvalid> =>
  text.startsWith("*.") ? parseBelow(text, "allowed") : parseExact(text)
