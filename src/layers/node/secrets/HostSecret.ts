/** A secret that the program needs for itself. It asks in its own name: no policy has to give it to a tool. */
import { Effect, Either, Redacted, Schema } from "effect"
import { SecretsBackend } from "../../../capabilities/secrets/SecretsBackend.js"
import * as Asking from "../../../policy/gate/Asking.js"
import * as Authority from "../../../policy/lattice/Authority.js"
import * as Request from "../../../policy/lattice/Request.js"

const decode = Schema.decodeEither(Authority.FromJson)

const asking = (ref: string, tool: string, backend: object): Asking.Holder =>
  Asking.holder({
    authority: Either.getOrElse(decode({ secrets: { read: [ref] } }), () => Authority.nothing),
    tool,
    backend
  })

/** Fails with why there is none, in words that go on from its name. */
export const hostSecret = (
  ref: string,
  tool: string
): Effect.Effect<Redacted.Redacted<string>, string, SecretsBackend> =>
  Effect.gen(function* () {
    const backend = yield* SecretsBackend
    const proof = Asking.ask(asking(ref, tool, backend), Request.secret(ref))
    if (Either.isLeft(proof)) return yield* Effect.fail(`cannot be asked for: ${proof.left.denial.detail}`)
    const secret = yield* Effect.mapError(
      backend.get(proof.right),
      ({ detail }) => `cannot be read: ${detail}`
    )
    return Redacted.value(secret) === "" ? yield* Effect.fail("is empty; give it a value") : secret
  })
