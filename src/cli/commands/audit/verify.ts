/** `audit verify`: whether the log is as it was written, where each line stands on the one before. */
import { Cause, Effect, Exit, type Layer, Logger, Option } from "effect"
import type { SecretsBackend } from "../../../capabilities/secrets/SecretsBackend.js"
import * as Audit from "../../../layers/node/audit/Audit.js"
import type { AuditVerifyCommand } from "../../Arguments.js"
import { backendsFor } from "../../backends.js"
import { CliError } from "../../CliError.js"
import { loadPostgres } from "../../database.js"
import { terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { backendSettings } from "../../workspace/Acting.js"
import type { Settings } from "../../workspace/AuditKey.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { settingOf } from "../../workspace/Setting.js"
import { directoryIn, placeOf } from "./Log.js"
import { unchained, verifyReport } from "./verifyReport.js"

const verified = async (
  ref: string,
  expected: { readonly head: string | undefined; readonly keepDays: number | undefined },
  setting: Setting,
  around: Surroundings
): Promise<Audit.Verified> => {
  // The loader of secrets gives this backend; what all loaders have in common does not say so.
  const secrets = (await backendsFor(
    ["secrets"],
    backendSettings(setting, around)
  )) as Layer.Layer<SecretsBackend>
  const secret = Effect.provide(Audit.secretOf(ref), secrets)
  const from = await placeOf(setting, around)
  if ("database" in from) {
    const { PostgresAudit } = await loadPostgres()
    return from.database.run(
      Effect.flatMap(secret, (known) => PostgresAudit.verify(known, { head: expected.head }))
    )
  }
  const exit = await Effect.runPromiseExit(
    Effect.flatMap(
      secret,
      (known) => Audit.verify(directoryIn(setting), known, expected)
      // Standard output is for what was found.
    ).pipe(Effect.provide(Logger.remove(Logger.defaultLogger))),
    { signal: around.signal }
  )
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
  throw failure === undefined ? Cause.squash(exit.cause) : new CliError(failure.message)
}

/** Throws a `CliError`. */
export const verify = async (command: AuditVerifyCommand, around: Surroundings): Promise<number> => {
  const { head, json } = command
  const setting = settingOf(command, around)
  const audit = setting.workspace?.audit ?? {}
  const { chain: ref, keepDays }: Settings = audit === "off" ? {} : audit
  const shownOn = terminal({ ...around.stdout, env: around.env })
  if (ref === undefined) {
    const why = unchained(audit === "off")
    await around.print(
      json ? `${JSON.stringify({ ok: false, detail: why }, null, 2)}\n` : verifyReport(shownOn, { why })
    )
    return 1
  }
  const found = await verified(ref, { head, keepDays }, setting, around)
  const document = found.ok ? found : { ...found, code: "AUDIT_ALTERED" }
  await around.print(json ? `${JSON.stringify(document, null, 2)}\n` : verifyReport(shownOn, { found, head }))
  return found.ok ? 0 : 1
}
