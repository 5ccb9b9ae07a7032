/** What is sought for a secret, in each form of a text. */
import { plainForms } from "./forms.js"
import { joined, visible } from "./invisible.js"

export interface Needle {
  readonly text: string
  /** The smallest shift that brings it onto itself: how far apart two that overlap may be. */
  readonly period: number
}

export interface Base64Needle extends Needle {
  /** Whether the characters next to it hold a part of the secret as well. */
  readonly before: boolean
  readonly after: boolean
}

export interface Needles {
  readonly plain: ReadonlyArray<Needle>
  /** Those whose line breaks are joined, as they are where the lines of a text are. */
  readonly joined: ReadonlyArray<Needle>
  /** Those with spaces, which are plus signs in a form; there, plus signs are taken for spaces. */
  readonly spaced: ReadonlyArray<Needle>
  readonly base64: ReadonlyArray<Base64Needle>
  readonly hex: ReadonlyArray<Needle>
}

/** Shorter values are in every other text: a secret `1` would blacken all numbers. */
const SHORTEST = 4
const SHORTEST_LINE = 8
const MARKER = /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/

const utf8 = new TextEncoder()

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/** For each beginning of a text, the longest that it also ends with: the borders of Knuth, Morris and Pratt. */
export const bordersOf = (text: string): Int32Array => {
  const borders = new Int32Array(text.length + 1)
  borders[0] = -1
  let border = -1
  for (let index = 0; index < text.length; index++) {
    while (border >= 0 && text[index] !== text[border]) border = borders[border] ?? -1
    border += 1
    borders[index + 1] = border
  }
  return borders
}

const periodOf = (text: string): number => text.length - (bordersOf(text)[text.length] ?? 0)

const needle = (text: string): Needle => ({ text, period: periodOf(text) })

/**
 * The base64 of bytes that follow `shift` others in a group of three: the characters that they alone determine. What
 * stands before and after it is shared with their neighbours.
 */
const base64 = (bytes: Uint8Array, shift: number): Base64Needle => {
  const first = Math.ceil((shift * 8) / 6)
  const end = Math.floor(((shift + bytes.length) * 8) / 6)
  const chars: Array<string> = []
  for (let index = first; index < end; index++) {
    const bit = index * 6 - shift * 8
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0)
    chars.push(ALPHABET.charAt((pair >> (10 - (bit & 7))) & 63))
  }
  return { ...needle(chars.join("")), before: shift !== 0, after: (shift + bytes.length) % 3 !== 0 }
}

const latin1 = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** The value, the value without the space around it, and its lines: a key in PEM is shown line by line. */
const partsOf = (value: string): ReadonlyArray<string> => {
  const lines = value.split(/\r\n|\r|\n/).map((line) => line.trim())
  const long =
    lines.length > 1 ? lines.filter((line) => line.length >= SHORTEST_LINE && !MARKER.test(line)) : []
  return [...new Set([value, value.trim(), ...long])].filter((part) => part.length >= SHORTEST)
}

/** A value that holds escapes itself loses them with those around it. What is left must still be worth a search. */
const undone = (part: string): ReadonlyArray<string> =>
  plainForms(part)
    .slice(1)
    .map((form) => form.text)
    .filter((text) => text.replace(/\s/g, "").length >= SHORTEST)

export const needlesOf = (value: string): Needles => {
  const parts = partsOf(value).map((part) => ({ part, bytes: utf8.encode(part) }))
  // Bytes that were taken for Latin-1 are sought too, which is how bytes are searched.
  const plain = parts.flatMap(({ bytes, part }) => [
    part,
    ...undone(part),
    ...(bytes.length === part.length ? [] : [latin1(bytes)])
  ])
  const seen = [...new Set(plain.flatMap((text) => [text, visible(text)]))].filter(
    ({ length }) => length >= SHORTEST
  )
  return {
    plain: seen.map(needle),
    // A short one would be found where one word ends and the next line begins.
    joined: [...new Set(seen.map(joined))].filter(({ length }) => length >= SHORTEST_LINE).map(needle),
    spaced: seen
      .filter((text) => text.includes(" ") && text.trim() !== "")
      .map((text) => needle(text.replaceAll("+", " "))),
    base64: parts.flatMap(({ bytes }) => [0, 1, 2].map((shift) => base64(bytes, shift))),
    hex: parts.map(({ bytes }) => needle(hex(bytes)))
  }
}
