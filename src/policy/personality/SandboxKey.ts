/** What stands under `sandbox` in `bailiwick.yaml` and in a personality: whether children must be held, and their limits. */
import { Either } from "effect"
import * as Sandbox from "../Sandbox.js"
import type { Reading } from "../text/Problem.js"
import type { Mapping, Yaml } from "../text/StrictYaml.js"
import { count, size } from "../text/YamlAmount.js"
import * as Shape from "../text/YamlShape.js"

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
