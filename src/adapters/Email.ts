/**
 * Mails, from a file or a maildir. Nothing here says who sent a mail: let the server that receives it check that, and put
 * into the maildir only what passed.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { AttachmentCache } from "../layers/node/attachments/AttachmentCache.js"
import type { AdapterError } from "./AdapterError.js"
import * as Delivery from "./Delivery.js"
import { draftOf, type MailLimits } from "./email/Mail.js"
import { type MaildirOptions, readMail, watch } from "./email/Maildir.js"
import type { InboundMessage } from "./InboundMessage.js"
import * as Intake from "./Intake.js"

export type { MaildirOptions } from "./email/Maildir.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options extends MailLimits, Omit<Intake.Options, "platform"> {}

const intakeOf = (options: Options) => Intake.make({ ...options, platform: "email" })

/**
 * What turns the text of a mail into a message. A mail whose parts cannot be read, or are too many or too deep, arrives with
 * its subject and a note.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options = {}
): Effect.Effect<
  (mail: Uint8Array | string) => Effect.Effect<InboundMessage, AdapterError>,
  never,
  AttachmentCache
> =>
  Effect.map(
    intakeOf(options),
    ({ receive }) =>
      (mail) =>
        Effect.flatMap(draftOf(mail, options), receive)
  )

/**
 * The message in a file, such as an `.eml`. It must be a regular file, and no link.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromFile = (
  path: string,
  options: Options = {}
): Effect.Effect<InboundMessage, AdapterError, AttachmentCache> =>
  Effect.flatMap(make(options), (receive) => Effect.flatMap(readMail(path, options), receive))

/**
 * Hands over what comes into a maildir, one mail after the other, until it is interrupted. A mail moves from `new/` to `cur/`
 * when the program has taken it, and stays where it is otherwise.
 *
 * @since 0.1.0
 * @category running
 */
export const maildir = <E, R>(
  options: MaildirOptions & Options,
  handler: Delivery.Handler<E, R>
): Effect.Effect<never, AdapterError, R | AttachmentCache> =>
  Effect.flatMap(intakeOf(options), (intake) =>
    Effect.flatMap(Delivery.handing(intake, handler), (hand) => watch(options, hand))
  )
