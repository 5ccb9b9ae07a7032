/** Several backends as one. */
import { Effect } from "effect"
import { SecretsBackend } from "../../../capabilities/secrets/SecretsBackend.js"
import { SecretsError } from "../../../capabilities/secrets/SecretsOperations.js"

/** The remedies of all, after what is said once. */
const joined = (details: ReadonlyArray<string>): string => {
  const [first = "there is no secret, since there is nowhere to look", ...others] = details
  const said = `${first.split("; ")[0]}; `
  return [first, ...others.map((other) => (other.startsWith(said) ? other.slice(said.length) : other))].join(
    ", or "
  )
}

/** Asks one after the other. Only a secret that is not there is sought further: a failure is not papered over. */
export const firstOf = (backends: ReadonlyArray<SecretsBackend.Service>): SecretsBackend.Service =>
  SecretsBackend.guarded({
    get: (proof) => {
      const from = (
        index: number,
        details: ReadonlyArray<string>
      ): ReturnType<SecretsBackend.Service["get"]> => {
        const backend = backends[index]
        if (backend === undefined) {
          return new SecretsError({ code: "SECRET_NOT_FOUND", detail: joined(details) })
        }
        return Effect.catchAll(backend.get(proof.passedTo(backend)), (error) =>
          error.code === "SECRET_NOT_FOUND" ? from(index + 1, [...details, error.detail]) : error
        )
      }
      return from(0, [])
    }
  })
