/** Whether addresses may be connected to: what a proof says of those that are not public. */
import { Either } from "effect"
import { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import type { Proof } from "../../policy/gate/Proof.js"
import * as Request from "../../policy/lattice/Request.js"
import * as Addresses from "./Addresses.js"
import { neverAllowed, refused } from "./HttpFailures.js"

export type Permitted = Exclude<Addresses.AddressClass, "never">

/** Addresses of one host, all of them looked at, and the worst that any of them is. */
export interface Vetted {
  readonly addresses: ReadonlyArray<string>
  readonly permitted: Permitted
}

export const judged = (
  proof: Proof<Request.Http>,
  addresses: ReadonlyArray<string>,
  own: ReadonlySet<string>
): Either.Either<Vetted, NetworkError> => {
  const { request } = proof
  const classes = addresses.map((address) => Addresses.classify(address, own))
  if (classes.includes("never")) {
    return Either.left(
      neverAllowed(proof, `${request.host} is at an address that is always refused; use another host`)
    )
  }
  if (!classes.includes("private")) return Either.right({ addresses, permitted: "public" })
  return Either.mapBoth(proof.also(Request.connect(request.host, request.port)), {
    onLeft: (refusal) =>
      new NetworkError({
        code: "ADDRESS_NOT_ALLOWED",
        detail: refusal.denial.detail,
        denial: { ...refusal.denial, code: "ADDRESS_NOT_ALLOWED" }
      }),
    onRight: () => ({ addresses, permitted: "private" as const })
  })
}

/** Refuses addresses that anybody may be at, for what only a private endpoint may be sent. */
export const onlyPrivate = (
  proof: Proof<Request.Http>,
  vetted: Vetted
): Either.Either<Vetted, NetworkError> =>
  vetted.permitted === "private"
    ? Either.right(vetted)
    : Either.left(
        refused(
          proof,
          "SEAL_REFUSED",
          `${proof.request.host} is at a public address, and a sealed secret goes there over https; use https`,
          "use https"
        )
      )
