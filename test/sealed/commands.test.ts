/** A command as it is, held by the kernel: its tool gives it a token in a variable, and the value goes to the host alone. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Registry, Secrets, SecretsBackend, Turn } from "bailiwick"
import * as Isolated from "bailiwick/isolated"
import { Effect, Layer, Logger, type Scope } from "effect"
import { afterAll } from "vitest"
import { has } from "../../scripts/lib/system.js"
import * as NodeFiles from "../../src/layers/node/files/NodeFiles.js"
import * as NodeProcess from "../../src/layers/node/process/NodeProcess.js"
import { names, recorder } from "../layers/network/fixture.js"
import { certificate } from "../layers/sandbox/network/certificates.js"
import { PUBLIC } from "../layers/sandbox/network/fixture.js"
import * as here from "./asker.js"
import { policy, VALUE } from "./rig.js"

const all = ["bwrap", "prlimit", "perl", "openssl", "curl"] as const

const canRun = all.every((name) => has(name))

const kept = mkdtempSync(join(tmpdir(), "bailiwick-asker-"))
afterAll(() => rmSync(kept, { recursive: true, force: true }))

const isolated = (per: "call" | "turn") =>
  Isolated.toolkit<typeof here>(new URL("./asker.ts", import.meta.url), { directory: kept, per })

const ways: ReadonlyArray<readonly [string, Effect.Effect<typeof here, unknown, Scope.Scope>]> = [
  ["a tool in this process", Effect.succeed(here)],
  ["a tool in a process for each call", isolated("call")],
  ["a tool in a process for a turn", isolated("turn")]
]

describe.skipIf(!canRun)("a command with the token of a sealed secret", () => {
  it.scopedLive.each(ways)("has the value sent to its host, and does not see it: of %s", ([, made]) =>
    Effect.gen(function* () {
      const { asker } = yield* made
      const heard: Array<string | undefined> = []
      const server = yield* Effect.acquireRelease(
        Effect.async<ReturnType<typeof createServer>>((resume) => {
          const made = createServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
            heard.push(request.headers.authorization)
            response.end(`you sent ${request.headers.authorization}\n`)
          })
          made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
        }),
        (made) =>
          Effect.async<void>((done) => {
            made.close(() => done(Effect.void))
            made.closeAllConnections()
          })
      )
      const root = yield* Effect.acquireRelease(
        Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-sealed-")))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const { connect } = recorder((server.address() as AddressInfo).port)
      const { resolve } = names({ "a.test": PUBLIC, "b.test": PUBLIC })
      const network = { resolve, connect, interfaces: () => ({}), trusted: [certificate.authority] }
      const backends = yield* Layer.build(
        Layer.mergeAll(
          NodeFiles.layer(),
          NodeProcess.layer({ sandbox: { network } }),
          Layer.succeed(SecretsBackend, SecretsBackend.fromOperations(Secrets.memory({ KEY: VALUE })))
        )
      )
      const held = policy({
        network: { get: ["a.test", "b.test"] },
        process: { eval: [`${root}/`], exec: [{ argv: "*", in: `${root}/` }] },
        files: { read: [`${root}/`] },
        secrets: { seal: [{ ref: "KEY", to: "*", in: "*" }] }
      })
      const run = (script: string) =>
        Effect.gen(function* () {
          const turn = Turn.make({ session: "s1", policy: held, workdir: root })
          const [{ result }] = yield* Registry.make(asker).execute(turn, [
            { id: "1", name: "asker", args: { script } }
          ])
          return { result, events: turn.transcript.events.map(({ asked, allowed }) => `${allowed} ${asked}`) }
        }).pipe(Effect.provide(backends), Effect.provide(Logger.remove(Logger.defaultLogger)))

      const sent = yield* run(
        'curl -sS -H "Authorization: Bearer $TOKEN" http://a.test/me; env | grep -c "s3cr3t"'
      )
      expect(sent.result).toMatchObject({
        ok: true,
        value: `you sent Bearer ${"*".repeat(VALUE.length)}\n0\n`
      })
      expect(heard).toEqual([`Bearer ${VALUE}`])
      expect(sent.events).toContain("true seal KEY to a.test:443 in header:authorization")
      const refused = yield* run('curl -sS -H "Authorization: Bearer $TOKEN" http://b.test/')
      expect(refused.result).toMatchObject({ ok: true, value: expect.stringContaining("SEAL_REFUSED: ") })
      expect(heard).toHaveLength(1)
    })
  )
})
