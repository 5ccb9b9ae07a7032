/** PostgreSQL, for workspaces that keep state there. Nothing of it is loaded for others. */
import { Cause, Effect, Exit, Layer, Logger, ManagedRuntime, Option } from "effect"
import type { AuditError } from "../audit/AuditSink.js"
import type { Database } from "../postgres/Database.js"
import type { DatabaseError } from "../postgres/DatabaseError.js"
import { CliError } from "./CliError.js"
import { whenItEnds } from "./Ending.js"
import type { Surroundings } from "./Surroundings.js"
import { type SecretPlaces, secrets } from "./secrets.js"
import type { StorageKey } from "./workspace/StorageKey.js"

const PACKAGES = "@effect/sql and @effect/sql-pg"

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND") &&
  error.message.includes("@effect/")

/** Throws a `CliError` where what it stands on is not installed. */
export const loadPostgres = async () => {
  try {
    return await import("../postgres/index.js")
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new CliError(
      `'storage: { postgres: … }' in bailiwick.yaml needs the packages ${PACKAGES}, which are not installed beside bailiwick; run: npm install @effect/sql @effect/sql-pg`
    )
  }
}

interface Places extends SecretPlaces {
  readonly say: (sentence: string) => void
}

const layers = new WeakMap<Places, Promise<Layer.Layer<Database>>>()

const layerOf = async (
  key: StorageKey,
  places: Places,
  options: { readonly migrate?: boolean } = {}
): Promise<Layer.Layer<Database>> => {
  const { Database } = await loadPostgres()
  const layer = Database.layerSecret(key.url, {
    ...options,
    schema: key.schema,
    say: (sentence) => places.say(`bailiwick: ${sentence}`)
  })
  // The name of the schema was looked at when it was read.
  return Layer.orDie(Layer.provide(layer, await secrets(places)))
}

/** One for all that is kept there: who builds both with one memory connects once. */
export const databaseFor = (key: StorageKey, places: Places): Promise<Layer.Layer<Database>> => {
  const known = layers.get(places) ?? layerOf(key, places)
  layers.set(places, known)
  return known
}

/** For commands that only look: standard output is for what was found. */
const quietly = async (key: StorageKey, around: Surroundings, workspace: string | undefined) =>
  Layer.provideMerge(
    await layerOf(key, { env: around.env, workspace, say: () => {} }, { migrate: false }),
    Logger.remove(Logger.defaultLogger)
  )

/** What is wrong with it, if something is. */
export const lookOf = async (
  key: StorageKey,
  around: Surroundings,
  workspace: string | undefined
): Promise<Effect.Effect<DatabaseError | undefined>> => {
  const { Database, DatabaseError } = await loadPostgres()
  const layer = await quietly(key, around, workspace)
  const onlyReads = new DatabaseError({
    kind: "refused",
    detail: "PostgreSQL only reads here: it is a standby, or was made read-only; name the primary in the URL"
  })
  const looked = Effect.flatMap(Database.Database, ({ ask, reached }) =>
    Effect.flatMap(
      Effect.zipRight(
        reached,
        ask("SELECT current_setting('transaction_read_only') AS reads", [], { isRepeatable: true })
      ),
      ([row]) => (row?.reads === "on" ? onlyReads : Effect.void)
    )
  )
  return Effect.flip(looked).pipe(
    Effect.catchAll(() => Effect.succeed(undefined)),
    Effect.provide(layer)
  )
}

/** What is asked of it by commands that only look. */
export interface Asking {
  readonly run: <A>(effect: Effect.Effect<A, AuditError, Database>) => Promise<A>
}

/** It makes no tables. Throws a `CliError` where it cannot be asked. */
export const askingOf = async (
  key: StorageKey,
  around: Surroundings,
  workspace: string | undefined
): Promise<Asking> => {
  const runtime = ManagedRuntime.make(await quietly(key, around, workspace))
  whenItEnds(around, () => runtime.dispose())
  return {
    run: async (effect) => {
      const exit = await runtime.runPromiseExit(effect, { signal: around.signal })
      if (Exit.isSuccess(exit)) return exit.value
      const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
      throw failure === undefined ? Cause.squash(exit.cause) : new CliError(failure.message)
    }
  }
}
