/**
 * A photo from Telegram, all the way to a tool. Telegram posts the message to the webhook; the adapter downloads the photo
 * into the cache; the tool that declares images reads it, and the one that declares files does not see it.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FetchHttpClient, HttpBody, HttpClient, HttpServer } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Personality, Registry } from "bailiwick"
import { Inbound, Telegram } from "bailiwick/adapters"
import { AttachmentCache, NodeAttachments, NodeFiles, NodeNetwork, NodeSecrets } from "bailiwick/node"
import { ConfigProvider, Console, Context, Effect, Layer } from "effect"
import { layerBotApi, TOKEN, update } from "./botApi.js"
import { lookAtPhoto, readDocument } from "./tools.js"

const registry = Registry.make(lookAtPhoto, readDocument)

const config = { file: "config.yaml", text: "id: looker\nattachments: { kinds: [image, file] }" }
const policy = Personality.policy(Personality.parseSync({ config }, { workdir: "/" }))

/** Here a model would read `text` and choose the calls. */
const answer = (message: Inbound.InboundMessage) =>
  Effect.gen(function* () {
    const { text, turn } = Inbound.turn(message, policy, { workdir: "/" })
    yield* Console.log(text)
    const results = yield* registry.execute(turn, [
      { id: "1", name: "look_at_photo", args: { ref: "att-0" } },
      { id: "2", name: "read_document", args: { ref: "att-0" } }
    ])
    for (const { name, result } of results) {
      yield* Console.log(`${name}: ${result.ok ? result.value : result.error}`)
    }
  })

const SECRET = "only-an-example-either"

const secrets = NodeSecrets.layerConfig(
  ConfigProvider.fromJson({ telegram: { token: TOKEN, webhook: SECRET } })
)

/** What a program holds that receives: where files are kept, what it reaches, what it may know. */
const layerIn = (directory: string) =>
  Layer.mergeAll(
    AttachmentCache.layerPruning({ olderThan: "1 day" }).pipe(
      Layer.provideMerge(AttachmentCache.layer({ directory }))
    ),
    NodeAttachments.layer({ directory }),
    NodeFiles.layer(),
    NodeNetwork.layer({ bodyBytes: 25 * 1024 * 1024 }),
    secrets
  )

const urlOf = (address: HttpServer.Address): string =>
  address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : ""

const serverAt = Effect.map(HttpServer.HttpServer, ({ address }) => urlOf(address))

const loopback = NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "bailiwick-photo-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

/** Starts the Bot API and the webhook, sends the photo, and ends them. */
export const program = Effect.gen(function* () {
  const api = urlOf(Context.get(yield* Layer.build(layerBotApi), HttpServer.HttpServer).address)
  const webhook = Telegram.webhook(
    {
      token: "telegram/token",
      webhookSecret: "telegram/webhook",
      // Without these two it is Telegram itself.
      baseUrls: [api],
      private: [new URL(api).host]
    },
    answer
  )
  const received = yield* Layer.build(
    Layer.unwrapScoped(Effect.map(webhook, HttpServer.serve())).pipe(Layer.provideMerge(loopback))
  )
  const url = yield* Effect.provide(serverAt, received)
  const send = (secret: string) =>
    HttpClient.post(url, {
      headers: { "x-telegram-bot-api-secret-token": secret },
      body: HttpBody.unsafeJson(update)
    })
  yield* Console.log(`forged: ${(yield* send("a guess")).status}`)
  yield* Console.log(`genuine: ${(yield* send(SECRET)).status}`)
}).pipe(
  Effect.provide(FetchHttpClient.layer),
  Effect.provide(Layer.unwrapScoped(Effect.map(directory, layerIn))),
  Effect.scoped
)
