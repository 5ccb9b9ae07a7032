/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { Attachments } from "../capabilities/Attachments.js"
import * as Scoped from "../layers/scoped/ScopedAttachments.js"
import type { Authority } from "../policy/Authority.js"
import { type Recording, record } from "./Recording.js"

/**
 * Attachments in memory, with a note of each call.
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (
  items: ReadonlyArray<Attachments.MockAttachment> = []
): Recording<Attachments.Everything> =>
  record(Attachments.memory(items), (operations) => Attachments.layer(() => operations))

/**
 * Attachments in memory that obey an authority: of other kinds than it holds, nothing is to be seen.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  authority: Authority,
  items: ReadonlyArray<Attachments.MockAttachment>
): Layer.Layer<Attachments.Everything> =>
  Attachments.layer(() => Scoped.scoped(authority, Attachments.memory(items)))
