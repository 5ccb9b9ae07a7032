/** Signatures over a request as it is sent. */
import { Effect } from "effect"
import { bytesOf, joined } from "../../bytes.js"
import type { SealForm } from "../../secrets/SealForm.js"
import { percent } from "./escaping.js"
import type { Outgoing } from "./Outgoing.js"

type Hmac = Extract<SealForm, { readonly as: "hmac" }>
type Aws4 = Extract<SealForm, { readonly as: "aws4" }>
type Hash = NonNullable<Hmac["hash"]>

const NAMES = { sha1: "SHA-1", sha256: "SHA-256", sha512: "SHA-512" } as const

/** A copy that is backed by nothing shared, as those who hash want it. */
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)

const hmac = (hash: Hash, key: Uint8Array, data: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.promise(async () => {
    const made = await crypto.subtle.importKey("raw", own(key), { name: "HMAC", hash: NAMES[hash] }, false, [
      "sign"
    ])
    return new Uint8Array(await crypto.subtle.sign("HMAC", made, own(data)))
  })

const sha256 = (data: Uint8Array): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", own(data))),
    (digest) => hex(new Uint8Array(digest))
  )

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const encoded = (bytes: Uint8Array, encoding: NonNullable<Hmac["encoding"]>): string => {
  if (encoding === "hex") return hex(bytes)
  const text = base64(bytes)
  return encoding === "base64" ? text : text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
}

/** The bytes of a key that is written in another way, or nothing where it is not. */
const keyOf = (value: string, key: NonNullable<Hmac["key"]>): Uint8Array | undefined => {
  if (key === "text") return bytesOf(value)
  if (key === "hex") {
    return /^(?:[0-9a-f]{2})+$/i.test(value)
      ? Uint8Array.from(value.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
      : undefined
  }
  const text = value
    .replace(/^whsec_/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
  try {
    return Uint8Array.from(atob(text), (one) => one.charCodeAt(0))
  } catch {
    return undefined
  }
}

const EMPTY = new Uint8Array(0)

/** The names of headers that a signature is over. */
export const coveredBy = (form: Hmac | Aws4): ReadonlyArray<string> =>
  form.as === "hmac"
    ? form.over.flatMap((part) => (part.startsWith("header:") ? [part.slice(7).toLowerCase()] : []))
    : []

const part = (outgoing: Outgoing, name: string): Effect.Effect<Uint8Array> => {
  const { body = EMPTY, headers, method } = outgoing
  const url = new URL(outgoing.url)
  const said = (text: string) => Effect.succeed(bytesOf(text))
  if (name.startsWith("=")) return said(name.slice(1))
  if (name.startsWith("header:")) return said(headers.get(name.slice(7).toLowerCase()) ?? "")
  switch (name) {
    case "method":
      return said(method)
    case "host":
      return said(url.host)
    case "path":
      return said(url.pathname)
    case "query":
      return said(url.search.slice(1))
    case "target":
      return said(url.pathname + url.search)
    case "url":
      return said(url.href.replace(/#.*$/s, ""))
    case "body:sha256":
      return Effect.map(sha256(body), bytesOf)
    default:
      return Effect.succeed(body)
  }
}

const together = (parts: ReadonlyArray<Uint8Array>, between: Uint8Array): Uint8Array =>
  joined(parts.flatMap((one, at) => (at === 0 ? [one] : [between, one])))

/** Nothing, where the secret is no key of its kind. */
export const hmacOf = (form: Hmac, value: string, outgoing: Outgoing): Effect.Effect<string | undefined> => {
  const { encoding = "hex", hash = "sha256", join = "", key = "text", over } = form
  const bytes = keyOf(value, key)
  if (bytes === undefined || bytes.length === 0) return Effect.succeed(undefined)
  return Effect.flatMap(
    Effect.forEach(over, (name) => part(outgoing, name)),
    (parts) =>
      Effect.map(hmac(hash, bytes, together(parts, bytesOf(join))), (signature) =>
        encoded(signature, encoding)
      )
  )
}

const decodedPart = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** As it is sent, each segment once more and one slash between them; of S3 the key itself. */
const canonicalPath = ({ service }: Aws4, pathname: string): string =>
  (service === "s3" ? decodedPart(pathname) : pathname.replace(/\/+/g, "/")).split("/").map(percent).join("/")

/** Sorted by name, then by value. */
const canonicalQuery = (search: string): string =>
  search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", ...value] = pair.split("=")
      return `${percent(decodedPart(name))}\0${percent(decodedPart(value.join("=")))}`
    })
    .sort()
    .join("&")
    .replaceAll("\0", "=")

const isSigned = (name: string): boolean => name === "content-type" || name.startsWith("x-amz-")

export interface AwsSigned {
  readonly authorization: string
  /** The part of it that only who has the secret can make. */
  readonly signature: string
  /** Headers that go with it. */
  readonly headers: ReadonlyMap<string, string>
}

/** Signature version 4 of AWS, in a header. */
export const aws4Of = (
  form: Aws4,
  value: string,
  outgoing: Outgoing,
  millis: number
): Effect.Effect<AwsSigned> =>
  Effect.gen(function* () {
    const stamp = new Date(millis).toISOString().replace(/[-:]|\.\d{3}/g, "")
    const day = stamp.slice(0, 8)
    const url = new URL(outgoing.url)
    const digest = yield* sha256(outgoing.body ?? EMPTY)
    const further = new Map([
      ["x-amz-date", stamp],
      ["x-amz-content-sha256", digest]
    ])
    const headers = [
      ...[...outgoing.headers].filter(([name]) => isSigned(name) && !further.has(name)),
      ...further,
      ["host", url.host] as const
    ].sort(([a], [b]) => (a < b ? -1 : 1))
    const names = headers.map(([name]) => name).join(";")
    const canonical = [
      outgoing.method,
      canonicalPath(form, url.pathname),
      canonicalQuery(url.search),
      ...headers.map(([name, text]) => `${name}:${text.trim().replace(/ +/g, " ")}`),
      "",
      names,
      digest
    ].join("\n")
    const scope = `${day}/${form.region}/${form.service}/aws4_request`
    const toSign = `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${yield* sha256(bytesOf(canonical))}`
    let key = bytesOf(`AWS4${value}`)
    for (const step of [day, form.region, form.service, "aws4_request"]) {
      key = yield* hmac("sha256", key, bytesOf(step))
    }
    const signature = hex(yield* hmac("sha256", key, bytesOf(toSign)))
    return {
      signature,
      authorization: `AWS4-HMAC-SHA256 Credential=${form.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
      headers: further
    }
  })
