/** Who answers servers in a command: the person at the terminal, one question at a time. No model is at hand to be sampled. */
import { Effect } from "effect"
import { type Answering, Unanswered } from "../../../registry/inquiry/Answering.js"
import type * as Elicitation from "../../../registry/inquiry/Elicitation.js"
import { dialogue } from "../../prompt/Dialogue.js"
import { fillIn } from "../../prompt/Form.js"
import type { Tty } from "../../prompt/Tty.js"
import type { Surroundings } from "../../Surroundings.js"

const BROKEN = new Unanswered({ detail: "the terminal could not be read" })

/** `quietly` keeps other lines off the screen while somebody is asked; its answer lets them on again. */
export const terminalAnswers = (
  { env, interrupt, signal }: Pick<Surroundings, "env" | "interrupt" | "signal">,
  tty: Tty,
  quietly: () => () => void = () => () => {}
): Answering.Service => {
  const alone = Effect.unsafeMakeSemaphore(1)
  const asked = (request: Elicitation.Request, server: string, stop: AbortSignal) => {
    const over = quietly()
    const either = AbortSignal.any([signal, stop])
    return dialogue({ env, signal: either }, tty, (talk) => fillIn(talk, request, server))
      .then((answer) => {
        // Ctrl-C ends the command, as it does everywhere: a server could ask again and again.
        if ("unanswered" in answer && answer.unanswered === "interrupted" && !either.aborted) interrupt?.()
        return answer
      })
      .finally(over)
  }
  return {
    elicitation: (request, { server }) =>
      alone.withPermits(1)(
        Effect.flatMap(
          Effect.tryPromise({ try: (stop) => asked(request, server, stop), catch: () => BROKEN }),
          (answer): Effect.Effect<Elicitation.Answer> => {
            if (!("unanswered" in answer)) return Effect.succeed(answer)
            // The command ends: the server hears of that, and not of an answer.
            return signal.aborted ? Effect.never : Effect.succeed({ action: "cancel" })
          }
        )
      )
  }
}
