/** Puts a new record where none is, whole or not at all, in the turn of every writer of records. */
import { Effect, Either } from "effect"
import { CliError } from "../CliError.js"
import type { RecordFile } from "./AgentFiles.js"
import type { Workspace } from "./Workspace.js"

const storeIn = async (directory: string) => {
  const [{ store }, { limits }, Reality] = await Promise.all([
    import("../../layers/node/records/DiskStore.js"),
    import("../../layers/node/disk/Limits.js"),
    import("../../layers/node/disk/Reality.js")
  ])
  const verification = process.platform === "linux" ? "descriptor" : "realpath"
  return store({ limits: limits(), reality: Reality.of(verification) }, directory)
}

/** Throws a `CliError`; then nothing was written. */
export const createRecord = async (
  { file, id }: RecordFile,
  text: string,
  { recordsDir }: Workspace,
  signal: AbortSignal
): Promise<void> => {
  const { create } = await storeIn(recordsDir)
  const done = await Effect.runPromise(Effect.either(create(id, text)), { signal })
  if (Either.isRight(done)) return
  const { code, detail } = done.left
  // What the machine does not let be written is no answer to what was asked.
  throw new CliError(`${file} was not created: ${detail}`, code === "RECORDS_FAILED" ? 2 : 1)
}
