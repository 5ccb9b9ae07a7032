/**
 * @since 0.1.0
 */
import { Effect, Redacted } from "effect"
import type { Holder } from "../../policy/gate/Asking.js"
import * as Gate from "../../policy/gate/Gate.js"
import type { Proof } from "../../policy/gate/Proof.js"
import * as Request from "../../policy/lattice/Request.js"
import { malformed } from "./malformed.js"
import { Sealing } from "./Sealing.js"
import type { Secrets } from "./Secrets.js"
import { SecretsBackend } from "./SecretsBackend.js"
import { SecretsError } from "./SecretsOperations.js"

/**
 * A ref that was declared letter by letter may be named. One that a folder covers was chosen by the tool, which may have
 * passed a value by mistake: then the folder is named.
 */
const nameOf = (proof: Proof<Request.Scoped>): string =>
  proof.scope === SecretsBackend.refOf(proof) ? proof.scope : `of that name in ${proof.scope}`

const forTools: {
  readonly [C in SecretsError["code"]]: (proof: Proof<Request.Scoped>) => string
} = {
  SECRET_NOT_FOUND: (proof) =>
    `there is no secret ${nameOf(proof)}; ask the operator to configure it: the log says where it was looked for`,
  SECRET_REF_INVALID: (proof) =>
    `no secret ${nameOf(proof)} can be kept where secrets come from; use another ref: the log says why`,
  SECRETS_FAILED: (proof) =>
    `the secret ${nameOf(proof)} could not be read; ask the operator to mend it: the log says why`,
  SECRET_NOT_DECLARED: () => "the requested secret is not given out; ask the operator: the log says why",
  SECRET_SEALED: () => "the requested secret is not given out; ask the operator: the log says why",
  SEAL_INVALID: () => "the requested secret is not given out; ask the operator: the log says why"
}

/** Where secrets come from is the operator's business. What a backend says goes to the log, and what is read is this. */
const forTool =
  ({ session, tool }: Holder, proof: Proof<Request.Scoped>) =>
  (error: SecretsError): Effect.Effect<never, SecretsError> =>
    Effect.zipRight(
      Effect.annotateLogs(Effect.logWarning(`Secrets.get: ${error.message}`), { tool, session }),
      new SecretsError({ code: error.code, detail: forTools[error.code](proof) })
    )

/** For who has no turn to hold tokens in. */
const nothingSealed = (holder: Holder): ConstructorParameters<typeof Sealing>[0] => ({
  holder,
  declared: [],
  backend: undefined,
  revealed: () => {},
  scrubbing: () => {
    throw new TypeError("nothing is sealed")
  }
})

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
  revealed: (value: string) => void = () => {},
  sealing?: Sealing
): Secrets.Operations => {
  const { ask } = Gate.make(holder, backend, {
    denied: (denial) =>
      new SecretsError({
        code: denial.code === "SECRET_SEALED" ? "SECRET_SEALED" : "SECRET_NOT_DECLARED",
        detail: denial.detail,
        denial
      }),
    malformed
  })
  return {
    get: ({ ref }) =>
      Effect.tap(
        Effect.flatMap(ask(Request.secret(ref)), (proof) =>
          Effect.catchAll(backend.get(proof), forTool(holder, proof))
        ),
        (value) => Effect.sync(() => revealed(Redacted.value(value)))
      ),
    sealed: ({ form, ref }) => (sealing ?? new Sealing(nothingSealed(holder))).token(ref, form)
  }
}
