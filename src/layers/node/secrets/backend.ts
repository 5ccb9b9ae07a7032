/** A backend from a way to look a ref up. */
import { Effect, Redacted } from "effect"
import { SecretsBackend } from "../../../capabilities/secrets/SecretsBackend.js"
import { SecretsError } from "../../../capabilities/secrets/SecretsOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Scoped } from "../../../policy/lattice/Request.js"

export interface Source {
  /** The value of a ref, if there is one. */
  readonly find: (segments: ReadonlyArray<string>) => Effect.Effect<string | undefined, SecretsError>
  /** What to do where there is none; without segments, for a ref that must not be named. */
  readonly remedy: (segments: ReadonlyArray<string> | undefined) => string
}

export const failed = (detail: string): SecretsError => new SecretsError({ code: "SECRETS_FAILED", detail })

/**
 * For the log: a tool is told less. A ref that was declared letter by letter may be named. One that a folder covers was chosen by the tool, which may have
 * passed a value by mistake: then the folder is named.
 */
const missing = (proof: Proof<Scoped>, source: Source): SecretsError => {
  const named = proof.scope === SecretsBackend.refOf(proof)
  const detail = `there is no secret ${named ? "" : "of that name in "}${proof.scope}`
  const remedy = source.remedy(named ? proof.request.element.ref : undefined)
  return new SecretsError({ code: "SECRET_NOT_FOUND", detail: `${detail}; ${remedy}` })
}

/** An empty value is none: that is how a variable is taken back. */
export const backend = (source: Source): SecretsBackend.Service =>
  SecretsBackend.guarded({
    get: (proof) =>
      Effect.flatMap(source.find(proof.request.element.ref ?? []), (value) =>
        value === undefined || value === "" ? missing(proof, source) : Effect.succeed(Redacted.make(value))
      )
  })
