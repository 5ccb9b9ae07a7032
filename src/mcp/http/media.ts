/** What a client sends and takes, by its headers. */
import type { IncomingMessage } from "node:http"
import { revisions } from "../protocol/Message.js"
import type { Refusal } from "./Callers.js"

export const JSON_TYPE = "application/json"
export const STREAM_TYPE = "text/event-stream"

const typesIn = (accept: string): ReadonlySet<string> =>
  new Set(
    accept
      .split(",")
      .map((one) => one.split(";").map((part) => part.trim().toLowerCase()))
      .filter(([, ...parameters]) => !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one)))
      .map(([type = ""]) => type)
  )

const takes = (accepted: ReadonlySet<string>, type: string): boolean =>
  accepted.has(type) || accepted.has("*/*") || accepted.has(`${type.split("/")[0]}/*`)

/** A client says that it takes each of these. */
export const unacceptable = (
  { headers }: IncomingMessage,
  types: ReadonlyArray<string>
): Refusal | undefined => {
  const accepted = typesIn(headers.accept ?? "")
  return types.every((type) => takes(accepted, type))
    ? undefined
    : { status: 406, message: `write 'Accept: ${types.join(", ")}'` }
}

/** One JSON text in UTF-8, as it is. */
export const unsupported = ({ headers }: IncomingMessage): Refusal | undefined => {
  const [type = "", ...parameters] = (headers["content-type"] ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim())
  const charset = parameters.find((one) => one.startsWith("charset="))?.slice("charset=".length)
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset)
  const encoding = headers["content-encoding"] ?? "identity"
  return type === JSON_TYPE && isUtf8 && encoding === "identity"
    ? undefined
    : { status: 415, message: `write 'Content-Type: ${JSON_TYPE}', in UTF-8 and not compressed` }
}

/** Whoever does not name a revision speaks the one that was agreed on. */
export const unknownRevision = ({ headers }: IncomingMessage): Refusal | undefined => {
  const given = headers["mcp-protocol-version"]
  return given === undefined || revisions.some((one) => one === given)
    ? undefined
    : { status: 400, message: `MCP-Protocol-Version is none of ${revisions.join(", ")}` }
}
