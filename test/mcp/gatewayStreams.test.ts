/** Streams of a server that others run: those that break off, that never end, and that the server wants to be asked for later. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import { pinnedTool, valueOf, world } from "./gatewayWorld.js"
import { remote, until } from "./remote.js"

interface Asked {
  readonly method: string | undefined
  readonly from: string | string[] | undefined
  readonly host: string | undefined
}

const STREAM = { "content-type": "text/event-stream" }

/** The answer to the call, as an event; `id` is that of the request. */
const answer = (id: number, text: string): string =>
  `data: {"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${text}"}]}}\n\n`

const note = (id: string): string => `id: ${id}\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n`

interface Ways {
  /** What a call is answered with. */
  readonly calls: (response: ServerResponse, id: number) => void
  /** What a GET is answered with, the so manyth, from an id on; `call` is the request that was made last. */
  readonly gets: (
    response: ServerResponse,
    given: { readonly nth: number; readonly from: Asked["from"]; readonly call: number }
  ) => void
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = ""
  for await (const chunk of request) body += chunk
  return body
}

/** A server by hand. */
const byHand = ({ calls, gets }: Ways) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const asked: Array<Asked> = []
      let [opened, call] = [0, 0]
      const http = createServer(async (request, response) => {
        const from = request.headers["last-event-id"]
        asked.push({ method: request.method, from, host: request.headers.host })
        if (request.method === "GET") return gets(response, { nth: opened++, from, call })
        const { id, method, params } = JSON.parse((await bodyOf(request)) || "{}")
        const json = (result: object) => {
          response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" })
          response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
        }
        if (id === undefined) return response.writeHead(202).end()
        if (method === "initialize") {
          const { protocolVersion } = params
          const serverInfo = { name: "b", version: "1" }
          return json({ protocolVersion, capabilities: { tools: {} }, serverInfo })
        }
        if (method === "tools/list") {
          const inputSchema = { type: "object", properties: {} }
          return json({ tools: [{ name: "echo", description: "The tool echo", inputSchema }] })
        }
        call = id
        calls(response.writeHead(200, STREAM), id)
      })
      await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
      const { port } = http.address() as AddressInfo
      return { http, gets: () => asked.filter(({ method }) => method === "GET"), port }
    }),
    ({ http }) =>
      Effect.async<void>((resume) => {
        http.closeAllConnections()
        http.close(() => resume(Effect.void))
      })
  )

/** The clock of the machine, and how long somebody slept by it. */
const recording = () => {
  const slept: Array<number> = []
  const live = Clock.make()
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => live.unsafeCurrentTimeMillis(),
    unsafeCurrentTimeNanos: () => live.unsafeCurrentTimeNanos(),
    currentTimeMillis: live.currentTimeMillis,
    currentTimeNanos: live.currentTimeNanos,
    sleep: (duration) => {
      slept.push(Duration.toMillis(duration))
      return live.sleep(duration)
    }
  }
  return { clock, slept }
}

const none = (response: ServerResponse): void => void response.writeHead(405).end()

const PINNED = new Map([["far", [pinnedTool("echo")]]])

const QUICK = { firstPauseMillis: 1, longestPauseMillis: 5 }

const worldOf = (port: number, limits: object = QUICK) => world([remote(port)], { pinned: PINNED, limits })

describe("a stream that breaks off", () => {
  it.scopedLive("is asked for again from where it broke off, until the server has none", () =>
    Effect.gen(function* () {
      const streams = [note("7"), note("8"), "id: \u0007bell\n\n"]
      const { gets, port } = yield* byHand({
        calls: (response, id) => response.end(answer(id, "done")),
        gets: (response, { nth }) => {
          const text = streams[nth]
          if (text === undefined) none(response)
          else response.writeHead(200, STREAM).end(text)
        }
      })
      const { call } = yield* worldOf(port)
      expect(valueOf(yield* call("mcp__far__echo"))).toBe("done")
      yield* until(() => gets().length === 4)
      expect(gets().map(({ from }) => from)).toEqual([undefined, "7", "8", "8"])
    })
  )

  it.scopedLive("before its answer is taken up again, and the answer is had", () =>
    Effect.gen(function* () {
      const { gets, port } = yield* byHand({
        calls: (response) => response.end(note("41")),
        gets: (response, { call, from }) =>
          from === "41" ? response.writeHead(200, STREAM).end(answer(call, "late")) : none(response)
      })
      const { call } = yield* worldOf(port)
      expect(valueOf(yield* call("mcp__far__echo"))).toBe("late")
      expect(gets().filter(({ from }) => from === "41")).toHaveLength(1)
    })
  )

  it.scopedLive("is taken up for as long as the server gets further, however often it closes it", () =>
    Effect.gen(function* () {
      const { gets, port } = yield* byHand({
        calls: (response) => response.end("id: 1\ndata:\n\n"),
        gets: (response, { call, from }) => {
          if (from === undefined) return none(response)
          const next = Number(from) + 1
          response.writeHead(200, STREAM).end(next < 12 ? `id: ${next}\ndata:\n\n` : answer(call, "at last"))
        }
      })
      const { call } = yield* worldOf(port)
      expect(valueOf(yield* call("mcp__far__echo"))).toBe("at last")
      expect(gets().filter(({ from }) => from !== undefined)).toHaveLength(11)
    })
  )

  it.scopedLive("and says the same id again and again fails the call", () =>
    Effect.gen(function* () {
      const { gets, port } = yield* byHand({
        calls: (response) => response.end("id: 1\ndata:\n\n"),
        gets: (response, { from }) =>
          from === undefined ? none(response) : response.writeHead(200, STREAM).end("id: 1\ndata:\n\n")
      })
      const { call } = yield* worldOf(port)
      expect((yield* call("mcp__far__echo")).result).toMatchObject({ ok: false })
      expect(gets().filter(({ from }) => from === "1")).toHaveLength(4)
    })
  )

  it.scopedLive.each([
    { retry: 23, pause: 23 },
    { retry: 4000, pause: 31 }
  ])("is asked for again when the server wants it, within our own bound: %o", ({ pause, retry }) =>
    Effect.suspend(() => {
      const { clock, slept } = recording()
      const called = Effect.gen(function* () {
        const { port } = yield* byHand({
          calls: (response) => response.end(`id: 1\nretry: ${retry}\ndata:\n\n`),
          gets: (response, { call, from }) =>
            from === undefined ? none(response) : response.writeHead(200, STREAM).end(answer(call, "later"))
        })
        const { call } = yield* worldOf(port, { firstPauseMillis: 7, longestPauseMillis: 31 })
        expect(valueOf(yield* call("mcp__far__echo"))).toBe("later")
        expect(slept).toContain(pause)
      })
      return Effect.withClock(called, clock)
    })
  )
})

describe("a server that leaves the stream of an answer open", () => {
  it.scopedLive("is read no further, and has its other calls answered", () =>
    Effect.gen(function* () {
      const open = new Set<ServerResponse>()
      const { port } = yield* byHand({
        calls: (response, id) => {
          open.add(response)
          response.once("close", () => open.delete(response)).write(answer(id, "done"))
        },
        gets: none
      })
      const { call } = yield* worldOf(port)
      // As many as may be on their way at once, and some.
      for (let at = 0; at < 40; at++) expect(valueOf(yield* call("mcp__far__echo"))).toBe("done")
      yield* until(() => open.size === 0)
    })
  )
})

describe("a server that leads the stream elsewhere", () => {
  it.scopedLive("is not followed to another host", () =>
    Effect.gen(function* () {
      let location = ""
      const { gets, port } = yield* byHand({
        calls: (response, id) => response.end(answer(id, "done")),
        gets: (response) => response.writeHead(307, { location }).end()
      })
      location = `http://localhost:${port}/mcp`
      const { call } = yield* worldOf(port)
      expect(valueOf(yield* call("mcp__far__echo"))).toBe("done")
      yield* until(() => gets().length >= 4)
      expect(new Set(gets().map(({ host }) => host))).toEqual(new Set([`127.0.0.1:${port}`]))
    })
  )
})

describe("a server that was not there to be listened to", () => {
  it.scopedLive("is listened to again once it answers", () =>
    Effect.gen(function* () {
      // More often than anybody asks by himself, each time twice.
      const away = 8
      const { gets, port } = yield* byHand({
        calls: (response, id) => response.end(answer(id, "done")),
        gets: (response, { nth }) => (nth < away ? response.destroy() : none(response))
      })
      const { call } = yield* worldOf(port)
      while (gets().length <= away) expect(valueOf(yield* call("mcp__far__echo"))).toBe("done")
    })
  )
})
