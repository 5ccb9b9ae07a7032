/** What the machine has: something that holds children, and secrets by name. */
import { join } from "node:path"
import { Effect, Either, Logger } from "effect"
import { ProcessBackend } from "../../../capabilities/process/ProcessBackend.js"
import { SecretsBackend } from "../../../capabilities/secrets/SecretsBackend.js"
import * as Asking from "../../../policy/gate/Asking.js"
import * as Authority from "../../../policy/lattice/Authority.js"
import * as Request from "../../../policy/lattice/Request.js"
import type * as Doctor from "../../../registry/doctor/Doctor.js"
import { backendsFor } from "../../backends.js"
import type { Surroundings } from "../../Surroundings.js"
import { backendSettings } from "../../workspace/Acting.js"
import type { Setting } from "../../workspace/LoadPersonality.js"

const quietly = <A>(effect: Effect.Effect<A>, around: Surroundings): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, Logger.remove(Logger.defaultLogger)), { signal: around.signal })

/** The layer that would run commands is asked, and starts a sandbox to find out. */
export const platformOf = async (setting: Setting, around: Surroundings): Promise<Doctor.Platform> => {
  const { platform } = process
  const backends = await backendsFor(["process"], backendSettings(setting, around))
  const asked = Effect.flatMap(Effect.serviceOption(ProcessBackend), (found) =>
    found._tag === "None" ? Effect.succeed(undefined) : found.value.holding
  )
  return { platform, holding: await quietly(Effect.provide(asked, backends), around) }
}

/** What programs that were killed left to be cleared up, beside the quarantine of this workspace. */
export const leftoversOf = async ({ state }: Setting): Promise<Doctor.Input["leftovers"]> => {
  const { leftoversIn } = await import("../../../layers/node/sandbox/sweep/Leftovers.js")
  return leftoversIn(join(state, "quarantine"))
}

type Secrets = Pick<Doctor.Input, "hasSecret" | "secretsTrouble">

const asking = (backend: object) =>
  Asking.holder({
    authority: Authority.make({ secrets: Authority.everything.scopes.secrets }),
    tool: "doctor",
    backend
  })

/** Whether there is one; what it is, is not looked at. */
const isThere = (ref: string) =>
  Effect.gen(function* () {
    const backend = yield* Effect.serviceOption(SecretsBackend)
    if (backend._tag === "None") return false
    const proof = Asking.ask(asking(backend.value), Request.secret(ref))
    if (Either.isLeft(proof)) return false
    return yield* Effect.as(backend.value.get(proof.right), true)
  })

export const secretsOf = async (
  refs: ReadonlyArray<string>,
  setting: Setting,
  around: Surroundings
): Promise<Secrets> => {
  if (refs.length === 0) return {}
  const backends = await backendsFor(["secrets"], backendSettings(setting, around))
  let trouble: string | undefined
  const asked = Effect.forEach(refs, (ref) =>
    Effect.catchAll(isThere(ref), ({ code, detail }) =>
      Effect.sync(() => {
        if (code !== "SECRET_NOT_FOUND") trouble ??= detail
        return false
      })
    )
  )
  const answers = await quietly(Effect.provide(asked, backends), around)
  const there = new Set(refs.filter((_, at) => answers[at] === true))
  return { hasSecret: (ref) => there.has(ref), secretsTrouble: trouble }
}
