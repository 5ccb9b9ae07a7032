/**
 * A message as every platform sends it, once it is here: who it belongs to, what was written, and the files that came with
 * it, which are on this machine already.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Attachment } from "../capabilities/attachments/AttachmentsOperations.js"
import type { Policy } from "../policy/Policy.js"
import * as Annotation from "../registry/Annotation.js"
import * as Turn from "../registry/Turn.js"

/**
 * `sessionKey` tells conversations apart, over all platforms. `messageId` tells messages of a session apart.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InboundMessage = Schema.Struct({
  platform: Schema.NonEmptyString,
  sessionKey: Schema.NonEmptyString,
  messageId: Schema.NonEmptyString,
  text: Schema.String,
  attachments: Schema.Array(Attachment)
})

/**
 * @since 0.1.0
 * @category models
 */
export interface InboundMessage extends Schema.Schema.Type<typeof InboundMessage> {}

/**
 * What a turn has besides what its message says. Without a `workdir` it is the directory of this process. `inline` are the
 * contents of texts that the model is to see at once, by ref.
 *
 * @since 0.1.0
 * @category models
 */
export interface TurnOptions
  extends Omit<Turn.Options, "session" | "policy" | "attachments" | "workdir">,
    Annotation.Options {
  readonly workdir?: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface InboundTurn {
  /** What to give the model: the `<attachments>` block, and what was written. */
  readonly text: string
  readonly turn: Turn.Turn
}

/**
 * The text for the model and the turn that goes with it, made of one message: the refs that the one names are those that
 * tools of the other open.
 *
 * Throws an `AttachmentsError` when two attachments have one ref.
 *
 * @example
 * ```ts
 * import { Authority, Policy } from "bailiwick"
 * import { Inbound } from "bailiwick/adapters"
 *
 * const photo = { type: "image", ref: "att-0", url: "file:///c/1.jpg", mimeType: "image/jpeg" } as const
 * const message = { platform: "telegram", sessionKey: "telegram:7", messageId: "1", text: "Who is this?", attachments: [photo] }
 * const { text, turn } = Inbound.turn(message, Policy.make({ authority: Authority.nothing }))
 * console.log(turn.session, turn.attachments.length)
 * console.log(text)
 * ```
 *
 * ```text output
 * telegram:7 1
 * <attachments>
 * <attachment ref="att-0" type="image" mimeType="image/jpeg" />
 * </attachments>
 *
 * Who is this?
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const turn = (
  { attachments, sessionKey, text }: Pick<InboundMessage, "attachments" | "sessionKey" | "text">,
  policy: Policy,
  { inline, workdir = process.cwd(), ...options }: TurnOptions = {}
): InboundTurn => ({
  text: Annotation.compose(text, attachments, inline === undefined ? {} : { inline }),
  turn: Turn.make({ ...options, session: sessionKey, policy, workdir, attachments })
})
