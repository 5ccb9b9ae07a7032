/**
 * Hosts with their ports: `127.0.0.1:8080`, `[::1]:443`, `db.corp.example:5432`. A host alone is all of its ports,
 * and `*` stands for every endpoint. Inside, the port comes first and the labels of a name run from the last to the
 * first, so that `*.corp.example` is all that is deeper than `corp.example`.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { quote } from "../../text/Quote.js"
import * as Glob from "../Glob.js"
import * as Host from "../Host.js"
import { invalid, type ScopeInvalid } from "../ScopeInvalid.js"
import { Any, Deep, literal, type Token } from "../Token.js"
import type { Dimension } from "./Dimension.js"

const PORTED = /^(.*):(\d{1,5})$/s

/** Addresses are one segment: nothing is below an address. */
const labels = (host: string): ReadonlyArray<string> =>
  Host.isAddress(host) ? [host] : host.split(".").reverse()

const named = (segments: ReadonlyArray<string>): string => [...segments].reverse().join(".")

const refuse = (text: string) =>
  invalid("HOST_INVALID", `${quote(text)} is not a host and port; write it as in '127.0.0.1:8080'`)

/** A host and its port, if it has one; a colon inside brackets is not a port's. */
const split = (text: string): { readonly host: string; readonly port: string | undefined } | undefined => {
  const [, host, port] = PORTED.exec(text) ?? []
  if (host === undefined || port === undefined) return { host: text, port: undefined }
  return Number(port) >= 1 && Number(port) <= 65_535 && String(Number(port)) === port
    ? { host, port }
    : undefined
}

const parse = (text: string): Either.Either<Glob.Glob, ScopeInvalid> => {
  const parts = split(text)
  if (parts === undefined) return refuse(text)
  const port = parts.port === undefined ? Any : literal(parts.port)
  return Either.map(Host.parsePattern(parts.host), (pattern) => {
    if (pattern._tag === "Any") return Glob.make([port, Any, Deep])
    const tokens: ReadonlyArray<Token> = labels(pattern._tag === "Exact" ? pattern.host : pattern.suffix).map(
      literal
    )
    return Glob.make([port, ...tokens, ...(pattern._tag === "Below" ? [Any, Deep] : [])])
  })
}

const print = ({ tokens }: Glob.Glob): string => {
  const [port, ...rest] = tokens
  const names = rest.flatMap((token) => (token._tag === "Literal" ? [token.text] : []))
  const deep = rest.includes(Deep)
  const host = names.length === 0 ? "*" : deep ? `*.${named(names)}` : named(names)
  return port?._tag === "Literal" ? `${host}:${port.text}` : host
}

/**
 * @since 0.1.0
 * @category dimensions
 */
export const endpoint: Dimension<"endpoint"> = {
  name: "endpoint",
  top: Glob.make([Any, Any, Deep]),
  parse,
  print,
  element: (text) => {
    const parts = split(text)
    return parts?.port === undefined
      ? refuse(text)
      : Either.flatMap(Host.parsePattern(parts.host), (pattern) =>
          pattern._tag === "Exact"
            ? Either.right([parts.port as string, ...labels(pattern.host)])
            : refuse(text)
        )
  }
}

/**
 * The same, as where something is sent to.
 *
 * @since 0.1.0
 * @category dimensions
 */
export const to: Dimension<"to"> = { ...endpoint, name: "to" }
