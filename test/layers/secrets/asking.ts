import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, type Layer, Logger, Redacted, Schema } from "effect"
import * as ScopedSecrets from "../../../src/capabilities/secrets/ScopedSecrets.js"
import { SecretsBackend } from "../../../src/capabilities/secrets/SecretsBackend.js"
import type { SecretsError } from "../../../src/capabilities/secrets/SecretsOperations.js"
import { ask, holder } from "../../../src/policy/gate/Asking.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import * as Request from "../../../src/policy/lattice/Request.js"

/** A directory that is gone when the scope ends. */
export const scratch = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bailiwick-secrets-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const authorityOf = (held: ReadonlyArray<string>) =>
  Schema.decodeSync(Authority.FromJson)({ secrets: { read: held } })

const said = (asked: Effect.Effect<Redacted.Redacted<string>, SecretsError>): Effect.Effect<string> =>
  Effect.match(asked, { onFailure: (error) => error.message, onSuccess: Redacted.value })

/** The value of a ref, or what is said to a tool that holds these refs. */
export const toldTo = (held: ReadonlyArray<string>) => (ref: string) =>
  Effect.flatMap(SecretsBackend, (backend) =>
    said(ScopedSecrets.scoped(holder({ authority: authorityOf(held) }), backend).get({ ref }))
  )

/** The value of a ref, or what a backend says to the operator, for a tool that holds these refs. */
export const asking = (held: ReadonlyArray<string>) => (ref: string) =>
  Effect.flatMap(SecretsBackend, (backend) => {
    const proof = ask(holder({ authority: authorityOf(held), backend }), Request.secret(ref))
    return Either.isLeft(proof) ? toldTo(held)(ref) : said(backend.get(proof.right))
  })

/** Warnings that are logged, instead of printed. */
export const listening = () => {
  const heard: Array<string> = []
  const logger = Logger.make(({ message }) => {
    heard.push(Array.isArray(message) ? message.join(" ") : String(message))
  })
  return { heard, layer: Logger.replace(Logger.defaultLogger, logger) satisfies Layer.Layer<never> }
}
