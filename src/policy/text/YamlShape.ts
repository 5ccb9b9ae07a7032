/** The shapes that a strict file may have. A value of another shape is an error in words, never a default. */
import { Either } from "effect"
import { closest } from "./Closest.js"
import type { At, Reading } from "./Problem.js"
import { quote } from "./Quote.js"
import { type Mapping, problem, type Yaml } from "./StrictYaml.js"

/** A piece of text and where it stands, for what is parsed further. */
export interface Text extends At {
  readonly text: string
}

const kindOf = (value: Yaml): string => {
  if (value._tag === "List") return "a list"
  if (value._tag === "Mapping") return "a mapping"
  return value.value === null ? "empty" : `the ${typeof value.value} ${quote(String(value.value))}`
}

const list = (names: ReadonlyArray<string>): string => names.map((name) => `'${name}'`).join(", ")

/** A mapping of known keys only; `what` names it in the sentence. */
export const mapping = (value: Yaml, what: string, known: ReadonlyArray<string>): Reading<Mapping> => {
  if (value._tag !== "Mapping") {
    return problem(
      "VALUE_INVALID",
      value.at,
      `${what} is ${kindOf(value)} where a mapping belongs`,
      `write a mapping with the keys ${list(known)}`
    )
  }
  for (const [key, { at }] of value.entries) {
    if (known.includes(key)) continue
    const meant = closest(key, known)
    return problem(
      "KEY_UNKNOWN",
      at,
      `${quote(key)} is not a key of ${what}`,
      meant === undefined ? `the keys are ${list(known)}` : `write '${meant}'`
    )
  }
  return Either.right(value)
}

export const texts = (value: Yaml, what: string): Reading<ReadonlyArray<Text>> => {
  if (value._tag !== "List") {
    const remedy =
      value._tag === "Scalar" && typeof value.value === "string"
        ? `write it in brackets: [${JSON.stringify(value.value)}]`
        : "write a list; [] is none"
    return problem("VALUE_INVALID", value.at, `${what} is ${kindOf(value)} where a list belongs`, remedy)
  }
  return Either.all(value.items.map((item) => text(item, `an entry of ${what}`)))
}

export const text = (value: Yaml, what: string): Reading<Text> => {
  if (value._tag !== "Scalar" || typeof value.value !== "string") {
    const remedy =
      value._tag !== "Scalar"
        ? "write one string"
        : value.value === null
          ? `write a string; a lone ~ is written "~"`
          : `quote it: "${String(value.value)}"`
    return problem("VALUE_INVALID", value.at, `${what} is ${kindOf(value)} where a string belongs`, remedy)
  }
  return value.value.trim() === ""
    ? problem("VALUE_INVALID", value.at, `${what} is an empty string`, "write something, or delete it")
    : Either.right({ ...value.at, text: value.value })
}

export const oneOf = <const A extends string>(
  value: Yaml,
  what: string,
  known: ReadonlyArray<A>
): Reading<A> =>
  Either.flatMap(text(value, what), (given) => {
    const found = known.find((one) => one === given.text)
    return found === undefined
      ? problem("VALUE_INVALID", value.at, `${what} is ${quote(given.text)}`, `write one of ${list(known)}`)
      : Either.right(found)
  })

export const yesOrNo = (value: Yaml, what: string): Reading<boolean> =>
  value._tag === "Scalar" && typeof value.value === "boolean"
    ? Either.right(value.value)
    : problem("VALUE_INVALID", value.at, `${what} is neither true nor false`, "write true or false")

/** `true` or `false`, and where it stands. */
export const flag = (value: Yaml, what: string): Reading<{ readonly is: boolean; readonly at: At }> =>
  value._tag === "Scalar" && typeof value.value === "boolean"
    ? Either.right({ is: value.value, at: value.at })
    : problem(
        "VALUE_INVALID",
        value.at,
        `${what} is ${kindOf(value)} where true or false belongs`,
        "write true or false"
      )

/** Reads the value of a key, if it has one. */
export const optional = <A>(
  { entries }: Mapping,
  key: string,
  read: (value: Yaml, what: string) => Reading<A>,
  what: string = key
): Reading<A | undefined> => {
  const entry = entries.get(key)
  return entry === undefined ? Either.right(undefined) : read(entry.value, `'${what}'`)
}
