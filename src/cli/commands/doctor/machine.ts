/** What the machine has: a program that could hold children, and secrets by name. */
import { accessSync, constants } from "node:fs"
import { isAbsolute, join } from "node:path"
import { Effect, Either, Logger } from "effect"
import { SecretsBackend } from "../../../capabilities/secrets/SecretsBackend.js"
import * as Asking from "../../../policy/gate/Asking.js"
import * as Authority from "../../../policy/lattice/Authority.js"
import * as Request from "../../../policy/lattice/Request.js"
import type * as Doctor from "../../../registry/doctor/Doctor.js"
import { backendsFor } from "../../backends.js"
import { isFile } from "../../read.js"
import type { Surroundings } from "../../Surroundings.js"
import { backendSettings } from "../../workspace/Acting.js"
import type { Setting } from "../../workspace/LoadPersonality.js"

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return isFile(path)
  } catch {
    return false
  }
}

export const platformOf = ({ env }: Surroundings): Doctor.Platform => {
  const { platform } = process
  if (platform === "darwin") {
    const name = "/usr/bin/sandbox-exec"
    return { platform, sandboxBackend: { name, found: isProgram(name) } }
  }
  if (platform !== "linux") return { platform }
  const directories = (env.PATH ?? "").split(":").filter(isAbsolute)
  const found = directories.some((directory) => isProgram(join(directory, "bwrap")))
  return { platform, sandboxBackend: { name: "bwrap", found } }
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
  const answers = await Effect.runPromise(
    asked.pipe(Effect.provide(backends), Effect.provide(Logger.remove(Logger.defaultLogger))),
    { signal: around.signal }
  )
  const there = new Set(refs.filter((_, at) => answers[at] === true))
  return { hasSecret: (ref) => there.has(ref), secretsTrouble: trouble }
}
