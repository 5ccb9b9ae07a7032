/** Whether PostgreSQL is there, for workspaces that keep state in it. Nothing is made in it. */
import { Effect } from "effect"
import type * as Doctor from "../../../registry/doctor/Doctor.js"
import { CliError } from "../../CliError.js"
import { lookOf } from "../../database.js"
import type { Surroundings } from "../../Surroundings.js"
import type { Setting } from "../../workspace/LoadPersonality.js"

const WHERE = "PostgreSQL"

export const storedIn = async (
  { workspace }: Setting,
  around: Surroundings
): Promise<Doctor.Stored | undefined> => {
  const key = workspace?.storage
  if (key === undefined) return undefined
  const unreachable = (detail: string): Doctor.Stored => ({
    where: WHERE,
    code: "STORAGE_UNREACHABLE",
    detail
  })
  try {
    const failure = await Effect.runPromise(await lookOf(key, around, workspace?.root), {
      signal: around.signal
    })
    if (failure === undefined) return { where: WHERE }
    const { named, told: detail } = failure
    return named === "no tables" ? { where: WHERE, code: "STORAGE_NOT_READY", detail } : unreachable(detail)
  } catch (error) {
    // The packages may be missing.
    if (error instanceof CliError) return unreachable(error.message)
    throw error
  }
}
