/** The server that NetworkContract describes, on two ports of 127.0.0.1, and what of it a mock can answer. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import type { Network } from "../../../src/capabilities/network/Network.js"

interface Given {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

interface Answered {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 7) % 256)

const text = (written: string | number) => new TextEncoder().encode(String(written))

/** The answers that come at once, and depend on nothing but the request. */
const answer = (given: Given): Answered | undefined => {
  const { pathname, searchParams } = new URL(given.url, "http://x")
  const [, name = "", rest = ""] = pathname.split("/")
  const to = searchParams.get("to")
  switch (name) {
    case "echo":
      return {
        status: 200,
        headers: { "content-type": "application/json" },
        body: text(JSON.stringify({ ...given, body: Buffer.from(given.body).toString("base64") }))
      }
    case "bytes":
      return { status: 200, body: bytes(Number(rest)) }
    case "zipped":
      return (given.headers["accept-encoding"] ?? "").includes("gzip")
        ? { status: 200, headers: { "content-encoding": "gzip" }, body: gzipSync(bytes(Number(rest))) }
        : { status: 200, body: bytes(Number(rest)) }
    case "status":
      return rest === "204" || rest === "304"
        ? { status: Number(rest) }
        : { status: Number(rest), body: text(`status ${rest}`) }
    case "redirect":
      return { status: Number(rest), headers: { location: to ?? "" } }
    case "loop":
      return { status: 302, headers: { location: "/loop" } }
    default:
      return undefined
  }
}

/** What a mock answers with; what never comes never does. */
export const handler: Network.MockHandler = (url, { body = new Uint8Array(0), headers, method }) => {
  const { pathname, search } = new URL(url)
  if (pathname === "/silent") return Effect.never
  const answered = answer({ method, url: pathname + search, headers, body })
  if (answered === undefined) return { status: 404 }
  return method === "HEAD" ? { ...answered, body: new Uint8Array(0) } : answered
}

const plain = ({ headers }: IncomingMessage): Given["headers"] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(", ")]]
    )
  )

const received = (request: IncomingMessage): Promise<Uint8Array> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => resolve(Buffer.concat(chunks)))
  })

const BLOCK = Buffer.alloc(64 * 1024)

/** What the server knows of the requests of one id. */
interface Known {
  seen: number
  open: number
  flooded: number
}

const listenerOf = (): RequestListener => {
  const all = new Map<string, Known>()
  const waiting = new Set<() => boolean>()
  const knownOf = (id: string): Known => {
    const known = all.get(id) ?? { seen: 0, open: 0, flooded: 0 }
    all.set(id, known)
    return known
  }
  const changed = () => {
    for (const tell of waiting) if (tell()) waiting.delete(tell)
  }
  const enter = (known: Known, response: ServerResponse) => {
    known.seen++
    known.open++
    response.once("close", () => {
      known.open--
      changed()
    })
    changed()
  }
  const whenever = (is: () => boolean, response: ServerResponse) => {
    const tell = () => {
      if (is()) response.writeHead(204).end()
      return response.writableEnded || response.destroyed
    }
    if (!tell()) waiting.add(tell)
  }
  const flood = (known: Known, response: ServerResponse) => {
    const write = () => {
      do known.flooded += BLOCK.length
      while (!response.destroyed && response.write(BLOCK))
    }
    response.on("drain", write)
    write()
  }
  return async (request, response) => {
    const { method = "", url = "" } = request
    const { pathname, searchParams } = new URL(url, "http://x")
    const [, name = "", rest = ""] = pathname.split("/")
    const known = knownOf(searchParams.get("id") ?? "")
    enter(known, response)
    const body = await received(request)
    switch (name) {
      case "silent":
        return
      case "head":
        return response.flushHeaders()
      case "cookies":
        return response.setHeader("set-cookie", ["a=1, 2; path=/", "b=3"]).end()
      case "hang":
        return response.write("a")
      case "flood":
        return flood(known, response)
      case "broken":
        return response.writeHead(200, { "content-length": 100 }).write("half", () => response.destroy())
      case "headers":
        return response.writeHead(200, ["x-twice", "one", "x-twice", "two", "X-Mixed", "Case"]).end()
      case "chunked":
        response.write("")
        response.flushHeaders()
        return response.end(bytes(Number(rest)))
      case "seen":
        return response.end(String(knownOf(rest).seen))
      case "flooded":
        return response.end(String(knownOf(rest).flooded))
      case "arrived":
        return whenever(() => knownOf(rest).seen > 0, response)
      case "gone":
        return whenever(() => knownOf(rest).seen > 0 && knownOf(rest).open === 0, response)
    }
    const answered = answer({ method, url, headers: plain(request), body }) ?? { status: 404 }
    const length = answered.body === undefined ? {} : { "content-length": answered.body.length }
    response.writeHead(answered.status, { ...answered.headers, ...length })
    return response.end(answered.body)
  }
}

const listening = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.async<{ readonly origin: string; readonly close: Effect.Effect<void> }>((resume) => {
      const open = new Set<Socket>()
      const server = createServer(listener)
      server.on("connection", (socket) => {
        open.add(socket)
        socket.on("error", () => {})
        socket.once("close", () => open.delete(socket))
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const close = Effect.async<void>((done) => {
          server.close(() => done(Effect.void))
          for (const socket of open) socket.destroy()
        })
        resume(Effect.succeed({ origin: `http://127.0.0.1:${port}`, close }))
      })
    }),
    ({ close }) => close
  )

/** One server at two origins, and an origin that nobody listens at any more. */
export const origins = Effect.gen(function* () {
  const listener = listenerOf()
  const [{ origin }, { origin: other }] = [yield* listening(listener), yield* listening(listener)]
  const { origin: nobody } = yield* Effect.scoped(listening(listener))
  return { origin, other, nobody }
})
