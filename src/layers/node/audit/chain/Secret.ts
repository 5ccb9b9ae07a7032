/** The key of a chain, out of where secrets are kept. */
import { Effect, type Redacted } from "effect"
import type { AuditError } from "../../../../audit/AuditSink.js"
import type { SecretsBackend } from "../../../../capabilities/secrets/SecretsBackend.js"
import { quote } from "../../../../policy/text/Quote.js"
import { hostSecret } from "../../secrets/HostSecret.js"
import { unwritable } from "../failure.js"

/** Fails where there is none: a chain without its key would be none. */
export const secretOf = (ref: string): Effect.Effect<Redacted.Redacted<string>, AuditError, SecretsBackend> =>
  Effect.mapError(hostSecret(ref, "audit"), (detail) =>
    unwritable(`the key ${quote(ref)} of the audit log ${detail}`)
  )
