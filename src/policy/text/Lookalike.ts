/**
 * Names that a reader takes for others. A name is refused where it holds what nobody sees, where one of its words
 * mixes letters of alphabets that share shapes, and where a word beside Latin ones looks like another of them. Two names that are each sound and still look alike are compared by
 * their `skeleton`.
 */

/** What is drawn as nothing: zero-width characters, soft hyphens, variation selectors, fillers, tags, marks of direction. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u

/** White space that is not the plain blank. */
const ODD_BLANK = /[^\P{White_Space} ]/u

/** The alphabets whose letters are drawn alike. Others, such as Han beside Latin, are told apart at a glance. */
const alike = [
  /\p{Script=Latin}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u
]

const WORD = /[\p{L}\p{M}\p{N}]+/gu

const PLAIN = /^[\x20-\x7e]*$/

const isMixed = (word: string): boolean => alike.filter((script) => script.test(word)).length > 1

/** Letters that most type faces draw exactly as Latin ones: a word of nothing else is read as another. */
const DISGUISED = /^[асԁеһіјӏорԛѕԝхуҽпгѵАВЕКМНОРСТУХІЈЅαινορυχωϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧոսօ]+$/u

const LATIN = /[A-Za-z]/

/** What is wrong with a name, as the rest of a sentence, and what to do about it. */
export interface Deception {
  readonly detail: string
  readonly remedy: string
}

/** Why a name is not what it looks like; `undefined` for most. */
export const deception = (text: string): Deception | undefined => {
  if (PLAIN.test(text)) return undefined
  if (INVISIBLE.test(text)) return { detail: "holds a character that cannot be seen", remedy: "delete it" }
  if (ODD_BLANK.test(text)) {
    return { detail: "holds white space that is no plain blank", remedy: "write a plain one" }
  }
  const words = text.match(WORD) ?? []
  if (words.some(isMixed)) {
    return {
      detail: "mixes letters of alphabets that look alike",
      remedy: "write each word in one alphabet"
    }
  }
  // Who writes all of a name in another alphabet means it; beside Latin words it is taken for one of them.
  return LATIN.test(text) && words.some((word) => DISGUISED.test(word))
    ? { detail: "holds a word of letters that look like Latin ones", remedy: "write it in Latin letters" }
    : undefined
}

/** The same in one piece. */
export const deceives = (text: string): string | undefined => {
  const found = deception(text)
  return found && `${found.detail}; ${found.remedy}`
}

/** By the Latin letter that they are drawn as: letters of other alphabets, digits and strokes. */
const shapes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "аα",
    b: "ЬВΒ",
    c: "сϲ",
    d: "ԁ",
    e: "еҽΕЕ",
    h: "һΗН",
    i: "іιɩ",
    j: "јϳ",
    k: "кκΚК",
    l: "1Iӏ|ΙІ",
    m: "мМΜ",
    n: "ոпΝ",
    o: "0оοօΟО",
    p: "рρΡР",
    q: "ԛ",
    r: "г",
    s: "ѕ",
    t: "тτТΤ",
    u: "υս",
    v: "ѵν",
    w: "ԝω",
    x: "хχХΧ",
    y: "уγУΥ",
    z: "Ζ",
    "-": "‐‑‒–—−"
  }).flatMap(([letter, others]) => [...others].map((one) => [one, letter] as const))
)

const UNSEEN = new RegExp(INVISIBLE, "gu")

/**
 * As file systems compare names that do not tell upper from lower case, composed from decomposed letters, or pass over
 * what is not seen.
 */
export const folded = (text: string): string =>
  text.normalize("NFC").replace(UNSEEN, "").toUpperCase().toLowerCase().normalize("NFC")

const drawn = (text: string): string =>
  [...text]
    .map((letter) => shapes.get(letter) ?? letter)
    .join("")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")

/** Equal for names that look alike, in most type faces: capitals have shapes of their own, and are drawn first. */
export const skeleton = (text: string): string => drawn(folded(drawn(text.normalize("NFKC"))))
