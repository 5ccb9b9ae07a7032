/** Grants as YAML: a string in the compact form, or a map of one key. */
import { Either } from "effect"
import { quoted } from "../record/WrittenYaml.js"
import { quote } from "../text/Quote.js"
import { parseSpec } from "../text/Spec.js"
import type { Yaml } from "../text/StrictYaml.js"
import { checked, type GrantReading, type Written, type Wrong, wrong } from "./scope.js"

const plain = (value: Yaml): unknown => {
  switch (value._tag) {
    case "Scalar":
      return value.value
    case "List":
      return value.items.map(plain)
    case "Mapping":
      return {}
  }
}

export const fromSpec = (text: string): GrantReading<Written> =>
  Either.flatMap(
    Either.mapLeft(parseSpec(text), (malformed): Wrong => ({ code: "GRANT_MALFORMED", ...malformed })),
    ({ name, pairs }) => checked(name, pairs)
  )

const SHAPE = "write 'records.read', or a map such as 'net.get: { hosts: [api.example.com] }'"

export const fromYaml = (item: Yaml): GrantReading<Written> => {
  if (item._tag === "Scalar" && typeof item.value === "string") return fromSpec(item.value)
  const [only, second] = item._tag === "Mapping" ? item.entries : []
  if (only === undefined || second !== undefined) {
    return wrong("GRANT_MALFORMED", "expected a string or single-key map", SHAPE)
  }
  const [name, { value }] = only
  if (value._tag === "Scalar" && value.value === null) return checked(name, [])
  return value._tag === "Mapping"
    ? checked(
        name,
        [...value.entries].map(([key, { value: given }]) => [key, plain(given)] as const)
      )
    : wrong("GRANT_MALFORMED", `the scope of ${quote(name)} must be a map`, SHAPE)
}

/** What YAML reads as a string wherever it stands, also between brackets. */
const PLAIN = /^[A-Za-z_/][A-Za-z0-9_./-]*$|^~\/[A-Za-z0-9_./-]*$/

const WORDS = /^(null|true|false|yes|no|on|off|y|n)$/i

const scalar = (text: string): string => (PLAIN.test(text) && !WORDS.test(text) ? text : quoted(text))

/** One item of a list, in one line, without its dash. */
export const toYaml = ({ name, scope }: Pick<Written, "name" | "scope">): string => {
  const pairs = Object.entries(scope).map(
    ([key, value]) =>
      `${key}: ${key === "sealed" ? value : typeof value === "string" ? scalar(value) : `[${value.map(scalar).join(", ")}]`}`
  )
  return pairs.length === 0 ? name : `${name}: { ${pairs.join(", ")} }`
}
