import { randomBytes } from "node:crypto"
import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import type { NetworkError } from "../../../src/capabilities/network/NetworkOperations.js"
import { flow, networkTo, serve } from "./fixture.js"

const collected = (stream: Stream.Stream<Uint8Array, NetworkError>) =>
  Effect.map(Stream.runCollect(stream), (chunks) => Buffer.concat(Chunk.toReadonlyArray(chunks)))

/** So many turns of the event loop: enough to send all there is to a reader who does not hold it up. */
const turns = (left: number): Effect.Effect<void> =>
  Effect.async((resume) => {
    const turn = (left: number): unknown =>
      left === 0 ? resume(Effect.void) : setImmediate(() => turn(left - 1))
    turn(left)
  })

const CONTENT = randomBytes(3 << 20)

describe("streams", () => {
  it.scoped("carry every byte, in order, compressed or not, and give the connection back", () =>
    Effect.gen(function* () {
      const served = yield* serve(({ url }, response) => {
        if (url !== "/gzip") response.end(CONTENT)
        else response.setHeader("content-encoding", "gzip").end(gzipSync(CONTENT))
      })
      const net = yield* networkTo(served)
      for (const path of ["/plain", "/gzip", "/plain"]) {
        expect((yield* collected(flow(net, served.url + path))).equals(CONTENT)).toBe(true)
      }
      expect(served.connections()).toBe(1)
    })
  )

  it.scoped("start with the first bytes, not with the last", () =>
    Effect.gen(function* () {
      let answering: ServerResponse | undefined
      const served = yield* serve((_, response) => {
        answering = response
        response.write("one")
      })
      const net = yield* networkTo(served)
      const seen: Array<string> = []
      yield* Stream.runForEach(flow(net, served.url), (chunk) =>
        Effect.sync(() => {
          seen.push(Buffer.from(chunk).toString())
          if (seen.length === 1) answering?.end("two")
        })
      )
      expect(seen).toEqual(["one", "two"])
    })
  )

  it.scoped("make the server wait for a reader who does", () =>
    Effect.gen(function* () {
      const [piece, enough] = [64 << 10, 256 << 20]
      let written = 0
      const served = yield* serve((_, response) => {
        const write = () => {
          do written += piece
          while (response.write(Buffer.alloc(piece)) && written < enough)
        }
        response.on("drain", () => written < enough && write())
        write()
      })
      const net = yield* networkTo(served, { bodyBytes: Number.POSITIVE_INFINITY })
      yield* Stream.runForEach(Stream.take(flow(net, served.url), 1), () => turns(5_000))
      expect(written).toBeLessThan(enough / 4)
      yield* served.drained
    })
  )

  it.scoped("fail where the status is not good, and close nothing that can be used again", () =>
    Effect.gen(function* () {
      const served = yield* serve((_, response) => response.writeHead(404).end("not here"))
      const net = yield* networkTo(served)
      for (let i = 0; i < 3; i++) {
        const error = yield* Effect.flip(collected(flow(net, `${served.url}/x?token=hunter2`)))
        expect(error.message).toBe(
          `STATUS_NOT_OK: GET http://127.0.0.1:${served.port}/x answered with status 404`
        )
      }
      expect(served.connections()).toBe(1)
    })
  )

  it.scoped("fail where the connection breaks, after the bytes that came", () =>
    Effect.gen(function* () {
      const served = yield* serve((_, response) => {
        response.setHeader("content-length", 100)
        response.write("half", () => response.destroy())
      })
      const net = yield* networkTo(served)
      const seen: Array<string> = []
      const error = yield* Effect.flip(
        Stream.runForEach(flow(net, served.url), (chunk) =>
          Effect.sync(() => seen.push(Buffer.from(chunk).toString()))
        )
      )
      expect([seen.join(""), error.code]).toEqual(["half", "REQUEST_FAILED"])
    })
  )

  it.scoped("follow redirects and keep to the limits", () =>
    Effect.gen(function* () {
      const served = yield* serve(({ url }, response) => {
        if (url === "/from") response.writeHead(302, { location: "/" }).end()
        else response.end(Buffer.alloc(2000))
      })
      const net = yield* networkTo(served, { bodyBytes: 1999 })
      expect((yield* Effect.flip(collected(flow(net, `${served.url}/from`)))).code).toBe("LIMIT_EXCEEDED")
    })
  )
})
