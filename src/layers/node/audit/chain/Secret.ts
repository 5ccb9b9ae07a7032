/** The key of a chain, out of where secrets are kept. */
import { Effect, type Redacted } from "effect"
import { AuditError } from "../../../../audit/AuditSink.js"
import type { SecretsBackend } from "../../../../capabilities/secrets/SecretsBackend.js"
import { quote } from "../../../../policy/text/Quote.js"
import { hostSecret } from "../../secrets/HostSecret.js"

/** Fails where there is none: a chain without its key can neither be made nor looked at. */
export const secretOf = (
  ref: string,
  code: "AUDIT_UNWRITABLE" | "AUDIT_UNREADABLE"
): Effect.Effect<Redacted.Redacted<string>, AuditError, SecretsBackend> =>
  Effect.mapError(
    hostSecret(ref, "audit"),
    (detail) => new AuditError({ code, detail: `the key ${quote(ref)} of the audit log ${detail}` })
  )
