/** What stands under `audit` in `bailiwick.yaml`: whether a log is kept of what agents do, and how. */
import { Either } from "effect"
import type { AuditSink } from "../../audit/AuditSink.js"
import * as Request from "../../policy/lattice/Request.js"
import type { Reading } from "../../policy/text/Problem.js"
import { quote } from "../../policy/text/Quote.js"
import { problem, type Yaml } from "../../policy/text/StrictYaml.js"
import { count, size } from "../../policy/text/YamlAmount.js"
import * as Shape from "../../policy/text/YamlShape.js"

export interface Settings {
  readonly fsync?: boolean | undefined
  readonly onFailure?: AuditSink.Service["onFailure"] | undefined
  readonly keepDays?: number | undefined
  readonly fileBytes?: number | undefined
  /** The ref of the secret that lines are chained with. */
  readonly chain?: string | undefined
}

/** Nothing is kept. */
export type AuditKey = Settings | "off"

const KEYS = ["fsync", "on_failure", "keep_days", "file_bytes", "chain"]

const onFailure = (value: Yaml, what: string) => Shape.oneOf(value, what, ["closed", "open"])

const ref = (value: Yaml, what: string): Reading<string> =>
  Either.flatMap(Shape.text(value, what), (given) =>
    Either.match(Request.secret(given.text), {
      onLeft: ({ detail }) =>
        problem(
          "VALUE_INVALID",
          given,
          `${what} is no name of a secret: ${detail}`,
          "write one, as in AUDIT_KEY"
        ),
      onRight: () => Either.right(given.text)
    })
  )

/** `off | on | { fsync?, on_failure?, keep_days?, file_bytes?, chain? }`. */
export const read = (value: Yaml, what: string): Reading<AuditKey> =>
  Either.gen(function* () {
    if (value._tag !== "Mapping") {
      if (value._tag === "Scalar" && value.value === "off") return "off"
      if (value._tag === "Scalar" && value.value === "on") return {}
      const given = value._tag === "Scalar" ? quote(String(value.value)) : "a list"
      const keys = KEYS.map((key) => `'${key}'`).join(", ")
      return yield* problem(
        "VALUE_INVALID",
        value.at,
        `${what} is ${given}`,
        `write 'on', 'off', or a mapping with the keys ${keys}`
      )
    }
    const map = yield* Shape.mapping(value, what, KEYS)
    return {
      fsync: yield* Shape.optional(map, "fsync", Shape.yesOrNo, "audit.fsync"),
      onFailure: yield* Shape.optional(map, "on_failure", onFailure, "audit.on_failure"),
      keepDays: yield* Shape.optional(map, "keep_days", count, "audit.keep_days"),
      fileBytes: yield* Shape.optional(map, "file_bytes", size, "audit.file_bytes"),
      chain: yield* Shape.optional(map, "chain", ref, "audit.chain")
    }
  })
