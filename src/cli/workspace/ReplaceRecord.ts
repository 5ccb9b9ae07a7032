/** Puts another text into an agent's record. One of the workspace waits for its turn, as every writer of records does. */
import { Effect, Either } from "effect"
import type * as AgentRecord from "../../policy/agent/AgentRecord.js"
import { CliError } from "../CliError.js"
import { realPath } from "../read.js"
import type { Setting } from "./LoadPersonality.js"
import { reasonOf, replaceFile } from "./replaceFile.js"

const turnIn = async (directory: string, id: string) => {
  const [{ LOCKS }, { folder }, { exclusively }, { limits }, Reality] = await Promise.all([
    import("../../layers/node/records/DiskStore.js"),
    import("../../layers/node/records/Folders.js"),
    import("../../layers/node/records/Lock.js"),
    import("../../layers/node/disk/Limits.js"),
    import("../../layers/node/disk/Reality.js")
  ])
  const verification = process.platform === "linux" ? "descriptor" : "realpath"
  const disk = { limits: limits(), reality: Reality.of(verification) }
  return (use: Effect.Effect<void, CliError>) =>
    folder(disk, realPath(directory), [LOCKS], (locks) => exclusively(disk, locks, id, use))
}

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"])

/** Throws a `CliError` as `replaceFile` does. */
export const replaceRecord = async (
  { file, id, text }: AgentRecord.Text,
  after: string,
  { workspace }: Setting,
  signal: AbortSignal
): Promise<void> => {
  if (id === undefined || workspace === undefined) return replaceFile(file, text, after)
  const turn = await turnIn(workspace.recordsDir, id)
  const replace = Effect.try({
    try: () => replaceFile(file, text, after),
    catch: (error) => (error instanceof CliError ? error : new CliError(`${file} was not changed`, 1))
  })
  const done = await Effect.runPromise(Effect.either(turn(replace)), { signal })
  if (Either.isRight(done)) return
  if (done.left instanceof CliError) throw done.left
  const { code } = done.left
  if (code === "BUSY") {
    throw new CliError(`${file} was not changed: other programs write it all the time; try again`, 1)
  }
  throw new CliError(
    FULL.has(code)
      ? `${file} was not changed: ${reasonOf(code)}`
      : `${file} was not changed: the records cannot be locked (${code}); see who may write ${workspace.recordsDir}`
  )
}
