import { MAX_LENGTH } from "../text/Quote.js"
import * as wildcard from "./Wildcard.js"

/** What a glob is made of. `Deep` stands for any number of segments, none included. */
export type Token =
  | { readonly _tag: "Literal"; readonly text: string }
  | {
      readonly _tag: "Wild"
      readonly pattern: string
      readonly units: ReadonlyArray<string>
      /** The literal characters before the first wildcard, and after the last. */
      readonly head: string
      readonly tail: string
    }
  | { readonly _tag: "Deep" }

export const literal = (text: string): Token => ({ _tag: "Literal", text })

/** A segment as it is written: literal unless it holds `*` or `?`. */
export const segment = (text: string): Token => {
  if (!wildcard.isWild(text)) return literal(text)
  const pattern = wildcard.canonical(text)
  const [head = ""] = /^[^*?]*/.exec(pattern) ?? []
  const [tail = ""] = /[^*?]*$/.exec(pattern) ?? []
  return { _tag: "Wild", pattern, units: wildcard.characters(pattern), head, tail }
}

/** Exactly one segment, whatever it is. */
export const Any: Token = segment("*")

export const Deep: Token = { _tag: "Deep" }

export const isAny = (token: Token | undefined): boolean => token?._tag === "Wild" && token.pattern === "*"

export const tokenKey = (token: Token): string =>
  token._tag === "Literal" ? `=${token.text}` : token._tag === "Wild" ? `~${token.pattern}` : "**"

export const tokenMatches = (token: Token, text: string): boolean =>
  token._tag === "Literal"
    ? token.text === text
    : token._tag === "Deep" ||
      isAny(token) ||
      (text.length <= MAX_LENGTH &&
        text.startsWith(token.head) &&
        text.endsWith(token.tail) &&
        wildcard.matches(token.units, wildcard.characters(text)))

const agree = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a)

const agreeAtEnd = (a: string, b: string): boolean => a.endsWith(b) || b.endsWith(a)

/** What can be seen at once: `false` is certain, and spares the automaton. Both stand for one segment. */
export const mayInclude = (outer: Token, inner: Token): boolean => {
  if (isAny(outer)) return true
  if (inner._tag === "Literal") return tokenMatches(outer, inner.text)
  if (outer._tag !== "Wild" || inner._tag !== "Wild") return false
  return inner.head.startsWith(outer.head) && inner.tail.endsWith(outer.tail)
}

export const mayOverlap = (a: Token, b: Token): boolean => {
  if (isAny(a) || isAny(b)) return true
  if (a._tag === "Literal") return tokenMatches(b, a.text)
  if (b._tag === "Literal") return tokenMatches(a, b.text)
  if (a._tag !== "Wild" || b._tag !== "Wild") return false
  return agree(a.head, b.head) && agreeAtEnd(a.tail, b.tail)
}
