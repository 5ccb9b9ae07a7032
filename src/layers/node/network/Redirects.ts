/** Where a redirect leads, if it may be followed: every hop is asked of the same holder as the first. */
import { Either } from "effect"
import { NetworkError } from "../../../capabilities/Network.js"
import type { Denial } from "../../../policy/Denial.js"
import type { Proof } from "../../../policy/Proof.js"
import * as Request from "../../../policy/Request.js"
import type { Sent } from "./Exchange.js"
import { following } from "./Headers.js"
import { originOf } from "./Lines.js"

/** A request that is permitted, what goes with it, and which one of its chain it is. */
export interface Step {
  readonly proof: Proof<Request.Http>
  readonly sent: Sent
  readonly count: number
  /** Who redirected here. */
  readonly from: Request.Http | undefined
}

const STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export const isRedirect = (status: number, headers: Readonly<Record<string, string>>): boolean =>
  STATUSES.has(status) && headers.location !== undefined

const refused = (from: Request.Http, why: string, denial?: Denial): NetworkError =>
  new NetworkError({
    code: "REDIRECT_REFUSED",
    detail: `the redirect of ${from.host} is refused: ${why}`,
    ...(denial === undefined ? {} : { denial })
  })

/** Refusals behind a redirect are refusals of the redirect. */
export const ofRedirect = (from: Request.Http, error: NetworkError): NetworkError =>
  error.code === "ADDRESS_NOT_ALLOWED" ? refused(from, error.detail, error.denial) : error

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
  { count, proof, sent }: Step,
  status: number,
  location: string,
  limit: number
): Either.Either<Step, NetworkError> => {
  const { request } = proof
  if (count >= limit) {
    return Either.left(
      refused(request, `it is the ${limit}th in a chain; request where it ends, or raise requests`)
    )
  }
  const url = resolved(location, request.url)
  if (url === undefined)
    return Either.left(refused(request, "its Location is not a URL; report it to the server"))
  const method = methodAfter(status, request.method)
  const asked = proof.also(Request.http(method, url))
  if (Either.isLeft(asked)) {
    return Either.left(
      asked.left._tag === "Denied"
        ? refused(request, asked.left.denial.detail, asked.left.denial)
        : refused(request, asked.left.invalid.detail)
    )
  }
  const sameOrigin = originOf(asked.right.request) === originOf(request)
  const bodyStays = sent.body !== undefined && method === request.method
  if (bodyStays && !sameOrigin) {
    return Either.left(
      refused(
        request,
        `it would send the body to ${asked.right.request.host}; send it there in a request of its own`
      )
    )
  }
  return Either.right({
    proof: asked.right,
    count: count + 1,
    from: request,
    sent: {
      headers: following(sent.headers, { bodyStays, sameOrigin }),
      body: bodyStays ? sent.body : undefined
    }
  })
}
