/**
 * The refusals of one child. Each is an event of the call, once: who asks again for what was refused is answered as before,
 * and nobody is asked. A child that goes on to ask for other things it may not have is at some time done with the network.
 */
import { Either } from "effect"
import type { Proof, Refusal } from "../../../../policy/gate/Proof.js"
import * as Request from "../../../../policy/lattice/Request.js"
import type { Refused, Unheard } from "./refused.js"

const NOWHERE = "what cannot be asked for"

const tooMany = (most: number): Unheard => ({
  code: "REQUEST_INVALID",
  detail: `${most} different things were refused to the command, so it reaches nothing any more`,
  remedy: "have it ask for less that its policy does not name"
})

type Asked = Either.Either<Proof<Request.Http>, Refusal>

export class Refusals {
  readonly #proof: Proof
  readonly #note: (text: string) => void
  readonly #most: number
  readonly #onTooMany: () => void
  readonly #answers = new Map<string, Refused>()
  readonly #denials = new Map<string, Refusal>()
  readonly #heard = new Set<string>()
  #count = 0

  constructor(proof: Proof, most: number, note: (text: string) => void, onTooMany: () => void) {
    this.#proof = proof
    this.#most = most
    this.#note = note
    this.#onTooMany = onTooMany
  }

  /** Asks what permitted the child to run. What it decides by is all in the summary. */
  asks(made: Request.Made<Request.Http>): Asked {
    const key = Either.match(made, { onLeft: ({ message }) => message, onRight: Request.summary })
    const before = this.#denials.get(key)
    if (before !== undefined) return Either.left(before)
    const asked = this.#proof.asks(made)
    if (Either.isLeft(asked)) {
      this.#denials.set(key, asked.left)
      this.#counted()
    }
    return asked
  }

  /** How something was refused before that is not asked about again. */
  before(asked: string): Refused | undefined {
    return this.#answers.get(asked)
  }

  /** For what is asked in several questions, each of which is heard. */
  remember(asked: string, refused: Refused): void {
    this.#answers.set(asked, refused)
  }

  /** For what others had heard. */
  count(asked: string, refused: Refused): void {
    if (this.#answers.has(asked)) return
    this.remember(asked, refused)
    this.#counted()
  }

  /** Has it heard, if nobody was asked about it, and said in the result. */
  hear({ text, unheard }: Refused): void {
    this.#note(text)
    if (unheard === undefined) return
    const key = `${unheard.asked ?? ""} ${text}`
    if (this.#heard.has(key)) return
    this.#heard.add(key)
    this.#event(unheard)
    this.#counted()
  }

  #event({ asked = NOWHERE, capability = "network", code, detail, remedy }: Unheard): void {
    this.#proof.refuse({ reason: "scope_violation", code, detail, capability, asked, held: [], remedy })
  }

  #counted(): void {
    if (++this.#count !== this.#most) return
    const last = tooMany(this.#most)
    this.#event(last)
    this.#note(`${last.detail}; ${last.remedy}`)
    this.#onTooMany()
  }
}
