/**
 * A command that serves: it is told things and heard for as long as somebody waits for its end. No tool has this; it is for
 * what lives longer than a call.
 *
 * @since 0.1.0
 */
import { Effect, Mailbox, Stream } from "effect"
import type { Proof } from "../../policy/gate/Proof.js"
import type { Scoped } from "../../policy/lattice/Request.js"
import { bytesOf } from "../bytes.js"
import type { ProcessBackend } from "./ProcessBackend.js"
import { type ProcessCommand, ProcessError } from "./ProcessOperations.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Served {
  /** Ends the command when nobody waits any more. */
  readonly serve: (
    command: typeof ProcessCommand.Type,
    ears: ProcessBackend.Ears
  ) => Effect.Effect<ProcessBackend.Ended, ProcessError>
  /** What the command would see; nothing where no backend can tell. Nobody hears of the question. */
  readonly foreseen: (
    command: typeof ProcessCommand.Type
  ) => Effect.Effect<ProcessBackend.Seen | undefined, ProcessError>
}

interface Permitted {
  readonly proof: Proof<Scoped>
  readonly found: ProcessBackend.Pinned
  readonly rest: ProcessBackend.Surroundings
}

const lost = new ProcessError({
  code: "SPAWN_FAILED",
  detail: "the command was lost without its exit; start it again"
})

/**
 * The same over a backend that only starts commands.
 *
 * @since 0.1.0
 * @category combinators
 */
export const served = (
  start: ProcessBackend.Service["start"],
  { found, proof, rest }: Permitted,
  ears: ProcessBackend.Ears
): Effect.Effect<ProcessBackend.Ended, ProcessError> =>
  Effect.gen(function* () {
    const mailbox = yield* Mailbox.make<Uint8Array>()
    let unread = 0
    let ended: ProcessBackend.Ended | undefined
    const stdin = Stream.tap(Mailbox.toStream(mailbox), ({ length }) =>
      Effect.sync(() => {
        unread -= length
      })
    )
    yield* Stream.runForEach(start(proof, found, rest, { stdin }), (event) =>
      Effect.sync(() => {
        if (event._tag === "Stdout") ears.stdout(event.bytes)
        else if (event._tag === "Stderr") ears.stderr(event.bytes)
        else if (event._tag === "Exit") ended = event
        else {
          ears.begun({
            write: (text) => {
              const bytes = bytesOf(text)
              unread += bytes.length
              mailbox.unsafeOffer(bytes)
            },
            unread: () => unread
          })
        }
      })
    )
    return ended ?? (yield* lost)
  })
