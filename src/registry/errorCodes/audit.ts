/** What is kept of an agent's work, and cannot be. */
import { AuditError } from "../../audit/AuditSink.js"
import { topic } from "./topic.js"

export const audit = topic({
  title: "Audit",
  about: "A log that cannot be written or read, or that was changed afterwards.",
  surfaces: { AuditError: AuditError.fields.code.literals },
  words: {
    AUDIT_UNWRITABLE: {
      cause: "The audit log cannot be written, and calls whose decisions are not kept fail.",
      remedy:
        "Make room or repair the directory; what the calls did may have happened. `on_failure: open` under `audit` hands out results all the same."
    },
    AUDIT_UNREADABLE: {
      cause:
        "A file of the audit log cannot be read, or is none; or the key that it was chained with is missing.",
      remedy:
        "Name a file that `bailiwick` wrote, and may be read by whoever asks; provide the secret that `chain` names."
    },
    AUDIT_ALTERED: {
      cause: "The chain of the log does not hold: a line was changed, added, moved or removed.",
      remedy:
        "Compare with a copy that was shipped elsewhere; the message says from which line on it differs."
    }
  }
})
