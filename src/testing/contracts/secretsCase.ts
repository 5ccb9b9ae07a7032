/** One case of the contract of secrets, and what it is written with. */
import { Effect, Redacted } from "effect"
import { SecretsBackend } from "../../capabilities/secrets/SecretsBackend.js"
import type { SecretsError } from "../../capabilities/secrets/SecretsOperations.js"
import * as Request from "../../policy/lattice/Request.js"
import type { ContractBroken, Case as Shared } from "./contract.js"
import { type Permits, permitsFor } from "./permits.js"

/**
 * What the cases may do beside asking.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rig {
  /** Gives a secret another value, or takes it away. Without it there are no cases about changes. */
  readonly change?: (ref: string, value: string | undefined) => Effect.Effect<void>
}

/**
 * `about` says what a backend must have for the case to apply. `secrets`: every one. `stores`: one whose secrets people
 * set and take back, and whose messages people read. `changes`: one that sees at once what was changed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Case extends Shared<SecretsBackend, SecretsError> {
  readonly about: "secrets" | "stores" | "changes"
}

export interface Bench extends Permits {
  readonly backend: SecretsBackend.Service
  /** The value of a secret that is declared by its own name. */
  readonly get: (ref: string) => Effect.Effect<Redacted.Redacted<string>, SecretsError>
  readonly value: (ref: string) => Effect.Effect<string, SecretsError>
  /** The same where a folder is declared. */
  readonly below: (folder: string, ref: string) => Effect.Effect<string, SecretsError>
  readonly change: NonNullable<Rig["change"]>
}

export type Definition = (rig: Rig) => Case

export const define =
  (
    about: Case["about"],
    name: string,
    body: (bench: Bench) => Effect.Effect<void, ContractBroken | SecretsError>
  ): Definition =>
  ({ change = () => Effect.void }) => ({
    name,
    about,
    run: Effect.flatMap(SecretsBackend, (backend) => {
      const permits = permitsFor(backend)
      const asked = (declared: string, ref: string) =>
        Effect.flatMap(permits.ask({ secrets: { read: [declared] } }, Request.secret(ref)), backend.get)
      return body({
        ...permits,
        backend,
        change,
        get: (ref) => asked(ref, ref),
        value: (ref) => Effect.map(asked(ref, ref), Redacted.value),
        below: (folder, ref) => Effect.map(asked(`${folder}/*`, ref), Redacted.value)
      })
    })
  })
