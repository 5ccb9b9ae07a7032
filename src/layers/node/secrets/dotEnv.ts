/** A file of variables, read again when it has changed. */
import { stat } from "node:fs/promises"
import { type ConfigProvider, Effect, Either } from "effect"
import type { SecretsError } from "../../../capabilities/secrets/SecretsOperations.js"
import { failed } from "./backend.js"
import { parseDotEnv } from "./parseDotEnv.js"
import { codeOf, FLAGS, Refused, textOf, using } from "./reading.js"
import { providerOf } from "./variables.js"

const MAX_BYTES = 1_048_576

interface Stamp {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

const stampOf = ({ ctimeNs, dev, ino, mtimeNs, size }: Stamp): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(":")

interface Loaded {
  readonly stamp: string
  readonly open: boolean
  readonly provider: ConfigProvider.ConfigProvider
}

const inWords = (error: unknown): SecretsError => {
  if (error instanceof Refused) return failed(`the file of variables ${error.message}`)
  const code = codeOf(error)
  return failed(
    code === "ENOENT"
      ? "the file of variables is not there; create it, or take it out of the configuration"
      : code === "EACCES" || code === "EPERM"
        ? "this user may not read the file of variables; give it the file"
        : "the file of variables could not be read"
  )
}

const read = (file: string): Promise<Loaded> =>
  using(file, FLAGS, async (handle) => {
    const found = await handle.stat({ bigint: true })
    const parsed = parseDotEnv(await textOf(handle, MAX_BYTES))
    if (Either.isLeft(parsed))
      throw new Refused(`cannot be read: line ${parsed.left.line}: ${parsed.left.detail}`)
    return {
      stamp: stampOf(found),
      open: (found.mode & 0o077n) !== 0n,
      provider: providerOf(parsed.right)
    }
  })

/** The variables as they are now. What cannot be read has none: not those of before. */
export const variablesIn = (file: string): Effect.Effect<ConfigProvider.ConfigProvider, SecretsError> => {
  let last: Loaded | undefined
  let warned = false
  const warn = Effect.suspend(() => {
    if (warned) return Effect.void
    warned = true
    return Effect.logWarning(
      "NodeSecrets.layerDotEnv: others than its owner may read the file of variables; run chmod 600 on it"
    )
  })
  const current = async (): Promise<Loaded> => {
    const known = last
    last = undefined
    const stamp = stampOf(await stat(file, { bigint: true }))
    last = known?.stamp === stamp ? known : await read(file)
    return last
  }
  return Effect.tryPromise({ try: current, catch: inWords }).pipe(
    Effect.tap((read) => (read.open ? warn : Effect.void)),
    Effect.map((read) => read.provider)
  )
}
