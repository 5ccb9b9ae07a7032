/** What a request fails with, in words: hosts, codes and limits, never queries, header values or bodies. */
import { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import type { Proof } from "../../policy/gate/Proof.js"
import type { Denial } from "../../policy/lattice/Denial.js"
import { type Http, summary } from "../../policy/lattice/Request.js"

/** Host and port of a request, as messages name it. */
export const peerOf = ({ host, port }: Pick<Http, "host" | "port">): string => `${host}:${port}`

const CODE = /^[A-Z][A-Z0-9_]{1,63}$/
const KIND = /^[A-Za-z]{1,40}Error$/

const textAt = (cause: unknown, key: string): string => String(Object(cause)[key] ?? "")

/** The code of whatever was thrown, or what kind of error it is; its message may hold anything. */
export const codeOf = (cause: unknown): string => {
  const [code, kind] = [textAt(cause, "code"), textAt(cause, "name")]
  return CODE.test(code) ? code : KIND.test(kind) ? kind : "no code"
}

export const failed = (detail: string): NetworkError => new NetworkError({ code: "REQUEST_FAILED", detail })

export const exceeded = (detail: string): NetworkError => new NetworkError({ code: "LIMIT_EXCEEDED", detail })

/** A refusal that no scope was asked about. */
export const refused = (
  proof: Proof<Http>,
  code: NetworkError["code"] & Denial["code"],
  detail: string,
  remedy: string
): NetworkError => {
  const denial = proof.refuse({
    reason: "scope_violation",
    code,
    detail,
    capability: proof.request.capability,
    asked: summary(proof.request),
    held: [],
    remedy
  })
  return new NetworkError({ code, detail, denial })
}

const ALWAYS = "no policy lifts this; use another host or port"

/** An address or port that is refused whatever the policy says. */
export const neverAllowed = (proof: Proof<Http>, detail: string): NetworkError => {
  const { host, port } = proof.request
  const denial = proof.refuse({
    reason: "scope_violation",
    code: "ADDRESS_NOT_ALLOWED",
    detail,
    capability: "private.connect",
    asked: `connect ${host}:${port}`,
    held: [],
    remedy: ALWAYS
  })
  return new NetworkError({ code: "ADDRESS_NOT_ALLOWED", detail, denial })
}

/** Where undici or the socket ended a request. */
export const broken = (request: Http, cause: unknown): NetworkError => {
  const code = codeOf(cause)
  return code === "UND_ERR_HEADERS_OVERFLOW"
    ? exceeded(`the headers that ${peerOf(request)} answers with are longer than headerBytes allows`)
    : failed(
        `the request to ${peerOf(request)} failed (${code}); see that the server is there, then try again`
      )
}
