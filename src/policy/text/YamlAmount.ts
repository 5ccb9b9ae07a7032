/** Numbers of things and of bytes, as a strict file has them. */
import { Either } from "effect"
import type { Reading } from "./Problem.js"
import { quote } from "./Quote.js"
import { problem, type Yaml } from "./StrictYaml.js"

const UNITS: ReadonlyMap<string, number> = new Map([
  ["B", 1],
  ["KB", 1000],
  ["MB", 1000 ** 2],
  ["GB", 1000 ** 3],
  ["TB", 1000 ** 4],
  ["KiB", 1024],
  ["MiB", 1024 ** 2],
  ["GiB", 1024 ** 3],
  ["TiB", 1024 ** 4]
])

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0

const given = (value: Yaml): string =>
  value._tag === "Scalar" && value.value !== null
    ? quote(String(value.value))
    : value._tag === "Scalar"
      ? "empty"
      : `a ${value._tag.toLowerCase()}`

/** A whole number above 0. */
export const count = (value: Yaml, what: string): Reading<number> =>
  value._tag === "Scalar" && isCount(value.value)
    ? Either.right(value.value)
    : problem(
        "VALUE_INVALID",
        value.at,
        `${what} is ${given(value)}`,
        "write a whole number above 0, or delete it for the default"
      )

/** `512MiB`, or a number of bytes. */
export const size = (value: Yaml, what: string): Reading<number> => {
  const written = value._tag === "Scalar" ? value.value : undefined
  const [, digits, unit = ""] = /^(\d{1,15}) ?([A-Za-z]+)$/.exec(String(written)) ?? []
  const bytes = digits === undefined ? written : Number(digits) * (UNITS.get(unit) ?? Number.NaN)
  return isCount(bytes)
    ? Either.right(bytes)
    : problem(
        "VALUE_INVALID",
        value.at,
        `${what} is ${given(value)}`,
        "write a size above 0, as in '512MiB', or a number of bytes"
      )
}
