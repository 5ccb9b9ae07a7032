/** Events and signatures of Slack, in the shapes of its documentation. */
import { createHmac } from "node:crypto"

export const TOKEN = "slack-bot-token-for-tests-only"
export const SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5"

export const slackMessage = (
  ts: string,
  text: string,
  files: ReadonlyArray<{
    readonly name: string
    readonly mimetype: string
    readonly size?: number
    readonly url: string
  }> = []
) => ({
  token: "ignored",
  team_id: "T061EG9R6",
  api_app_id: "A0FFV41KK",
  type: "event_callback",
  event_id: `Ev${ts}`,
  event_time: 1_760_000_000,
  event: {
    type: "message",
    ...(files.length === 0 ? {} : { subtype: "file_share" }),
    channel: "C2147483705",
    user: "U2147483697",
    text,
    ts,
    files: files.map(({ mimetype, name, size, url }, index) => ({
      id: `F${index}`,
      name,
      title: name,
      mimetype,
      filetype: "binary",
      mode: "hosted",
      ...(size === undefined ? {} : { size }),
      url_private: url,
      url_private_download: url
    }))
  }
})

export const slackSigned = (body: string, seconds: number, secret = SIGNING_SECRET) => ({
  "x-slack-request-timestamp": String(seconds),
  "x-slack-signature": `v0=${createHmac("sha256", secret).update(`v0:${seconds}:${body}`).digest("hex")}`
})
