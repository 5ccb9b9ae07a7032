import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Layer, Logger, Redacted, Schema } from "effect"
import * as ScopedSecrets from "../../../src/capabilities/secrets/ScopedSecrets.js"
import { SecretsBackend } from "../../../src/capabilities/secrets/SecretsBackend.js"
import { holder } from "../../../src/policy/gate/Proof.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"

/** A directory that is gone when the scope ends. */
export const scratch = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bailiwick-secrets-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** The value of a ref, or the message of the refusal, for a tool that holds these refs. */
export const asking = (held: ReadonlyArray<string>) => (ref: string) =>
  Effect.flatMap(SecretsBackend, (backend) =>
    ScopedSecrets.scoped(
      holder({ authority: Schema.decodeSync(Authority.FromJson)({ secrets: { read: held } }) }),
      backend
    ).get({ ref })
  ).pipe(Effect.match({ onFailure: (error) => error.message, onSuccess: (value) => Redacted.value(value) }))

/** Warnings that are logged, instead of printed. */
export const listening = () => {
  const heard: Array<string> = []
  const logger = Logger.make(({ message }) => {
    heard.push(Array.isArray(message) ? message.join(" ") : String(message))
  })
  return { heard, layer: Logger.replace(Logger.defaultLogger, logger) satisfies Layer.Layer<never> }
}
