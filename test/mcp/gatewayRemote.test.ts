/** Servers that others run, over HTTP: the official SDK's, on loopback, held to exactly what they require. */
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { Effect, Exit, Scope } from "effect"
import type { Server } from "../../src/policy/server/Server.js"
import { authority, pinnedTool, valueOf, world } from "./gatewayWorld.js"

interface Seen {
  readonly method: string | undefined
  readonly authorization: string | undefined
  readonly session: string | string[] | undefined
  readonly version: string | string[] | undefined
}

const server = () => {
  const made = new McpServer({ name: "remote", version: "1" })
  made.registerTool("echo", { description: "Says it again", inputSchema: {} }, () => ({
    content: [{ type: "text", text: "echoed" }]
  }))
  return made
}

/** The SDK's server, and what it was asked. */
const listening = (options: { readonly json: boolean; readonly redirectTo?: string }) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen: Array<Seen> = []
      const transports = new Map<string, StreamableHTTPServerTransport>()
      const http = createServer(async (request, response) => {
        const session = request.headers["mcp-session-id"]
        seen.push({
          method: request.method,
          authorization: request.headers.authorization,
          session,
          version: request.headers["mcp-protocol-version"]
        })
        if (options.redirectTo !== undefined) {
          response.writeHead(307, { location: options.redirectTo }).end()
          return
        }
        const known = typeof session === "string" ? transports.get(session) : undefined
        if (session !== undefined && known === undefined) {
          response.writeHead(404).end()
          return
        }
        const transport =
          known ??
          new StreamableHTTPServerTransport({
            sessionIdGenerator: randomUUID,
            enableJsonResponse: options.json,
            onsessioninitialized: (id) => {
              transports.set(id, transport)
            }
          })
        if (known === undefined) await server().connect(transport as Parameters<McpServer["connect"]>[0])
        await transport.handleRequest(request, response)
      })
      await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
      const { port } = http.address() as AddressInfo
      return { http, seen, port, forget: () => transports.clear() }
    }),
    ({ http }) =>
      Effect.async<void>((resume) => {
        http.closeAllConnections()
        http.close(() => resume(Effect.void))
      })
  )

const HOST = "127.0.0.1"

const all = (host: string) => ({ get: [host], post: [host], delete: [host] })

const remote = (port: number, more: Partial<Server> = {}): Server => ({
  name: "far",
  requires: authority({ network: all(HOST), private: { connect: [`${HOST}:${port}`] } }),
  specs: [],
  transport: { _tag: "Remote", url: `http://${HOST}:${port}/mcp`, headers: [] },
  ...more
})

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
