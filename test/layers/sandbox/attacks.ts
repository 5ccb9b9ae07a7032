/** What a test has tried inside, and what comes back. */
import { Schema } from "effect"

const Limits = Schema.Struct({
  processes: Schema.optional(Schema.Number),
  openFiles: Schema.optional(Schema.Number),
  fileBytes: Schema.optional(Schema.Number),
  memoryBytes: Schema.optional(Schema.Number),
  tmpBytes: Schema.optional(Schema.Number),
  seconds: Schema.optional(Schema.Number)
})

export const Attack = Schema.Struct({ script: Schema.String, limits: Schema.optional(Limits) })

export type Attack = typeof Attack.Type

export const Attacks = Schema.Struct({
  root: Schema.String,
  quarantine: Schema.String,
  attacks: Schema.Array(Attack)
})

const Outcome = Schema.Struct({
  exitCode: Schema.Number,
  stdout: Schema.String,
  stderr: Schema.String,
  notes: Schema.Array(Schema.String)
})

export type Outcome = typeof Outcome.Type

export const Outcomes = Schema.parseJson(Schema.Array(Outcome))
