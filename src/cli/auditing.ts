/** The audit log of commands in which something is done. */
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { type AuditError, AuditSink } from "../audit/AuditSink.js"
import type { BackendSettings } from "./backends.js"
import { CliError } from "./CliError.js"
import { databaseFor, loadPostgres } from "./database.js"
import { secrets } from "./secrets.js"
import type { Settings } from "./workspace/AuditKey.js"
import type { StorageKey } from "./workspace/StorageKey.js"

/** Says it once for as long as it stays the same. */
const complaining = (sink: AuditSink.Service, say: BackendSettings["say"]): AuditSink.Service => {
  let last = ""
  const complain = ({ message }: AuditError) =>
    Effect.sync(() => {
      if (message !== last) say(`bailiwick: ${message}`)
      last = message
    })
  const done = Effect.sync(() => {
    last = ""
  })
  const heard = (keeping: Effect.Effect<void, AuditError>) =>
    Effect.tapBoth(keeping, { onFailure: complain, onSuccess: () => done })
  const append: AuditSink.Append = (entries) => heard(sink.append(entries))
  const { lines } = sink.append
  if (lines === undefined) return { ...sink, append }
  const heardLines: AuditSink.Append["lines"] = (given, now) => {
    const keeping = lines(given, now)
    if (keeping !== undefined) return heard(keeping)
    last = ""
    return undefined
  }
  return { ...sink, append: Object.assign(append, { lines: heardLines }) }
}

const inFiles = async (places: BackendSettings, settings: Settings) => {
  const { layer } = await import("../layers/node/audit/Audit.js")
  const options = {
    ...settings,
    directory: join(places.state, "audit"),
    say: (sentence: string) => places.say(`bailiwick: ${sentence}`)
  }
  return Layer.provide(layer(options), await secrets(places))
}

const inDatabase = async (places: BackendSettings, key: StorageKey, { chain, onFailure }: Settings) => {
  const { PostgresAudit } = await loadPostgres()
  return PostgresAudit.layer({ chain, onFailure }).pipe(
    Layer.provide(await secrets(places)),
    Layer.provide(await databaseFor(key, places))
  )
}

/** Where what is decided is kept: for commands in which something is done. It fails where the key of its chain is missing. */
export const auditFor = async (places: BackendSettings): Promise<Layer.Layer<never, CliError>> => {
  const { audit, say, storage } = places
  if (audit === "off") return Layer.empty
  const kept =
    storage?.audit === true ? await inDatabase(places, storage, audit) : await inFiles(places, audit)
  const heard = Layer.map(kept, (context) =>
    Context.add(context, AuditSink, complaining(Context.get(context, AuditSink), say))
  )
  return Layer.mapError(heard, ({ message }) => new CliError(message))
}
