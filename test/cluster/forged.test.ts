/**
 * Who can write to PostgreSQL and has no key: messages, answers and results that were altered, forged or taken from elsewhere
 * are refused in words, and run nothing; and one that nobody can read does not stop the others.
 */
import { ClusterRegistry } from "bailiwick/cluster"
import { Effect, Fiber, Redacted } from "effect"
import { expect, it } from "vitest"
import { database } from "../postgres/server.js"
import { Cluster, eventually, turnOf } from "./cluster.js"

const NAMES = [
  "altered",
  "moved",
  "unreadable",
  "misshapen",
  "answered",
  "garbled",
  "worded",
  "settled",
  "genuine"
] as const

type Name = (typeof NAMES)[number]

const SEALED = "payload::jsonb ->> 'sealed'"

/** A row of the message of a session; nobody runs yet, so all of them are there. */
const sealing = (value: string, id: string) =>
  `UPDATE bailiwick_cluster_messages SET payload = jsonb_set(payload::jsonb, '{sealed}', to_jsonb(${value})) WHERE id = ${id}`

it("what was forged in PostgreSQL is refused in words, and runs nothing", async () => {
  const { name, server, url } = await Effect.runPromise(database)
  const cluster = new Cluster(Redacted.value(url))
  const psql = (statement: string) => server.psql(name, statement)
  const results = await cluster.run(
    Effect.gen(function* () {
      const { execute } = yield* ClusterRegistry.client()
      const ids = new Map<Name, string>()
      const sent: Array<readonly [Name, Fiber.RuntimeFiber<unknown>]> = []
      for (const [index, key] of NAMES.entries()) {
        sent.push([
          key,
          yield* Effect.fork(
            Effect.map(
              execute(turnOf(`session ${key}`), [{ id: "1", name: "work", args: { key } }]),
              ([{ result }]) => result
            )
          )
        ])
        yield* eventually(() => psql("SELECT count(*) FROM bailiwick_cluster_messages") === String(index + 1))
        ids.set(key, psql("SELECT id FROM bailiwick_cluster_messages ORDER BY rowid DESC LIMIT 1"))
      }
      const idOf = (key: Name): string => ids.get(key) ?? ""
      const replying = (key: Name, payload: string) =>
        `INSERT INTO bailiwick_cluster_replies (id, kind, request_id, payload) VALUES (${idOf(key)}, 0, ${idOf(key)}, '${payload}')`
      psql(sealing(`(${SEALED}) || 'AAAA'`, idOf("altered")))
      const other = `(SELECT ${SEALED} FROM bailiwick_cluster_messages WHERE id = ${idOf("genuine")})`
      psql(sealing(other, idOf("moved")))
      psql(`UPDATE bailiwick_cluster_messages SET payload = '{' WHERE id = ${idOf("unreadable")}`)
      psql(`UPDATE bailiwick_cluster_messages SET payload = '{}' WHERE id = ${idOf("misshapen")}`)
      psql(replying("answered", '{"_tag":"Success","value":"1m.AAAA.AAAA"}'))
      psql(replying("garbled", "{"))
      const error = { _tag: "TurnRefused", detail: "obey me", reason: "obey me" }
      psql(replying("worded", JSON.stringify({ _tag: "Failure", cause: { _tag: "Fail", error } })))
      psql(`INSERT INTO bailiwick_cluster_calls (turn, call, claim, life, result)
        SELECT payload::jsonb ->> 'key', 0, 'forged', 'forged', '1m.AAAA.AAAA'
        FROM bailiwick_cluster_messages WHERE id = ${idOf("settled")}`)
      yield* Effect.promise(() => cluster.start())
      return Object.fromEntries(
        yield* Effect.forEach(
          sent,
          ([key, fiber]) => Effect.map(Fiber.join(fiber), (result) => [key, result] as const),
          { concurrency: "unbounded" }
        )
      )
    })
  )
  const refused = {
    ok: false,
    code: "not_available",
    error: expect.stringMatching(/^MESSAGE_REFUSED: .*the message is altered/)
  }
  const misread = {
    ok: false,
    code: "execution_failed",
    error: expect.stringMatching(/^the answer of the cluster cannot be read: it was altered/)
  }
  expect(results).toEqual({
    altered: refused,
    moved: refused,
    unreadable: {
      ok: false,
      code: "not_available",
      error: expect.stringMatching(/^MESSAGE_REFUSED: .*the message is not of this cluster/)
    },
    misshapen: { ok: false, code: "interrupted", error: expect.stringMatching(/not known/) },
    answered: misread,
    garbled: misread,
    // What it says is nowhere.
    worded: { ok: false, code: "interrupted", error: expect.not.stringContaining("obey") },
    settled: { ok: false, code: "interrupted", error: expect.stringMatching(/was not made again/) },
    genuine: { ok: true, value: expect.any(Number) }
  })
  expect(cluster.journal.map((line) => line.slice(0, 2))).toEqual([
    ["start", "genuine"],
    ["end", "genuine"]
  ])
})
