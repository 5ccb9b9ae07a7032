/** Who may speak to the server at all. Nothing of a body is read before this has passed. */
import type { IncomingMessage } from "node:http"
import { type Callers, foreignTo, type Refusal, single } from "./Callers.js"

export interface Gate extends Callers {
  readonly isToken: (given: string) => boolean
  readonly path: string
}

const unauthorized = (given: boolean): Refusal => ({
  status: 401,
  message: "the token is missing or wrong; the server printed it when it started",
  headers: { "www-authenticate": `Bearer realm="bailiwick"${given ? ', error="invalid_token"' : ""}` }
})

const bearer = (value: string | undefined): string | undefined => /^bearer +(\S+) *$/i.exec(value ?? "")?.[1]

/** The first reason not to answer, if there is one. */
export const refusalOf = (request: IncomingMessage, gate: Gate): Refusal | undefined => {
  const foreign = foreignTo(request, gate)
  if (foreign !== undefined) return foreign
  const { authorization } = request.headersDistinct
  const [path] = (request.url ?? "").split("?")
  if (path !== gate.path) return { status: 404, message: `there is nothing here but ${gate.path}` }
  const token = bearer(single(authorization))
  return token !== undefined && gate.isToken(token) ? undefined : unauthorized(authorization !== undefined)
}
