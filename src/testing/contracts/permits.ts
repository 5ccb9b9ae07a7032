/**
 * Proofs for the backend under test, and for no other. Here and nowhere else a suite asks for one: what ties a proof to
 * its backend changes this file only.
 */
import { Effect, Schema } from "effect"
import * as Proof from "../../policy/gate/Proof.js"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Denial } from "../../policy/lattice/Denial.js"
import type * as Request from "../../policy/lattice/Request.js"

/** Who asks. */
export type As = Partial<Pick<Proof.Holder, "session" | "tool">>

/** Somebody who holds an authority. */
export interface Holding {
  /** Dies where the authority does not hold it: then the case is wrong, and not the backend. */
  readonly ask: <R extends Request.Request>(request: Request.Made<R>) => Effect.Effect<Proof.Proof<R>>
  /** The refusals that were heard since, of the gate and of the backend. */
  readonly heard: () => ReadonlyArray<Denial>
}

export interface Permits {
  readonly holding: (authority: Authority.Encoded, as?: As) => Holding
  readonly ask: <R extends Request.Request>(
    authority: Authority.Encoded,
    request: Request.Made<R>
  ) => Effect.Effect<Proof.Proof<R>>
}

export const permitsFor = (_backend: object): Permits => {
  const holding = (authority: Authority.Encoded, as: As = {}): Holding => {
    const heard: Array<Denial> = []
    const holder = Proof.holder({
      ...as,
      authority: Schema.decodeSync(Authority.FromJson)(authority),
      observe: (decision) => {
        if (!decision.allowed) heard.push(decision.denial)
      }
    })
    return {
      ask: (request) =>
        Effect.orDieWith(
          Effect.suspend(() => Proof.ask(holder, request)),
          ({ denial }) => new Error(`the contract holds no such permit: ${denial.detail}`)
        ),
      heard: () => [...heard]
    }
  }
  return { holding, ask: (authority, request) => holding(authority).ask(request) }
}
