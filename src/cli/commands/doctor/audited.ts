/** What the audit log says of tools, for the doctor: of the last days, and no more than it can read while somebody waits. */
import { ToolUses } from "../../../audit/suggest/ToolUse.js"
import type * as Doctor from "../../../registry/doctor/Doctor.js"
import { CliError } from "../../CliError.js"
import { isDirectory } from "../../read.js"
import type { Surroundings } from "../../Surroundings.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { directoryIn, placeOf, readLog } from "../audit/Log.js"

const DAYS = 30
const DAY = 86_400_000
const MOST = 200_000

/** Nothing where there is no log, or where it cannot be read: 'bailiwick audit' says why. */
export const auditedIn = async (
  setting: Setting,
  around: Surroundings
): Promise<Doctor.Audited | undefined> => {
  const isElsewhere = setting.workspace?.storage?.audit === true
  if (!isElsewhere && !isDirectory(directoryIn(setting))) return undefined
  const since = Date.now() - DAYS * DAY
  const uses = new ToolUses()
  let entries = 0
  try {
    await readLog(
      { from: await placeOf(setting, around), nameOf: (file) => file, setting },
      around,
      { since, most: MOST + 1, isQuiet: true },
      (some) => {
        for (const entry of some) {
          entries += 1
          if (entries <= MOST) uses.add(entry)
        }
      }
    )
  } catch (error) {
    if (error instanceof CliError) return undefined
    throw error
  }
  if (entries === 0) return undefined
  return {
    since: new Date(since).toISOString(),
    entries: Math.min(entries, MOST),
    isCut: entries > MOST,
    tools: uses.tools
  }
}
