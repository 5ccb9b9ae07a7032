/** Servers that others run, over HTTP: the official SDK's, on loopback, held to exactly what they require. */
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { McpServer, type RegisteredTool } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { Deferred, Effect, Exit, Scope } from "effect"
import { McpServer as EarlierServer } from "mcp-sdk-20250618/server/mcp.js"
import { StreamableHTTPServerTransport as EarlierTransport } from "mcp-sdk-20250618/server/streamableHttp.js"
import { authority, pinnedTool, valueOf, world } from "./gatewayWorld.js"
import { all, HOST, remote, until, untilTrue } from "./remote.js"

interface Seen {
  readonly method: string | undefined
  readonly authorization: string | undefined
  readonly session: string | string[] | undefined
  readonly version: string | string[] | undefined
}

const server = (made: McpServer, echoes: Array<RegisteredTool>) => {
  const echo = made.registerTool("echo", { description: "Says it again", inputSchema: {} }, () => ({
    content: [{ type: "text", text: "echoed" }]
  }))
  echoes.push(echo)
  made.registerTool("ask", { description: "Asks a person", inputSchema: {} }, async (_, { requestId }) => {
    const { content } = await made.server.elicitInput(
      {
        message: "Which call is it?",
        requestedSchema: { type: "object", properties: { call: { type: "string" } } }
      },
      { relatedRequestId: requestId }
    )
    return { content: [{ type: "text", text: JSON.stringify(content) }] }
  })
  // It says nothing of the call that it asks in.
  made.registerTool("vague", { description: "Asks anybody", inputSchema: {} }, async () => {
    const { action } = await made.server.elicitInput({
      message: "Is anybody there?",
      requestedSchema: { type: "object", properties: {} }
    })
    return { content: [{ type: "text", text: action }] }
  })
  return made
}

const newest = { Server: McpServer, Transport: StreamableHTTPServerTransport }

/** The last that speaks the earlier revision alone. What is used of it here is the same. */
const earlier = { Server: EarlierServer, Transport: EarlierTransport } as unknown as typeof newest

interface Options {
  readonly json: boolean
  readonly redirectTo?: string
  readonly sdk?: typeof newest
}

/** The SDK's server, and what it was asked. */
const listening = ({ json, redirectTo, sdk = newest }: Options) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen: Array<Seen> = []
      const echoes: Array<RegisteredTool> = []
      const transports = new Map<string, StreamableHTTPServerTransport>()
      const http = createServer(async (request, response) => {
        const session = request.headers["mcp-session-id"]
        seen.push({
          method: request.method,
          authorization: request.headers.authorization,
          session,
          version: request.headers["mcp-protocol-version"]
        })
        if (redirectTo !== undefined) {
          response.writeHead(307, { location: redirectTo }).end()
          return
        }
        const known = typeof session === "string" ? transports.get(session) : undefined
        if (session !== undefined && known === undefined) {
          response.writeHead(404).end()
          return
        }
        const transport =
          known ??
          new sdk.Transport({
            sessionIdGenerator: randomUUID,
            enableJsonResponse: json,
            onsessioninitialized: (id) => {
              transports.set(id, transport)
            }
          })
        if (known === undefined) {
          const made = server(new sdk.Server({ name: "remote", version: "1" }), echoes)
          await made.connect(transport as Parameters<McpServer["connect"]>[0])
        }
        await transport.handleRequest(request, response)
      })
      await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
      const { port } = http.address() as AddressInfo
      return { http, seen, port, echoes, forget: () => transports.clear() }
    }),
    ({ http }) =>
      Effect.async<void>((resume) => {
        http.closeAllConnections()
        http.close(() => resume(Effect.void))
      })
  )

describe("a server by its URL", () => {
  for (const json of [true, false]) {
    it.scopedLive(`answers with ${json ? "JSON" : "a stream of events"}, and is told goodbye`, () =>
      Effect.gen(function* () {
        const { port, seen } = yield* listening({ json })
        const scope = yield* Scope.make()
        const { call } = yield* Scope.extend(world([remote(port)]), scope)
        expect(valueOf(yield* call("mcp__far__echo"))).toBe("echoed")
        yield* Scope.close(scope, Exit.void)
        // One session was of `list`, and one of the call; each has ended.
        expect(seen.filter(({ method }) => method === "DELETE")).toHaveLength(2)
        const last = seen.at(-1)
        expect(last?.session).toBeDefined()
        expect(last?.version).toBe("2025-11-25")
      })
    )
  }

  it.scopedLive("of the earlier revision is spoken with in its own, and may ask", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* listening({ json: false, sdk: earlier })
      const { call } = yield* world([remote(port, { allows: ["elicitation"] })], {
        answering: { elicitation: (_, { call }) => Effect.succeed({ action: "accept", content: { call } }) }
      })
      expect(valueOf(yield* call("mcp__far__echo"))).toBe("echoed")
      expect(valueOf(yield* call("mcp__far__ask"))).toBe('{"call":"c1"}')
      const agreed = seen.flatMap(({ version }) => version ?? [])
      expect(new Set(agreed)).toEqual(new Set(["2025-06-18"]))
    })
  )

  it.scopedLive("is given the secret that is written for it, which nobody is shown", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* listening({ json: true })
      const url = `http://${HOST}:${port}/mcp`
      const one = remote(port, {
        transport: {
          _tag: "Remote",
          url,
          headers: [{ name: "Authorization", ref: "FAR_TOKEN", scheme: "Bearer" }]
        }
      })
      const { call } = yield* world([one], { secrets: { FAR_TOKEN: "far-token-value" } })
      const called = yield* call("mcp__far__echo")
      expect(seen.every(({ authorization }) => authorization === "Bearer far-token-value")).toBe(true)
      expect(JSON.stringify(called)).not.toContain("far-token-value")
    })
  )

  it.scopedLive("is not reached where it requires another host, whatever the agent holds", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* listening({ json: true })
      const one = remote(port, { requires: authority({ network: all("api.example.com") }) })
      const { call } = yield* world([one], { pinned: new Map([["far", [pinnedTool("echo")]]]) })
      const refused = yield* call("mcp__far__echo")
      expect(refused.result).toMatchObject({ ok: false, code: "not_available" })
      expect(refused.events).toContainEqual(
        expect.objectContaining({ allowed: false, capability: "network.post" })
      )
      expect(seen).toEqual([])
    })
  )

  it.scopedLive("is not reached at a private address that it does not require", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* listening({ json: true })
      const one = remote(port, { requires: authority({ network: all(HOST) }) })
      const { call } = yield* world([one], { pinned: new Map([["far", [pinnedTool("echo")]]]) })
      expect((yield* call("mcp__far__echo")).result).toMatchObject({ ok: false, code: "not_available" })
      expect(seen).toEqual([])
    })
  )

  it.scopedLive(
    "that has forgotten its session fails one call, and a new session is begun for the next",
    () =>
      Effect.gen(function* () {
        const { forget, port } = yield* listening({ json: true })
        const { call } = yield* world([remote(port)])
        expect(valueOf(yield* call("mcp__far__echo"))).toBe("echoed")
        forget()
        const failed = yield* call("mcp__far__echo")
        expect(failed.result).toMatchObject({ ok: false, code: "execution_failed" })
        expect(JSON.stringify(failed.result)).toContain("SERVER_ENDED")
        expect(valueOf(yield* call("mcp__far__echo"))).toBe("echoed")
      })
  )

  it.scopedLive("asks in the call that it asks for, and is told of no directories", () =>
    Effect.gen(function* () {
      const { port } = yield* listening({ json: false })
      const both = yield* Deferred.make<void>()
      let waiting = 0
      const { backends, registry, turn } = yield* world(
        [remote(port, { allows: ["roots", "elicitation"] })],
        {
          answering: {
            elicitation: (_, { call }) =>
              Effect.gen(function* () {
                // Both run when the first of them is answered.
                if (++waiting === 2) yield* Deferred.succeed(both, undefined)
                yield* Deferred.await(both)
                return { action: "accept", content: { call } }
              })
          }
        }
      )
      const calls = ["a", "b"].map((id) => ({ id, name: "mcp__far__ask", args: {} }))
      const made = turn()
      const results = yield* Effect.provide(registry.execute(made, calls), backends)
      expect(results.map(({ result }) => result)).toEqual([
        { ok: true, value: '{"call":"a"}' },
        { ok: true, value: '{"call":"b"}' }
      ])
      const asked = made.transcript.events.filter(({ capability }) => capability === "mcp.elicitation")
      expect(asked.map(({ callId }) => callId).sort()).toEqual(["a", "b"])
    })
  )

  it.scopedLive("that asks beside its answers is heard, where it may be listened to", () =>
    Effect.gen(function* () {
      const { port } = yield* listening({ json: false })
      const { call } = yield* world([remote(port, { allows: ["elicitation"] })], {
        answering: { elicitation: () => Effect.succeed({ action: "decline" }) }
      })
      expect(valueOf(yield* call("mcp__far__vague"))).toBe("decline")
    })
  )

  it.scopedLive("that changes its tools between two calls has them withheld before the next", () =>
    Effect.gen(function* () {
      const { echoes, port, seen } = yield* listening({ json: false })
      const { backends, call, registry, turn } = yield* world([remote(port)])
      expect(valueOf(yield* call("mcp__far__echo"))).toBe("echoed")
      // The one of the call listens by the time that it is spoken to.
      yield* until(() => seen.filter(({ method }) => method === "GET").length >= 2)
      let looked = 0
      yield* untilTrue(() => {
        // Its stream may not be ready yet when it is asked for.
        if (looked++ % 200 === 0) echoes.at(-1)?.update({ description: "Says it to everybody" })
        return Effect.map(
          Effect.provide(registry.menu(turn()), backends),
          (menu) => !menu.some(({ name }) => name === "mcp__far__echo")
        )
      })
      const refused = yield* call("mcp__far__echo")
      expect(refused.result).toMatchObject({ denial: { code: "TOOL_WITHHELD" } })
    })
  )

  it.scopedLive("is not listened to where nothing lets it be read", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* listening({ json: false })
      const requires = authority({
        network: { post: [HOST], delete: [HOST] },
        private: { connect: [`${HOST}:${port}`] }
      })
      const { call } = yield* world([remote(port, { requires })])
      const called = yield* call("mcp__far__echo")
      expect(valueOf(called)).toBe("echoed")
      expect(seen.filter(({ method }) => method === "GET")).toEqual([])
      expect(called.events.filter(({ allowed }) => !allowed)).toEqual([])
    })
  )

  it.scopedLive("does not lead elsewhere", () =>
    Effect.gen(function* () {
      const target = yield* listening({ json: true })
      const first = yield* listening({ json: true, redirectTo: `http://localhost:${target.port}/mcp` })
      const { call } = yield* world([remote(first.port)], {
        pinned: new Map([["far", [pinnedTool("echo")]]])
      })
      expect((yield* call("mcp__far__echo")).result).toMatchObject({ ok: false, code: "not_available" })
      expect(first.seen.length).toBeGreaterThan(0)
      expect(target.seen).toEqual([])
    })
  )
})
