/** From what a server asks to the answer that it gets: without secrets in both directions, and of the form that was asked for. */
import { Effect, Either, Schema } from "effect"
import type { Kind } from "../../policy/server/Inquiry.js"
import { type Answering, Unanswered } from "../../registry/inquiry/Answering.js"
import * as Elicitation from "../../registry/inquiry/Elicitation.js"
import * as Sampling from "../../registry/inquiry/Sampling.js"
import * as WireElicitation from "../inquiry/WireElicitation.js"
import * as WireSampling from "../inquiry/WireSampling.js"
import type { Caller } from "./Caller.js"
import { readable } from "./readable.js"

const validSample = Schema.validateEither(Sampling.Answer)

const validForm = Schema.validateEither(Elicitation.Answer)

const MISFIT = new Unanswered({ detail: "the answer that there is does not fit what was asked for" })

/** Its answer, still to be had. */
export type Answered = (caller: Caller, who: Answering.Who) => Effect.Effect<object, Unanswered>

const sampled = ({ answering, serving }: Caller, request: Sampling.Request, who: Answering.Who) =>
  Effect.flatMap(
    answering?.sampling?.(serving.discreet(request), who) ?? Effect.fail(MISFIT),
    (answer): Either.Either<object, Unanswered> =>
      Either.mapBoth(validSample(answer), {
        onLeft: () => MISFIT,
        onRight: (valid) => WireSampling.writeAnswer(serving.discreet(valid))
      })
  )

const elicited = ({ answering, serving }: Caller, request: Elicitation.Request, who: Answering.Who) => {
  const shown = readable(serving.discreet(request))
  return Effect.flatMap(
    answering?.elicitation?.(shown, who) ?? Effect.fail(MISFIT),
    (answer): Either.Either<object, Unanswered> =>
      Either.flatMap(
        Either.mapLeft(validForm(answer), () => MISFIT),
        (valid) =>
          valid.action === "accept" && Elicitation.misfits(shown, valid.content) !== undefined
            ? Either.left(MISFIT)
            : Either.right(serving.discreet(valid))
      )
  )
}

/** What a server asks, read; or why it is not asked, as a clause. */
export const answeredBy = (kind: Exclude<Kind, "roots">, params: unknown): Either.Either<Answered, string> =>
  kind === "sampling"
    ? Either.map(
        WireSampling.read(params),
        (request): Answered =>
          (caller, who) =>
            sampled(caller, request, who)
      )
    : Either.map(
        WireElicitation.read(params),
        (request): Answered =>
          (caller, who) =>
            elicited(caller, request, who)
      )
