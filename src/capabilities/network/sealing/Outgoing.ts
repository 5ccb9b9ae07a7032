/**
 * A request on its way out, as far as sealed secrets are concerned.
 *
 * @since 0.1.0
 */
import type { Denial } from "../../../policy/lattice/Denial.js"
import * as Seals from "../../secrets/Seals.js"

/**
 * `headers` are by their names in lower case. `url` is in its one spelling.
 *
 * @since 0.1.0
 * @category models
 */
export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly host: string
  readonly port: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array | undefined
}

/**
 * A request with the values in the places of the tokens. What was put in beside the secrets, such as a signature, is in
 * `further`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Placed extends Outgoing {
  readonly further: ReadonlyArray<string>
  /** A signature is over this request, and over no other. */
  readonly isSigned: boolean
}

const OPEN: ReadonlySet<string> = new Set(["", "identity", "chunked"])

/**
 * Whether an answer is compressed by what its headers say: as content, or for the way.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isPacked = (content: string | undefined, transfer: string | undefined): boolean =>
  !OPEN.has(content?.trim().toLowerCase() ?? "") ||
  (transfer ?? "").split(",").some((coding) => !OPEN.has(coding.trim().toLowerCase()))

/**
 * Whether something in a request looks like a token.
 *
 * @since 0.1.0
 * @category predicates
 */
export const carries = (
  url: string,
  headers: Iterable<readonly [name: string, value: string]>,
  body: Uint8Array | undefined
): boolean => {
  if (Seals.isCarriedIn(url)) return true
  for (const [name, value] of headers) if (Seals.isCarriedIn(name) || Seals.isCarriedIn(value)) return true
  return body !== undefined && Seals.isCarriedIn(body)
}

/**
 * A part of an answer, from who may have kept a secret: half of a value is nothing that anybody would find.
 *
 * @since 0.1.0
 * @category constructors
 */
export const partial = ({ host, port }: Pick<Outgoing, "host" | "port">): Denial => ({
  reason: "scope_violation",
  code: "SEAL_REFUSED",
  detail: "a tool sends no Range to a host that it has a sealed secret for, which may have kept it",
  capability: "secrets.seal",
  asked: `a part of an answer of ${host}:${port}`,
  held: [],
  remedy: "ask for the whole, without that header"
})
