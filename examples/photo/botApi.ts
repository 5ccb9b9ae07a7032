/** As much of Telegram's Bot API as the example needs, on loopback: it has one photo. */
import { createServer } from "node:http"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"

export const TOKEN = "1234567:only-an-example"

const PHOTO = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, ...new TextEncoder().encode("a cat on a wall")])

const getFile = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
  HttpServerResponse.json({
    ok: true,
    result: {
      file_id: new URL(url, "http://localhost").searchParams.get("file_id"),
      file_path: "photos/cat.jpg"
    }
  })
)

const router = HttpRouter.empty.pipe(
  HttpRouter.get(`/bot${TOKEN}/getFile`, getFile),
  HttpRouter.get(`/file/bot${TOKEN}/photos/cat.jpg`, HttpServerResponse.uint8Array(PHOTO))
)

export const layerBotApi = HttpServer.serve(router).pipe(
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
)

/** The update that Telegram posts when somebody sends the photo. */
export const update = {
  update_id: 1,
  message: {
    message_id: 7,
    chat: { id: 42, type: "private" },
    caption: "What is on it?",
    photo: [{ file_id: "cat", file_unique_id: "c", width: 640, height: 480 }]
  }
}
