/** What all processes of a cluster must agree on. The tables say it, so that whoever was set otherwise hears of it when it starts. */
import { createHmac } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Duration, Effect } from "effect"
import { ClusterError } from "../ClusterError.js"
import { defaults, type Settings, silenceOf } from "../Settings.js"
import type { Key, Keyring } from "../wire/Keys.js"

const DIFFERS = new ClusterError({
  code: "CLUSTER_DIFFERS",
  detail:
    "the runners in this database have another key, encryption, number of shards or time of silence than this process; give all of a cluster the same, and each cluster a database of its own"
})

/** By which a key is known; it says nothing of the key. */
const nameOf = ({ id, rest }: Key): string =>
  rest === undefined ? id : `${id}.${createHmac("sha256", rest).update("id").digest("base64url").slice(0, 8)}`

interface Terms {
  /** One of them is that of the cluster; the first is, from now on. */
  readonly names: string
  readonly name: string
  readonly shards: number
  readonly seconds: number
}

const termsOf = (settings: Settings, keys: Keyring): Terms => ({
  names: JSON.stringify(keys.map(nameOf)),
  name: nameOf(keys[0]),
  shards: settings.shards ?? defaults.shards,
  seconds: Duration.toSeconds(silenceOf(settings))
})

const agreeing = (
  settings: Settings,
  keys: Keyring,
  isSo: (sql: SqlClient.SqlClient, terms: Terms) => ReturnType<SqlClient.SqlClient["unsafe"]>
): Effect.Effect<void, ClusterError | SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.flatMap(isSo(sql, termsOf(settings, keys)), ({ length }) => (length === 0 ? DIFFERS : Effect.void))
  )

/**
 * Where nobody is there, whoever comes says what is agreed on. Who counts as there is a matter of how seldom it says so: of two
 * that waited for each other differently, one would give up the other.
 */
export const forRunner = (settings: Settings, keys: Keyring) =>
  agreeing(
    settings,
    keys,
    (sql, { name, names, seconds, shards }) => sql`
      INSERT INTO bailiwick_cluster_terms AS kept (key, shards, silence) VALUES (${name}, ${shards}, ${seconds})
      ON CONFLICT (one) DO UPDATE
      SET key = EXCLUDED.key, shards = EXCLUDED.shards, silence = EXCLUDED.silence, agreed = now()
      WHERE kept.shards = EXCLUDED.shards AND kept.key IN (SELECT jsonb_array_elements_text(${names}::jsonb))
        AND coalesce(kept.silence, EXCLUDED.silence) = EXCLUDED.silence
        OR kept.agreed < now() - make_interval(secs => greatest(kept.silence, ${seconds})) AND NOT EXISTS (
          SELECT 1 FROM bailiwick_cluster_runners
          WHERE last_heartbeat > now() - make_interval(secs => greatest(kept.silence, ${seconds})))
      RETURNING 1`
  )

export const forClient = (settings: Settings, keys: Keyring) =>
  agreeing(
    settings,
    keys,
    (sql, { names, seconds, shards }) => sql`
      SELECT 1 WHERE NOT EXISTS (
        SELECT 1 FROM bailiwick_cluster_terms AS kept
        WHERE kept.shards <> ${shards} OR kept.key NOT IN (SELECT jsonb_array_elements_text(${names}::jsonb)))
      OR NOT EXISTS (
        SELECT 1 FROM bailiwick_cluster_runners WHERE last_heartbeat > now() - make_interval(secs => ${seconds}))`
  )
