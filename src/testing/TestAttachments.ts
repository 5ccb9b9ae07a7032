/**
 * @since 0.1.0
 */
import { Effect, Either, Layer, Schema } from "effect"
import { Attachments } from "../capabilities/attachments/Attachments.js"
import { AttachmentsBackend } from "../capabilities/attachments/AttachmentsBackend.js"
import * as Scoped from "../capabilities/attachments/ScopedAttachments.js"
import type { Files } from "../capabilities/files/Files.js"
import { holder } from "../policy/gate/Asking.js"
import * as Authority from "../policy/lattice/Authority.js"
import * as Request from "../policy/lattice/Request.js"
import { type Recording, record } from "./Recording.js"
import * as TestFiles from "./TestFiles.js"

/**
 * Attachments in memory that keep each call. `openByRef` shows up as `open`.
 *
 * @example
 * ```ts
 * import { TestAttachments } from "bailiwick/testing"
 *
 * export const { calls, layer } = TestAttachments.recording([{ mimeType: "text/plain", content: "milk" }])
 * ```
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (
  items: ReadonlyArray<Attachments.MockAttachment> = []
): Recording<Attachments.Everything> =>
  record(Attachments.memory(items), (operations) => Attachments.layer(() => operations))

/**
 * Attachments in memory that obey an authority: a tool does not see attachments of other kinds. As in a turn, `Files`
 * comes with them. It reads those attachments, and of the given files those that the authority reaches.
 *
 * @example
 * ```ts
 * import { Authority } from "bailiwick"
 * import { TestAttachments } from "bailiwick/testing"
 * import { Schema } from "effect"
 *
 * const authority = Schema.decodeSync(Authority.FromJson)({ attachments: { read: ["file"] } })
 * export const attachments = TestAttachments.layerMemory(authority, [
 *   { mimeType: "text/plain", content: "milk" },
 *   { type: "image", mimeType: "image/png" }
 * ])
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  authority: Authority.Authority,
  items: ReadonlyArray<Attachments.MockAttachment>,
  files: Files.MockFiles = {}
): Layer.Layer<Attachments.Everything | Files.Everything> => {
  const memory = Attachments.memory(items)
  const attached = Attachments.memoryFiles(items.filter((item) => permitted(authority, item)))
  const all = new Map([...(files instanceof Map ? files : Object.entries(files)), ...attached])
  return Layer.merge(
    // A layer of the tag, which claims its phantom requirements too, as `Attachments.layer` does.
    Layer.effect(
      Attachments,
      Effect.map(Effect.orDie(memory.list({ kind: null })), (all) =>
        Attachments.make(Scoped.scoped(holder({ authority }), all, AttachmentsBackend.fromOperations(memory)))
      )
    ) as Layer.Layer<never> as Layer.Layer<Attachments.Everything>,
    TestFiles.layerMemory(Authority.join(Authority.pick(authority, "files"), reading(attached.keys())), all)
  )
}

const permitted = (authority: Authority.Authority, { type = "file" }: Attachments.MockAttachment): boolean =>
  Either.match(Request.attachment(type), {
    onLeft: () => false,
    onRight: (request) => Authority.permits(authority, request).allowed
  })

/** Those paths exactly: an attachment opens no directory, and one whose name is a glob opens nothing. */
const reading = (paths: Iterable<string>): Authority.Authority =>
  Schema.decodeSync(Authority.FromJson)({ files: { read: [...paths].filter((path) => !/[*?]/.test(path)) } })
