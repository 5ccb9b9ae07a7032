/** A cache, a network and secrets for adapters, and calls of their webhooks without a socket between. */
import { readdirSync } from "node:fs"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Layer, Logger, type LogLevel } from "effect"
import { Secrets } from "../../src/capabilities/secrets/Secrets.js"
import { SecretsBackend } from "../../src/capabilities/secrets/SecretsBackend.js"
import { AttachmentCache } from "../../src/layers/node/attachments/AttachmentCache.js"
import * as NodeNetwork from "../../src/layers/node/network/NodeNetwork.js"
import { temporary } from "../layers/attachments/temporary.js"
import * as Slack from "./stubs/SlackStub.js"
import * as Telegram from "./stubs/TelegramStub.js"

export const WEBHOOK_SECRET = "a-webhook-secret-for-tests"

export const refs = { token: "telegram/token", webhookSecret: "telegram/webhook" }

const secrets = SecretsBackend.fromOperations(
  Secrets.memory({
    "telegram/token": Telegram.TOKEN,
    "telegram/webhook": WEBHOOK_SECRET,
    "slack/token": Slack.TOKEN,
    "slack/signing": Slack.SIGNING_SECRET
  })
)

export interface WorldOptions extends Omit<AttachmentCache.Options, "directory"> {
  readonly network?: NodeNetwork.Options
}

/** What adapters stand on, with a directory that is gone with the test. */
export const worldIn = (directory: string, { network = {}, ...cache }: WorldOptions = {}) =>
  Layer.mergeAll(
    AttachmentCache.layer({ directory, ...cache }),
    NodeNetwork.layer({ bodyBytes: 64 * 1024 * 1024, decodedBytes: 64 * 1024 * 1024, ...network }),
    Layer.succeed(SecretsBackend, secrets)
  )

export const world = (options: WorldOptions = {}) =>
  Layer.unwrapScoped(Effect.map(temporary, (directory) => worldIn(directory, options)))

export interface Posted {
  readonly status: number
  readonly text: string
}

/** Calls an app as a platform would. */
export const post = (
  app: HttpApp.Default,
  body: string | Uint8Array | ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
  method = "POST"
): Effect.Effect<Posted> =>
  app.pipe(
    Effect.provideService(
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(
        new Request("http://127.0.0.1/hook", {
          method,
          headers,
          ...(method === "GET" ? {} : { body, duplex: "half" })
        } as RequestInit)
      )
    ),
    Effect.flatMap((response) =>
      Effect.promise(async () => {
        const web = HttpServerResponse.toWeb(response)
        return { status: web.status, text: await web.text() }
      })
    )
  )

/** All files below a directory, drafts included. */
export const filesBelow = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

/** Everything that is logged, in one text. */
export const listening = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ annotations, logLevel, message }) => {
    const said: { readonly level: LogLevel.LogLevel["label"]; readonly rest: unknown } = {
      level: logLevel.label,
      rest: [message, [...annotations]]
    }
    lines.push(JSON.stringify(said))
  })
  return { text: () => lines.join("\n"), layer: Logger.replace(Logger.defaultLogger, logger) }
}

export const PNG = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.from("and what else is in a picture")
])

export const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(2000, 7)])
