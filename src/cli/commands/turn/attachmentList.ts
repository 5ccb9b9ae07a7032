/**
 * The attachments of a turn, as a file gives them: a list, or the message that brought them. One that is wrong is left out,
 * and the others stay.
 */

import { lstatSync } from "node:fs"
import { Either, Schema } from "effect"
import { InboundMessage } from "../../../adapters/InboundMessage.js"
import { Attachment } from "../../../capabilities/attachments/AttachmentsOperations.js"
import { shownName } from "../../../layers/node/attachments/Names.js"
import { pathOfUrl } from "../../../layers/node/attachments/Namespace.js"
import * as Floor from "../../../policy/gate/floor/Floor.js"
import * as Request from "../../../policy/lattice/Request.js"
import { quote } from "../../../policy/text/Quote.js"
import { CliError } from "../../CliError.js"
import { realPath } from "../../read.js"
import { parseJson } from "../../strictJson.js"

/** Whether a file may come with a turn: a regular one, and none that the floor keeps from every tool. */

const isClosed = (floor: Floor.Floor, path: string): boolean => {
  const request = Request.file("read", path)
  return Either.isLeft(request) || Floor.forbids(floor, request.right) !== undefined
}

/** The floor comes first: what is on it is refused the same, whether it is there or not. */
export const whyNot =
  (floor: Floor.Floor) =>
  (path: string): string | undefined => {
    if (isClosed(floor, path) || isClosed(floor, realPath(path))) {
      return "no tool may read its path; copy the file elsewhere"
    }
    try {
      const found = lstatSync(path)
      if (found.isSymbolicLink()) return "it is a link; name the file itself"
      return found.isFile() ? undefined : "it is not a regular file"
    } catch {
      return "its file is not there"
    }
  }

const decode = Schema.decodeUnknownEither(Attachment, { onExcessProperty: "error" })

/** What the sender wrote as a name is shown to people and to models, so nothing unseen stays in it. */
const shown = ({ filename, ...rest }: Attachment): Attachment => {
  const name = shownName(filename)
  return name === undefined ? rest : { ...rest, filename: name }
}

/** What of a message is taken as it is; each of its attachments is looked at. */
const decodeMessage = Schema.decodeUnknownEither(
  Schema.Struct({ ...InboundMessage.fields, attachments: Schema.Array(Schema.Unknown) }),
  { onExcessProperty: "error" }
)

export interface AttachmentList {
  /** The message that brought them, if it was one. */
  readonly message?: Pick<InboundMessage, "sessionKey" | "text">
  readonly attachments: ReadonlyArray<Attachment>
  readonly warnings: ReadonlyArray<string>
}

/** `whyNot` says of a path why it is not taken. Throws a `CliError` when the file is neither a list nor a message. */
export const parseAttachments = (
  file: string,
  text: string,
  whyNot: (path: string) => string | undefined
): AttachmentList => {
  const value = parseJson(file, text)
  if (Array.isArray(value)) return listOf(file, value, whyNot)
  const message = decodeMessage(value)
  if (Either.isLeft(message)) {
    throw new CliError(
      `${file} is not a list of attachments, nor a message with them; write [{ "type", "ref", "url", "mimeType" }], or { "platform", "sessionKey", "messageId", "text", "attachments" }`
    )
  }
  const { attachments, sessionKey, text: written } = message.right
  return { ...listOf(file, attachments, whyNot), message: { sessionKey, text: written } }
}

const listOf = (
  file: string,
  value: ReadonlyArray<unknown>,
  whyNot: (path: string) => string | undefined
): AttachmentList => {
  const attachments: Array<Attachment> = []
  const warnings: Array<string> = []
  for (const [index, given] of value.entries()) {
    const leaveOut = (why: string) => warnings.push(`${file}: attachment ${index + 1} is left out: ${why}`)
    const decoded = decode(given)
    if (Either.isLeft(decoded)) {
      leaveOut(
        "it has not the keys type (image, audio or file), ref, url and mimeType, or others than filename and sizeBytes beside them"
      )
      continue
    }
    const path = pathOfUrl(decoded.right.url)
    const refused =
      path === undefined ? "its url is not that of a local file; write file:///path" : whyNot(path)
    if (refused !== undefined) leaveOut(refused)
    else if (attachments.some(({ ref }) => ref === decoded.right.ref)) {
      leaveOut(`the ref ${quote(decoded.right.ref)} is taken by one before it`)
    } else attachments.push(shown(decoded.right))
  }
  return { attachments, warnings }
}
