/**
 * A whole application: people ask over HTTP, an agent answers from the notebook, and each request is a turn of its
 * own. Whoever hangs up interrupts the agent, and with it every call that still runs.
 */
import { createServer } from "node:http"
import type { Prompt } from "@effect/ai"
import {
  FetchHttpClient,
  HttpBody,
  HttpClient,
  HttpRouter,
  HttpServer,
  HttpServerRequest,
  HttpServerResponse
} from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Console, Effect, Layer, Schema } from "effect"
import { converse } from "./agent.js"
import { layerNotebook, notebook, turnOf } from "./notebook.js"
import { calls, layerScripted } from "./scripted.js"

class Question extends Schema.Class<Question>("Question")({
  session: Schema.NonEmptyString,
  text: Schema.NonEmptyString
}) {}

const ask = Effect.gen(function* () {
  const { session, text } = yield* HttpServerRequest.schemaBodyJson(Question)
  const turn = turnOf(session)
  const answer = yield* converse(turn, text)
  const refused = turn.transcript.events.flatMap(({ allowed, asked }) => (allowed ? [] : [asked]))
  return yield* HttpServerResponse.json({ answer, refused })
}).pipe(Effect.catchTag("ParseError", ({ message }) => HttpServerResponse.text(message, { status: 400 })))

const menu = Effect.flatMap(notebook.menu(turnOf("menu")), (items) =>
  HttpServerResponse.json(items.map(({ description, name, surface }) => ({ name, description, surface })))
)

const router = HttpRouter.empty.pipe(HttpRouter.post("/ask", ask), HttpRouter.get("/tools", menu))

/** A model with one idea: it reads the note that somebody names, and says what it read. */
const model = layerScripted([
  ({ prompt }) => {
    const last = prompt.content.at(-1)
    if (last?.role === "tool") {
      const [read] = last.content
      return read?.isFailure === true ? "That is not mine to read." : `It says: ${read?.result}`
    }
    const path = /\S+\/\S+|\S+\.md/.exec(last === undefined ? "" : textOf(last))?.[0]
    return path === undefined ? "Name a note." : [calls("1", "read_note", { path })]
  }
])

const textOf = ({ content }: Prompt.Message): string =>
  typeof content === "string"
    ? content
    : content.map((part) => (part.type === "text" ? part.text : "")).join("")

/** On loopback. With a model of a provider in place of the script, this is all there is to serve. */
export const layerServer = (port: number) =>
  HttpServer.serve(router).pipe(
    Layer.provide([model, layerNotebook]),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port, host: "127.0.0.1" }))
  )

/** Starts the server, asks it, and ends it. */
export const program = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  const url = address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : ""
  const tools = yield* Effect.flatMap(HttpClient.get(`${url}/tools`), ({ json }) => json)
  yield* Console.log("GET /tools", tools)
  for (const text of ["What is in shopping.md?", "What is in /etc/passwd ?", ""]) {
    const body = HttpBody.unsafeJson({ session: "visitor", text })
    const response = yield* HttpClient.post(`${url}/ask`, { body })
    yield* Console.log(`POST /ask ${JSON.stringify(text)} ${response.status}`)
    if (response.status === 200) yield* Console.log(yield* response.json)
  }
}).pipe(Effect.provide([layerServer(0), FetchHttpClient.layer]), Effect.scoped)
