/** What a child is answered instead of what it asked for. */
import { Either } from "effect"
import { type Denial, message } from "../../../../policy/lattice/Denial.js"

/** A refusal of the proxy's own, as an event has it. */
export interface Unheard extends Pick<Denial, "code" | "detail" | "remedy"> {
  /** What was asked for, where that can be said without repeating what a child wrote. */
  readonly asked?: string
  readonly capability?: string
}

/** A status, and one or two sentences. */
export class Refused extends Error {
  constructor(
    readonly status: 400 | 403 | 407 | 502 | 503,
    readonly text: string,
    /** What nobody has heard of yet: who asks a proof is heard already. */
    readonly unheard?: Unheard
  ) {
    super(text)
  }
}

/** One that no proof was asked about: it is said, and heard, with what to do. */
export const refusal = (status: 400 | 403, unheard: Unheard): Refused =>
  new Refused(status, `${message(unheard)}; ${unheard.remedy}.`, unheard)

export const no = (status: 400 | 403, unheard: Unheard): Either.Either<never, Refused> =>
  Either.left(refusal(status, unheard))
