/** What a child may reach: its proof is asked, for each request and each tunnel, and hears the answer as an event. */
import { Either } from "effect"
import type { NetworkError } from "../../../../capabilities/network/NetworkOperations.js"
import type { Proof, Refusal } from "../../../../policy/gate/Proof.js"
import { type Denial, message } from "../../../../policy/lattice/Denial.js"
import { isAddress } from "../../../../policy/lattice/Host.js"
import { holding } from "../../../../policy/lattice/Remedy.js"
import * as Request from "../../../../policy/lattice/Request.js"
import { changes } from "../../../http/HttpHeaders.js"
import { mayConnectPrivately } from "../../network/Vetting.js"
import type { Refusals } from "./refusals.js"
import { no, Refused } from "./refused.js"

export type Answer = Either.Either<Proof<Request.Http>, Refused>

const worded = (denial: Pick<Denial, "code" | "detail">, remedy: string): string =>
  `${message(denial)}. To allow it: ${remedy}.`

const ofDenial = (denial: Denial): Refused =>
  new Refused(403, denial.remedies === undefined ? `${message(denial)}.` : worded(denial, denial.remedy))

/** What vetting and connecting fail with: a refusal, or a server that is not there. */
export const ofFailure = (error: NetworkError): Refused =>
  error.denial === undefined ? new Refused(502, `${error.message}.`) : ofDenial(error.denial)

/** A wildcard names no address: only who writes an address, or its endpoint, means it. */
const named = (proof: Proof<Request.Http>): Answer => {
  const { capability, host } = proof.request
  if (!isAddress(host) || proof.scope === host || mayConnectPrivately(proof)) return Either.right(proof)
  const { remedy } = holding(capability, { host })
  const denial = {
    code: "ADDRESS_NOT_ALLOWED",
    detail: `${host} is an address, which the policy does not name`,
    capability,
    asked: Request.summary(proof.request),
    remedy
  } as const
  return Either.left(new Refused(403, worded(denial, remedy), denial))
}

/** The first of the proofs, if there are no refusals. */
const allowed = (asked: ReadonlyArray<Either.Either<Proof<Request.Http>, Refusal>>): Answer =>
  Either.flatMap(
    Either.mapLeft(Either.all(asked), ({ _tag, denial }) =>
      _tag === "Malformed" ? new Refused(400, `${message(denial)}.`) : ofDenial(denial)
    ),
    ([proof]) =>
      proof === undefined ? Either.left(new Refused(400, "Nothing was asked.")) : Either.right(proof)
  )

/** One request in the open, whose method and headers are seen. */
export const request = (
  child: Refusals,
  method: string,
  url: string,
  headers: ReadonlyArray<string>
): Answer =>
  Either.flatMap(allowed([child.asks(Request.http(method, url))]), (proof) => {
    const change = headers.map((name) => changes(name.toLowerCase())).find((found) => found !== undefined)
    if (change === undefined) return named(proof)
    const [detail, remedy] = change
    const { capability } = proof.request
    return no(403, {
      code: "HEADER_REFUSED",
      detail,
      remedy,
      capability,
      asked: Request.summary(proof.request)
    })
  })

const VERBS = ["GET", "POST", "PUT", "DELETE"] as const

const grants = (host: string): string => {
  const [last, ...others] = VERBS.map(
    (verb) => holding(`network.${verb.toLowerCase() as Lowercase<typeof verb>}`, { host }).remedy
  ).reverse()
  return `${others.reverse().join(", ")} and ${last}`
}

const asked = (child: Refusals, authority: string): Answer => {
  const url = `https://${authority}/`
  const made = Request.http("GET", url)
  const answers = [child.asks(made)]
  if (Either.isLeft(made)) return Either.left(new Refused(400, `${made.left.message}.`))
  answers.push(...VERBS.slice(1).map((verb) => child.asks(Request.http(verb, url))))
  const denials = answers.flatMap((one) => (Either.isLeft(one) ? [one.left.denial] : []))
  const [first] = denials
  if (first === undefined) return Either.flatMap(allowed(answers), named)
  const vain = denials.find(({ remedies }) => remedies === undefined)
  if (vain !== undefined) return Either.left(ofDenial(vain))
  const needed = `a tunnel hides its method, so it needs all of ${grants(made.right.host)}`
  return Either.left(new Refused(403, worded(first, needed)))
}

/** A tunnel hides method and path: it may be all that its host permits, so all of that has to be permitted. */
export const tunnel = (child: Refusals, authority: string): Answer => {
  const key = `tunnel to ${authority}`
  const before = child.before(key)
  if (before !== undefined) return Either.left(before)
  const answer = asked(child, authority)
  if (Either.isLeft(answer)) child.remember(key, answer.left)
  return answer
}
