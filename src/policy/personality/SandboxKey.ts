/** What stands under `sandbox` in `bailiwick.yaml` and in a personality: whether children must be held, and their limits. */
import { Either } from "effect"
import * as Sandbox from "../Sandbox.js"
import type { Reading } from "../text/Problem.js"
import { quote } from "../text/Quote.js"
import { type Mapping, problem, type Yaml } from "../text/StrictYaml.js"
import * as Shape from "../text/YamlShape.js"

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

const count = (value: Yaml, what: string): Reading<number> =>
  value._tag === "Scalar" && isCount(value.value)
    ? Either.right(value.value)
    : problem(
        "VALUE_INVALID",
        value.at,
        `${what} is ${given(value)}`,
        "write a whole number above 0, or delete it for the default"
      )

/** `512MiB`, or a number of bytes. */
const size = (value: Yaml, what: string): Reading<number> => {
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

/** As they are written, what each is in a policy, and how it is read. */
const written = {
  processes: ["processes", count],
  open_files: ["openFiles", count],
  file_size: ["fileBytes", size],
  memory: ["memoryBytes", size],
  tmp_size: ["tmpBytes", size],
  seconds: ["seconds", count],
  connections: ["connections", count],
  network_bytes: ["networkBytes", size]
} as const satisfies Record<string, readonly [keyof Sandbox.Limits, typeof count]>

const limits = (value: Yaml, what: string): Reading<Sandbox.Limits> =>
  Either.gen(function* () {
    const map = yield* Shape.mapping(value, what, Object.keys(written))
    const read: { -readonly [K in keyof Sandbox.Limits]: number } = {}
    for (const [key, [name, parse]] of Object.entries(written)) {
      const limit = yield* Shape.optional(map, key, parse, `sandbox.limits.${key}`)
      if (limit !== undefined) read[name] = limit
    }
    return read
  })

const mode = (value: Yaml, what: string): Reading<Sandbox.Mode> => Shape.oneOf(value, what, Sandbox.modes)

/** The keys of the mapping form, but for those that only one of the files has. */
export const keys = ["mode", "limits"] as const

/** `mode` and `limits` of the mapping form. */
export const settingsIn = (map: Mapping): Reading<Sandbox.Settings> =>
  Either.gen(function* () {
    return {
      mode: yield* Shape.optional(map, "mode", mode, "sandbox.mode"),
      limits: (yield* Shape.optional(map, "limits", limits, "sandbox.limits")) ?? {}
    }
  })

/** The short form: a mode alone. */
export const shortly = (value: Yaml, what: string): Reading<Sandbox.Settings> =>
  Either.map(mode(value, what), (one) => ({ mode: one, limits: {} }))

/** `MODE | { mode?, limits? }`. A root is no key of a personality: its paths are its own. */
export const settings = (value: Yaml, what: string): Reading<Sandbox.Settings> =>
  value._tag === "Mapping"
    ? Either.flatMap(Shape.mapping(value, what, keys), settingsIn)
    : shortly(value, what)
