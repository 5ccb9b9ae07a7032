/** `tools mcp remove`: takes a server out of the workspace, and its tools out of the lock. */
import { Either } from "effect"
import * as ServerEdit from "../../../../policy/server/ServerEdit.js"
import * as Manifest from "../../../../registry/manifest/Manifest.js"
import type { ServersCommand } from "../../../Arguments.js"
import { readText } from "../../../read.js"
import { count, marked } from "../../../report/Table.js"
import { terminal } from "../../../report/Terminal.js"
import type { Surroundings } from "../../../Surroundings.js"
import type { Lock } from "../../../workspace/Lock.js"
import { writeFile } from "../../../workspace/WriteFile.js"
import { type Change, conclude, consent, plan, refuse } from "./change.js"
import { entryNamed, foundIn, placeOf } from "./found.js"

/** A lock without the server, if it has it; one that cannot be read is left alone. */
const unlocked = ({ read, text }: Lock, name: string): string | undefined => {
  if (text === undefined || Either.isLeft(read)) return undefined
  const [before, after] = [Manifest.print(read.right), Manifest.print(Manifest.unpin(read.right, name))]
  return before === after ? undefined : after
}

export const remove = async (command: ServersCommand, around: Surroundings): Promise<number> => {
  const place = placeOf(command, around)
  const { file, lock } = place
  const entry = entryNamed(command.server, place)
  const change: Change = { command, around, file }
  const text = readText(file)
  const edited = ServerEdit.remove(text, entry.name)
  if (Either.isLeft(edited)) return refuse(change, `${file} was not changed: ${edited.left}`)
  if (command.dryRun) return plan(change, {}, text, edited.right)
  const { tools } = foundIn(entry, place)
  const refused = await consent(change, {
    lines: [`Remove ${entry.name} (${file}:${entry.line}) and ${count(tools.size, "tool")} of the lock`],
    requires: [],
    question: "Remove it?",
    undone: "nothing was removed"
  })
  if (refused !== undefined) return refused
  const without = unlocked(lock, entry.name)
  writeFile(file, text, edited.right)
  if (without !== undefined) writeFile(lock.file, lock.text, without)
  const seen = terminal({ ...around.stdout, env: around.env })
  const words = `${marked(seen, "good")} Removed ${entry.name} from ${file}${without === undefined ? "" : ` and ${lock.file}`}\n`
  return conclude(change, { outcome: "removed" }, words)
}
