/**
 * What a command of a call would see: the plan that the process layer would carry out, beside what is written of modes
 * and limits. Nothing is started.
 *
 * @since 0.1.0
 */
import { Effect, Either, Option } from "effect"
import { ProcessBackend } from "../../capabilities/process/ProcessBackend.js"
import type { Plan } from "../../policy/confinement/Plan.js"
import * as Asking from "../../policy/gate/Asking.js"
import type { Proof } from "../../policy/gate/Proof.js"
import * as Authority from "../../policy/lattice/Authority.js"
import { capabilities } from "../../policy/lattice/Facets.js"
import * as Request from "../../policy/lattice/Request.js"
import type { Limits, Mode } from "../../policy/Sandbox.js"
import type { Session } from "../execution/Session.js"

/**
 * `mode` is what holds; where nothing is written it is `required`, and `preferred` on a system that has no sandbox.
 * `held` says whether the child would be held here. Where it would not, `why` says why, and the rest is what a held one
 * would see.
 *
 * @since 0.1.0
 * @category models
 */
export interface Confined extends Plan {
  readonly mode: Mode
  readonly held: boolean
  readonly why?: string
  /** The hosts that it may reach, as they are granted. */
  readonly hosts: ReadonlyArray<string>
  readonly limits: Limits
}

export const processesOf = ({ backends }: Session): ProcessBackend.Service | undefined =>
  backends.unsafeMap.get(ProcessBackend.key)

const hostsOf = (authority: Authority.Authority): ReadonlyArray<string> => [
  ...new Set(
    capabilities
      .filter(({ facet }) => facet === "network")
      .flatMap(({ name }) => Authority.shown(authority, name))
  )
]

const isProcess = (proof: Proof): proof is Proof<Request.Scoped> =>
  proof.request._tag === "Scoped" && proof.request.facet === "process"

/** Nothing for a proof of anything but a command, and where no backend can tell. */
export const confinedTo = (session: Session, proof: Proof): Effect.Effect<Confined | undefined> =>
  Effect.gen(function* () {
    const backend = processesOf(session)
    const sees = backend?.sees
    if (backend === undefined || sees === undefined || !isProcess(proof)) return undefined
    const { binary } = ProcessBackend.commandOf(proof)
    const pinned = proof.request.capability === "process.eval" ? backend.pinShell : backend.pin(binary)
    const seen = yield* Effect.option(Effect.flatMap(pinned, (found) => sees(proof, found)))
    if (Option.isNone(seen)) return undefined
    const holding = yield* backend.holding
    const { mode } = proof.held.sandbox
    const settled = mode ?? (holding.held || holding.isExpected ? "required" : "preferred")
    const why = settled === "off" ? "the policy says 'sandbox: off'" : holding.held ? undefined : holding.why
    const { limits, plan } = seen.value
    return {
      mode: settled,
      held: why === undefined,
      ...(why === undefined ? {} : { why }),
      ...plan,
      hosts: hostsOf(proof.held.authority),
      limits
    }
  })

/** What the server of a tool would see, if it is one that is started here. */
export const serverConfined = (
  session: Session,
  name: string,
  holder: Asking.Holder
): Effect.Effect<Confined | undefined> => {
  const { own, requires, starts } = session.plan.registered(name) ?? {}
  if (own === undefined || starts === undefined || requires === undefined || requires === "unknown") {
    return Effect.succeed(undefined)
  }
  const asked = Asking.ask(
    {
      ...holder,
      backend: processesOf(session),
      authority: Authority.join(requires, own),
      observe: () => {},
      log: () => Effect.void,
      lasts: true,
      isAlive: () => true
    },
    Request.exec(starts.argv, starts.cwd)
  )
  if (Either.isLeft(asked)) return Effect.succeed(undefined)
  return Effect.map(
    confinedTo(session, asked.right),
    // It begins in a directory of its own, and no grant says where.
    (seen) => seen && { ...seen, leftOut: seen.leftOut.filter(({ of }) => of !== "command") }
  )
}
