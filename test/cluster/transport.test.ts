/** Threat: somebody who reaches a runner's port and has no key. He takes nothing from those who have it. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import type { SocketServer } from "@effect/platform/SocketServer"
import { Deferred, Effect, TestContext } from "effect"
import { expect, it } from "vitest"
import { Ends } from "../../src/cluster/transport/Frames.js"
import { connecting, listening } from "../../src/cluster/transport/SealedSocket.js"
import { type Keyring, keyOf } from "../../src/cluster/wire/Keys.js"

const keys: Keyring = [keyOf("a key of the cluster for tests")]

const portOf = ({ address }: SocketServer["Type"]): number =>
  address._tag === "TcpAddress" ? address.port : 0

it("connections that show no key are let go when there are too many, and whoever has it comes in", async () => {
  await Effect.gen(function* () {
    const server = yield* listening({ host: "127.0.0.1", port: 0, keys, refused: () => Effect.void })
    const heard = yield* Deferred.make<string>()
    yield* Effect.forkScoped(
      server.run((socket) => socket.run((bytes) => Deferred.succeed(heard, Buffer.from(bytes).toString())))
    )
    const strangers: Array<Socket> = []
    yield* Effect.addFinalizer(() => Effect.sync(() => strangers.forEach((one) => void one.destroy())))
    const knock = Effect.promise(() => {
      const socket = connect(portOf(server), "127.0.0.1")
        .on("error", () => {})
        .resume()
      strangers.push(socket)
      return once(socket, "connect")
    })
    yield* knock
    const closed = once(strangers[0] as Socket, "close")
    yield* Effect.repeatN(knock, 138)
    yield* Effect.promise(() => closed)
    expect(strangers.at(-1)?.closed).toBe(false)
    const client = connecting(RunnerAddress.make("127.0.0.1", portOf(server)), keys)
    yield* Effect.forkScoped(client.run(() => {}))
    const write = yield* client.writer
    yield* write("let in")
    expect(yield* Deferred.await(heard)).toBe("let in")
    // By a clock that stands still: it is not for having waited too long that they are let go.
  }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext), Effect.runPromise)
}, 30_000)

it("a frame that comes in many pieces is put together once", () => {
  const sent: Record<"a" | "b", Array<Uint8Array>> = { a: [], b: [] }
  const a = new Ends("client", keys, (bytes) => void sent.a.push(bytes))
  const b = new Ends("server", keys, (bytes) => void sent.b.push(bytes))
  const bytewise = (end: Ends, all: ReadonlyArray<Uint8Array>) =>
    all.flatMap((bytes) => [...bytes].flatMap((byte) => end.take(Uint8Array.of(byte))))
  bytewise(b, sent.a.splice(0))
  bytewise(a, sent.b)
  bytewise(b, sent.a)
  expect([a.isOpen, b.isOpen]).toEqual([true, true])
  expect(bytewise(b, [a.seal(Buffer.from("one")), a.seal(Buffer.from("two"))]).map(String)).toEqual([
    "one",
    "two"
  ])

  const pieces = 2000
  const frame = a.seal(Buffer.alloc(pieces * 100))
  const concat = Buffer.concat
  let copied = 0
  Buffer.concat = (list, ...rest) => {
    copied += list.reduce((sum, { byteLength }) => sum + byteLength, 0)
    return concat(list, ...rest)
  }
  try {
    for (let at = 0; at < frame.length; at += 100) b.take(frame.subarray(at, at + 100))
  } finally {
    Buffer.concat = concat
  }
  expect(copied).toBeLessThan(4 * frame.length)
})
