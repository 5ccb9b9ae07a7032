/**
 * @since 0.1.0
 */
import { Effect, Redacted } from "effect"
import * as Gate from "../../policy/gate/Gate.js"
import type { Holder } from "../../policy/gate/Proof.js"
import * as Request from "../../policy/lattice/Request.js"
import type { Secrets } from "./Secrets.js"
import type { SecretsBackend } from "./SecretsBackend.js"
import { SecretsError } from "./SecretsOperations.js"

/**
 * Secrets, each asked of the authority first. The backend never sees a ref that is not held. `revealed` hears of every
 * value that leaves the backend, so that it can be kept out of what is shown.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (
  holder: Holder,
  backend: SecretsBackend.Service,
  revealed: (value: string) => void = () => {}
): Secrets.Operations => {
  const { ask } = Gate.make(holder, {
    denied: (denial) => new SecretsError({ code: "SECRET_NOT_DECLARED", detail: denial.detail, denial }),
    malformed: ({ detail }, denial) =>
      new SecretsError({
        code: "SECRET_REF_INVALID",
        detail,
        denial: { ...denial, code: "SECRET_REF_INVALID" }
      })
  })
  return {
    get: ({ ref }) =>
      Effect.tap(Effect.flatMap(ask(Request.secret(ref)), backend.get), (value) =>
        Effect.sync(() => revealed(Redacted.value(value)))
      )
  }
}
