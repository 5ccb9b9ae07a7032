/** What a child may reach: its proof is asked, for each request and each tunnel, and hears the answer as an event. */
import { Either } from "effect"
import type { NetworkError } from "../../../../capabilities/network/NetworkOperations.js"
import type { Proof, Refusal } from "../../../../policy/gate/Proof.js"
import { type Denial, message } from "../../../../policy/lattice/Denial.js"
import { isAddress } from "../../../../policy/lattice/Host.js"
import { holding } from "../../../../policy/lattice/Remedy.js"
import * as Request from "../../../../policy/lattice/Request.js"
import { refused as heard } from "../../../http/HttpFailures.js"
import { changes } from "../../../http/HttpHeaders.js"
import { mayConnectPrivately } from "../../network/Vetting.js"

/** What a child is answered instead: a status, and one or two sentences. */
export class Refused extends Error {
  constructor(
    readonly status: 400 | 403 | 407 | 502 | 503,
    readonly text: string
  ) {
    super(text)
  }
}

export type Answer = Either.Either<Proof<Request.Http>, Refused>

export const no = (status: Refused["status"], text: string): Either.Either<never, Refused> =>
  Either.left(new Refused(status, text))

const worded = (denial: Denial, remedy: string): string => `${message(denial)}. To allow it: ${remedy}.`

const ofDenial = (denial: Denial): Refused =>
  new Refused(403, denial.remedies === undefined ? `${message(denial)}.` : worded(denial, denial.remedy))

/** What vetting and connecting fail with: a refusal, or a server that is not there. */
export const ofFailure = (error: NetworkError): Refused =>
  error.denial === undefined ? new Refused(502, `${error.message}.`) : ofDenial(error.denial)

/** A wildcard names no address: only who writes an address, or its endpoint, means it. */
const named = (proof: Proof<Request.Http>): Answer => {
  const { capability, host } = proof.request
  if (!isAddress(host) || proof.scope === host || mayConnectPrivately(proof)) return Either.right(proof)
  const denial = proof.refuse({
    reason: "scope_violation",
    code: "ADDRESS_NOT_ALLOWED",
    detail: `${host} is an address, which the policy does not name`,
    capability,
    asked: Request.summary(proof.request),
    held: [proof.scope],
    ...holding(capability, { host })
  })
  return Either.left(ofDenial(denial))
}

/** The first of the proofs, if there are no refusals. */
const allowed = (asked: ReadonlyArray<Either.Either<Proof<Request.Http>, Refusal>>): Answer =>
  Either.flatMap(
    Either.mapLeft(Either.all(asked), ({ _tag, denial }) =>
      _tag === "Malformed" ? new Refused(400, `${message(denial)}.`) : ofDenial(denial)
    ),
    ([proof]) => (proof === undefined ? no(400, "Nothing was asked.") : Either.right(proof))
  )

/** One request in the open, whose method and headers are seen. */
export const request = (child: Proof, method: string, url: string, headers: ReadonlyArray<string>): Answer =>
  Either.flatMap(allowed([child.asks(Request.http(method, url))]), (proof) => {
    const change = headers.map((name) => changes(name.toLowerCase())).find((found) => found !== undefined)
    if (change === undefined) return named(proof)
    const [why, remedy] = change
    return no(403, `${heard(proof, "HEADER_REFUSED", `${why}; ${remedy}`, remedy).message}.`)
  })

const VERBS = ["GET", "POST", "PUT", "DELETE"] as const

const grants = (host: string): string => {
  const [last, ...others] = VERBS.map(
    (verb) => holding(`network.${verb.toLowerCase() as Lowercase<typeof verb>}`, { host }).remedy
  ).reverse()
  return `${others.reverse().join(", ")} and ${last}`
}

/** A tunnel hides method and path: it may be all that its host permits, so all of that has to be permitted. */
export const tunnel = (child: Proof, authority: string): Answer => {
  const url = `https://${authority}/`
  const made = Request.http("GET", url)
  const asked = [child.asks(made)]
  if (Either.isLeft(made)) return no(400, `${made.left.message}.`)
  asked.push(...VERBS.slice(1).map((verb) => child.asks(Request.http(verb, url))))
  const denials = asked.flatMap((one) => (Either.isLeft(one) ? [one.left.denial] : []))
  const [first] = denials
  if (first === undefined) return Either.flatMap(allowed(asked), named)
  const vain = denials.find(({ remedies }) => remedies === undefined)
  if (vain !== undefined) return Either.left(ofDenial(vain))
  return no(403, worded(first, `a tunnel hides its method, so it needs all of ${grants(made.right.host)}`))
}
