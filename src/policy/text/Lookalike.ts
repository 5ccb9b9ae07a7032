/**
 * Names that a reader takes for others. A name is refused where it holds what nobody sees or what stands for other
 * characters, where one of its words mixes letters of alphabets that share shapes, and where a word beside Latin ones
 * looks like another of them. Two names that are each sound and still look alike are compared by their `skeleton`.
 */

/** What is drawn as nothing: zero-width characters, soft hyphens, variation selectors, fillers, tags, marks of direction. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u

/** White space that is not the plain blank. */
const ODD_BLANK = /[^\P{White_Space} ]/u

/** Halves of characters, and those that every type face draws as it likes. */
const SHAPELESS = /[\p{Cs}\p{Co}]/u

/** Drawn as a slash or a full stop, which part the segments of ids and the labels of hosts. */
const FALSE_MARK = /[\u2044\u2215\u2571\u29f8\u2024\u3002]/u

/** Letters that Thai, Lao, Armenian and Tibetan are written with, although Unicode takes each for two others. */
const WHOLE = /[\u0e33\u0eb3\u0edc\u0edd\u0587\u0f0c\u0f77\u0f79]/gu

/** Signs that are other characters to Unicode, as the Kelvin sign is a K. Greek keyboards write accents as two. */
const isSign = (character: string): boolean => {
  const other = character.normalize("NFC")
  return other !== character && [...other].length === 1 && !/[\u1f00-\u1fee\u1ff0-\u1ffc]/.test(character)
}

/** Wide, mathematical and old letters, ligatures and signs of units: each is read as other characters. */
const standsForOthers = (text: string): boolean => {
  const rest = text.replace(WHOLE, "_")
  return rest.normalize("NFKC") !== rest.normalize("NFC") || [...rest].some(isSign)
}

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

/** What a text holds that no reader can tell; `undefined` for most. */
const hidden = (text: string): Deception | undefined => {
  if (PLAIN.test(text)) return undefined
  if (INVISIBLE.test(text)) return { detail: "holds a character that cannot be seen", remedy: "delete it" }
  if (ODD_BLANK.test(text)) {
    return { detail: "holds white space that is no plain blank", remedy: "write a plain one" }
  }
  if (/\p{Cc}/u.test(text)) return { detail: "holds a control character", remedy: "delete it" }
  return SHAPELESS.test(text)
    ? { detail: "holds half of a character, or one without a shape of its own", remedy: "delete it" }
    : undefined
}

/** Why a name is not what it looks like; `undefined` for most. */
export const deception = (text: string): Deception | undefined => {
  if (PLAIN.test(text)) return undefined
  const unseen = hidden(text)
  if (unseen !== undefined) return unseen
  if (FALSE_MARK.test(text)) {
    return {
      detail: "holds a character that looks like a slash or a full stop",
      remedy: "write the plain one, or another"
    }
  }
  if (standsForOthers(text)) {
    return { detail: "holds a character that stands for others", remedy: "write those" }
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

const inOnePiece = (found: Deception | undefined): string | undefined =>
  found && `${found.detail}; ${found.remedy}`

/** The same in one piece. */
export const deceives = (text: string): string | undefined => inOnePiece(deception(text))

/** Of what may be in any alphabet and any shape, such as the arguments of a command: what nobody sees in it. */
export const hides = (text: string): string | undefined => inOnePiece(hidden(text))

/** Without what is not seen. */
export const bare = (text: string): string => text.replace(UNSEEN, "")

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
  bare(text.normalize("NFC")).toUpperCase().toLowerCase().normalize("NFC")

const drawn = (text: string): string =>
  [...text]
    .map((letter) => shapes.get(letter) ?? letter)
    .join("")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")

/** Equal for names that look alike, in most type faces: capitals have shapes of their own, and are drawn first. */
export const skeleton = (text: string): string => drawn(folded(drawn(text.normalize("NFKC"))))
