/** Whether a client is the child, where that is not plain from where it comes. */
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

export const recognising = (
  user: string,
  token: string | undefined
): ((request: IncomingMessage) => boolean) => {
  if (token === undefined) return () => true
  const wanted = digest(`Basic ${Buffer.from(`${user}:${token}`).toString("base64")}`)
  return ({ headers }) => timingSafeEqual(wanted, digest(headers["proxy-authorization"] ?? ""))
}
