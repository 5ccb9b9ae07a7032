/**
 * @since 0.1.0
 */
import { Effect } from "effect"
import { type Secrets, SecretsError } from "../../capabilities/Secrets.js"
import type { Authority } from "../../policy/Authority.js"
import * as Request from "../../policy/Request.js"
import * as Gate from "./Gate.js"

/**
 * Secrets, each asked of the authority first. The backend never sees a ref that is not held.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (authority: Authority, inner: Secrets.Operations): Secrets.Operations => {
  const { ask } = Gate.make(authority, {
    denied: (denial) => new SecretsError({ code: "SECRET_NOT_DECLARED", detail: denial.detail, denial }),
    malformed: ({ detail }) => new SecretsError({ code: "SECRET_REF_INVALID", detail })
  })
  return { get: ({ ref }) => Effect.zipRight(ask(Request.secret(ref)), inner.get({ ref })) }
}
