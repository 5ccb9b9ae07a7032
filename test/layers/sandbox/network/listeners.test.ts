/** Sockets that listen inside while this program accepts: nobody else's, none left over, and none mixed up. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { has } from "../../../../scripts/lib/system.js"
import * as Listeners from "../../../../src/layers/node/sandbox/listeners/Listeners.js"
import { waiting } from "./inside.js"

const canRun = has("bwrap") && has("perl") && has("curl")

const PLACES = [
  { address: "127.0.0.1", port: 3128 },
  { address: "0.0.0.0", port: 80 }
]

/** The helpers of this program, by their pids. */
const helpers = (): ReadonlyArray<number> =>
  readdirSync("/proc").flatMap((pid) => {
    try {
      const [, parent = ""] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? []
      const isHelper = readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("NODE_CHANNEL_FD")
      return isHelper && parent === String(process.pid) ? [Number(pid)] : []
    } catch {
      return []
    }
  })

const fetched = (text: string) => ["curl", "-sS", "--noproxy", "*", "--max-time", "60", text]

/** Answers with a text of its own. */
const answering = (servers: ReadonlyArray<import("node:net").Server | undefined>, text: string) => {
  for (const server of servers) {
    server?.on("connection", (socket) => {
      socket
        .on("error", () => {})
        .end(
          `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${text} at ${socket.localAddress}:${socket.localPort}`
        )
    })
  }
}

/** Loopback is up in its own namespace, and there alone it is without IPv6. */
const WITHOUT_SIX = `
exit 1 if readlink('/proc/self/ns/net') eq $ARGV[0];
open(my $setting, '>', '/proc/sys/net/ipv6/conf/lo/disable_ipv6') or exit 1;
print $setting 1;
close $setting;
socket(my $socket, 2, 2, 0);
my $up = pack('a16 S x22', 'lo', 1);
ioctl($socket, 0x8914, $up) or exit 1;
$| = 1;
print "ready";
sleep 600;
`

describe.skipIf(!canRun)("A listener inside", () => {
  it.scoped("is there before the command begins, and for it alone [X17]", () =>
    Effect.gen(function* () {
      const { listen } = yield* Listeners.make()
      const { go, namespace, pid } = yield* waiting({ argv: fetched("http://127.1.2.3/") })
      const servers = yield* listen({ pid, namespace }, PLACES)
      answering(servers, "inside")
      expect((yield* go).stdout).toBe("inside at 127.1.2.3:80")
      // Nobody outside has such a port.
      const outside = yield* Effect.either(
        Effect.try(() => execFileSync("curl", fetched("http://127.0.0.1:3128/").slice(1), { stdio: "pipe" }))
      )
      expect(outside._tag).toBe("Left")
    })
  )

  it.scoped("is missing, and no other, for an address that is not there", () =>
    Effect.gen(function* () {
      const { listen } = yield* Listeners.make()
      const child = yield* Effect.acquireRelease(
        Effect.async<ChildProcess>((resume) => {
          const home = readlinkSync("/proc/self/ns/net")
          const made = spawn("unshare", ["-Urn", "perl", "-e", WITHOUT_SIX, home], {
            stdio: ["ignore", "pipe", "ignore"]
          })
          made.stdout.once("close", () => resume(Effect.succeed(made)))
          made.stdout.once("data", () => resume(Effect.succeed(made)))
        }),
        (made) =>
          Effect.async<void>((done) => {
            if (made.exitCode !== null) return void done(Effect.void)
            made.once("close", () => done(Effect.void)).kill("SIGKILL")
          })
      )
      const servers = yield* listen({ pid: child.pid ?? 0 }, [
        { address: "::1", port: 80 },
        { address: "0.0.0.0", port: 80 }
      ])
      expect(servers.map((server) => server !== undefined)).toEqual([false, true])
    })
  )

  it.scoped("is of the one child that it was asked for, 40 at once [X14] [X17]", () =>
    Effect.gen(function* () {
      const { listen } = yield* Listeners.make()
      const answers = yield* Effect.all(
        Array.from({ length: 40 }, (_, index) =>
          Effect.scoped(
            Effect.gen(function* () {
              const { go, namespace, pid } = yield* waiting({ argv: fetched("http://127.0.0.1:3128/") })
              answering(yield* listen({ pid, namespace }, PLACES), `child ${index}`)
              return yield* go
            })
          )
        ),
        { concurrency: 40 }
      )
      expect(answers.map(({ stdout }) => stdout)).toEqual(
        Array.from({ length: 40 }, (_, index) => `child ${index} at 127.0.0.1:3128`)
      )
      expect(helpers()).toHaveLength(1)
    })
  )

  it.scoped("is made by another helper when the first has died", () =>
    Effect.gen(function* () {
      const { listen } = yield* Listeners.make()
      for (let count = 0; count < 3; count++) {
        const { go, namespace, pid } = yield* waiting({ argv: fetched("http://127.0.0.1:3128/") })
        const [servers] = yield* Effect.all(
          [
            listen({ pid, namespace }, PLACES),
            Effect.sync(() => {
              for (const helper of helpers()) process.kill(helper, "SIGKILL")
            })
          ],
          { concurrency: "unbounded" }
        )
        answering(servers, "again")
        expect((yield* go).stdout).toContain("again")
      }
    })
  )

  it.scoped("is made in no namespace but the one that was meant", () =>
    Effect.gen(function* () {
      const { listen } = yield* Listeners.make()
      const { namespace, pid } = yield* waiting({ argv: ["true"] })
      for (const other of [
        { pid: process.pid },
        { pid, namespace: namespace + 1 },
        { pid: process.pid, namespace },
        { pid: 2 ** 22 + 1 }
      ]) {
        const error = yield* Effect.flip(listen(other, PLACES))
        expect(error.code).toBe("SPAWN_FAILED")
      }
    })
  )

  it.scoped("is refused whole when one of its places is taken", () =>
    Effect.gen(function* () {
      const { listen } = yield* Listeners.make()
      const { namespace, pid } = yield* waiting({ argv: ["true"] })
      const [place] = PLACES
      const error = yield* Effect.flip(
        listen({ pid, namespace }, [...PLACES, ...(place === undefined ? [] : [place])])
      )
      expect(error.message).toContain("bind: Address already in use")
      // And what was opened for it is closed.
      yield* Effect.scoped(listen({ pid, namespace }, PLACES))
      yield* listen({ pid, namespace }, PLACES)
    })
  )

  it.effect("is gone with its scope, and the helper with that of the layer", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const before = openSockets()
      const { listen } = yield* Scope.extend(Listeners.make(), scope)
      const { namespace, pid } = yield* Scope.extend(waiting({ argv: ["true"] }), scope)
      const inner = yield* Scope.make()
      yield* Scope.extend(listen({ pid, namespace }, PLACES), inner)
      const [helper = 0] = helpers()
      yield* Scope.close(inner, Exit.void)
      yield* Effect.scoped(Effect.timeout(listen({ pid, namespace }, PLACES), "1 minute"))
      yield* Scope.close(scope, Exit.void)
      expect(helpers()).toEqual([])
      expect(() => process.kill(helper, 0)).toThrow()
      // What another test had open may be closed by now.
      expect(openSockets()).toBeLessThanOrEqual(before)
    })
  )

  it.effect("is never left over by who did not wait for it", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { listen } = yield* Scope.extend(Listeners.make(), scope)
      const { namespace, pid } = yield* Scope.extend(waiting({ argv: ["true"] }), scope)
      yield* Effect.scoped(listen({ pid, namespace }, PLACES))
      for (let turns = 0; turns < 30; turns++) {
        const fiber = yield* Effect.fork(
          Effect.scoped(Effect.zipRight(listen({ pid, namespace }, PLACES), Effect.never))
        )
        for (let turn = 0; turn < turns; turn++)
          yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
        yield* fiber.interruptAsFork(fiber.id())
        yield* fiber.await
      }
      // Whatever came too late was closed: then all of it can be had again.
      const free = Effect.retry(Effect.scoped(listen({ pid, namespace }, PLACES)), { times: 1000 })
      expect(yield* free).toHaveLength(2)
      yield* Scope.close(scope, Exit.void)
    })
  )
})

const openSockets = (): number =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith("socket:")
    } catch {
      return false
    }
  }).length

describe("Where nobody can listen inside", () => {
  it("that is said in words", () => {
    expect(Listeners.unavailable({ perl: "/nowhere/perl" })).toBe(
      "children have no network, because /nowhere/perl is missing; install perl-base (apt-get install perl-base)"
    )
  })
})
