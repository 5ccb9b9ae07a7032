/** Where a redirect leads, if it may be followed: every hop is asked of the same holder as the first. */
import { Either } from "effect"
import type { NetworkBackend } from "../../capabilities/network/NetworkBackend.js"
import { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import type { Proof } from "../../policy/gate/Proof.js"
import type { Denial } from "../../policy/lattice/Denial.js"
import * as Request from "../../policy/lattice/Request.js"
import * as Failures from "./HttpFailures.js"
import { following } from "./HttpHeaders.js"

/** What goes with a method and a URL, checked. */
export interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/** Scheme, host and port in the one spelling of the policy. */
export const originOf = ({ host, port, url }: Request.Http): string =>
  url.startsWith("https:") ? `https://${host}:${port}` : `http://${host}:${port}`

/** A request that is permitted, what goes with it, and which one of its chain it is. */
export interface Step {
  readonly proof: Proof<Request.Http>
  readonly sent: Sent
  readonly count: number
  /** Which redirects are followed. */
  readonly redirects: NonNullable<NetworkBackend.Content["redirects"]>
  /** Who redirected here. */
  readonly from: Request.Http | undefined
  /** Whether it goes to an address that is not public, or nowhere. */
  readonly isPrivate: boolean
}

const STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export const isRedirect = (status: number, headers: Readonly<Record<string, string>>): boolean =>
  STATUSES.has(status) && headers.location !== undefined

const CODE = "REDIRECT_REFUSED"

const REPORT = "report it to the server"

const words = (from: Request.Http, why: string): string => `the redirect of ${from.host} is refused: ${why}`

/** Where a redirect leads was asked, refused and heard already. */
const denied = (from: Request.Http, denial: Denial): NetworkError =>
  new NetworkError({ code: CODE, detail: words(from, denial.detail), denial: { ...denial, code: CODE } })

const refused = (proof: Proof<Request.Http>, why: string, remedy: string): NetworkError =>
  Failures.refused(proof, CODE, words(proof.request, `${why}; ${remedy}`), remedy)

/** Refusals behind a redirect are refusals of the redirect. */
export const ofRedirect = (from: Request.Http, error: NetworkError): NetworkError =>
  error.code === "ADDRESS_NOT_ALLOWED" && error.denial !== undefined ? denied(from, error.denial) : error

/** As fetch does it: what was posted is not posted again, unless the status says so. */
const methodAfter = (status: number, method: string): string => {
  if (status === 303) return method === "HEAD" ? "HEAD" : "GET"
  return (status === 301 || status === 302) && method === "POST" ? "GET" : method
}

const resolved = (location: string, base: string): string | undefined => {
  try {
    return new URL(location, base).href
  } catch {
    return undefined
  }
}

export const next = (
  { count, isPrivate, proof, redirects, sent }: Step,
  status: number,
  location: string | ReadonlyArray<string>,
  limit: number
): Either.Either<Step, NetworkError> => {
  const { request } = proof
  if (count >= limit) {
    return Either.left(
      refused(proof, `it is the ${limit}th in a chain`, "request where it ends, or raise requests")
    )
  }
  if (typeof location !== "string") {
    return Either.left(refused(proof, "it has more than one Location", REPORT))
  }
  const url = resolved(location, request.url)
  if (url === undefined) {
    return Either.left(refused(proof, "its Location is not a URL", REPORT))
  }
  const method = methodAfter(status, request.method)
  const target = Request.http(method, url)
  if (Either.isLeft(target)) {
    return Either.left(Failures.refused(proof, CODE, words(request, target.left.detail), REPORT))
  }
  // Where it leads is not said, nor asked: it may hold what must stay here.
  if (redirects === "same-origin" && originOf(target.right) !== originOf(request)) {
    return Either.left(
      refused(proof, "it leads elsewhere, and this request stays at its origin", "request it there")
    )
  }
  // Another host is a decision of its own: from what was asked first nobody could tell that it was reached.
  const asked = target.right.host === request.host ? proof.also(target) : proof.asks(target)
  if (Either.isLeft(asked)) {
    return Either.left(denied(request, asked.left.denial))
  }
  if (redirects === "same-host" && asked.right.request.host !== request.host) {
    return Either.left(
      refused(
        proof,
        `it leads to ${asked.right.request.host}, and this request stays where it is`,
        "request it there"
      )
    )
  }
  const sameOrigin = originOf(asked.right.request) === originOf(request)
  const bodyStays = sent.body !== undefined && method === request.method
  if (bodyStays && !sameOrigin) {
    return Either.left(
      refused(
        proof,
        `it would send the body to ${asked.right.request.host}`,
        "send it there in a request of its own"
      )
    )
  }
  return Either.right({
    proof: asked.right,
    count: count + 1,
    redirects,
    isPrivate,
    from: request,
    sent: {
      headers: following(sent.headers, { bodyStays, sameOrigin }),
      body: bodyStays ? sent.body : undefined
    }
  })
}
