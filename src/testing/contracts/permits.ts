/**
 * Proofs for the backend under test, and for no other. Here and nowhere else a suite asks for one: what ties a proof to
 * its backend changes this file only.
 */
import { Effect, Exit, Schema } from "effect"
import * as Asking from "../../policy/gate/Asking.js"
import type * as Proof from "../../policy/gate/Proof.js"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Denial } from "../../policy/lattice/Denial.js"
import type * as Request from "../../policy/lattice/Request.js"
import { ContractBroken } from "./contract.js"

/** Who asks. */
export type As = Partial<Pick<Asking.Holder, "sandbox" | "session" | "tool">>

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
  /** What may be seen of many. */
  readonly seeing: <A>(sees: (one: A) => boolean) => (one: A) => boolean
}

export const permitsFor = (backend: object): Permits => {
  const holding = (authority: Authority.Encoded, as: As = {}): Holding => {
    const heard: Array<Denial> = []
    const holder = Asking.holder({
      ...as,
      backend,
      authority: Schema.decodeSync(Authority.FromJson)(authority),
      observe: (decision) => {
        if (!decision.allowed) heard.push(decision.denial)
      }
    })
    return {
      ask: (request) =>
        Effect.orDieWith(
          Effect.suspend(() => Asking.ask(holder, request)),
          ({ denial }) => new Error(`the contract holds no such permit: ${denial.detail}`)
        ),
      heard: () => [...heard]
    }
  }
  return {
    holding,
    ask: (authority, request) => holding(authority).ask(request),
    seeing: (sees) => Asking.sight(backend, sees)
  }
}

/** A backend takes the proofs that were made for it: not one for another, and nothing that only looks like one. */
export const mustTakeOwnProofsOnly = <R extends Request.Request>(
  expected: string,
  proof: Proof.Proof<R>,
  use: (proof: Proof.Proof<R>) => Effect.Effect<unknown, unknown>
): Effect.Effect<void, ContractBroken> => {
  const { request, scope, session, tool } = proof
  const alike: object = { request, scope, session, tool, isFor: () => true }
  // What a careless or a hostile caller passes has no right type.
  const forged = alike as Proof.Proof<R>
  const posing: Proof.Proof<R> = Object.create(Object.getPrototypeOf(proof), {
    isFor: { value: () => true },
    request: { value: request }
  })
  return Effect.forEach(
    [proof.passedTo({}), forged, Object.create(proof), posing],
    (foreign) =>
      Effect.flatMap(Effect.exit(Effect.suspend(() => use(foreign))), (exit) =>
        Exit.isFailure(exit)
          ? Effect.void
          : new ContractBroken({ expected, actual: "success", wanted: "no proof but its own is taken" })
      ),
    { discard: true }
  )
}
