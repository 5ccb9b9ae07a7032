/**
 * What holds secrets.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Redacted } from "effect"
import type { Proof } from "../../policy/gate/Proof.js"
import type { Scoped } from "../../policy/lattice/Request.js"
import type { Secrets } from "./Secrets.js"
import type { SecretsError } from "./SecretsOperations.js"

/**
 * @since 0.1.0
 */
export declare namespace SecretsBackend {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly get: (proof: Proof<Scoped>) => Effect.Effect<Redacted.Redacted<string>, SecretsError>
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class SecretsBackend extends Context.Tag("bailiwick/SecretsBackend")<
  SecretsBackend,
  SecretsBackend.Service
>() {
  /** The ref of a proof. */
  static refOf({ request: { element } }: Proof<Scoped>): string {
    return (element.ref ?? []).join("/")
  }

  /** Operations that need no proof, such as a mock's, behind the door. */
  static fromOperations(operations: Secrets.Operations): SecretsBackend.Service {
    return { get: (proof) => operations.get({ ref: SecretsBackend.refOf(proof) }) }
  }
}
