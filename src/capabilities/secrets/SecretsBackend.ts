/**
 * What holds secrets.
 *
 * @since 0.1.0
 */
import { Context, Effect, Redacted } from "effect"
import { guarded, type Proof } from "../../policy/gate/Proof.js"
import type { Scoped } from "../../policy/lattice/Request.js"
import * as Revealed from "./Revealed.js"
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
  /**
   * A backend that takes proofs which were made for itself, and nothing else, and remembers what it gives out, so that
   * nobody is shown it: every implementation is one.
   */
  static guarded(service: SecretsBackend.Service): SecretsBackend.Service {
    const remembering: SecretsBackend.Service = guarded(
      {
        get: (proof) =>
          Effect.tap(service.get(proof), (value) =>
            Effect.sync(() => Revealed.of(remembering).add(Redacted.value(value)))
          )
      },
      ["get"]
    )
    return remembering
  }

  /** The ref of a proof. */
  static refOf({ request: { element } }: Proof<Scoped>): string {
    return (element.ref ?? []).join("/")
  }

  /** Operations that need no proof, such as a mock's, behind the door. */
  static fromOperations(operations: Pick<Secrets.Operations, "get">): SecretsBackend.Service {
    return SecretsBackend.guarded({ get: (proof) => operations.get({ ref: SecretsBackend.refOf(proof) }) })
  }
}
