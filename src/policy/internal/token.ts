import * as wildcard from "./wildcard.js"

/** What a glob is made of. `Deep` stands for any number of segments, none included. */
export type Token =
  | { readonly _tag: "Literal"; readonly text: string }
  | { readonly _tag: "Wild"; readonly pattern: string; readonly units: ReadonlyArray<string> }
  | { readonly _tag: "Deep" }

export const literal = (text: string): Token => ({ _tag: "Literal", text })

/** A segment as it is written: literal unless it holds `*` or `?`. */
export const segment = (text: string): Token => {
  if (!wildcard.isWild(text)) return literal(text)
  const pattern = wildcard.canonical(text)
  return { _tag: "Wild", pattern, units: wildcard.characters(pattern) }
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
    : token._tag === "Deep" || isAny(token) || wildcard.matches(token.units, wildcard.characters(text))
