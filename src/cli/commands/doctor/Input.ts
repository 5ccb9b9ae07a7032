/** What the doctor looks at, gathered from the workspace and the machine. What cannot be read is told, not thrown. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { Either } from "effect"
import * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import { glance, read } from "../../../policy/record/RecordText.js"
import { closest } from "../../../policy/text/Closest.js"
import type * as Doctor from "../../../registry/doctor/Doctor.js"
import { CliError } from "../../CliError.js"
import { exists, isDirectory, readText, realPath } from "../../read.js"
import { progress } from "../../report/Progress.js"
import type { Surroundings } from "../../Surroundings.js"
import { type RecordFile, recordFiles } from "../../workspace/AgentFiles.js"
import { agentPlaces } from "../../workspace/LoadAgent.js"
import { readPersonality, type Setting } from "../../workspace/LoadPersonality.js"

const unreadable = (subject: string, file: string, error: unknown): Doctor.Unreadable => {
  if (!(error instanceof CliError)) throw error
  const { message } = error
  const detail = message.startsWith(`${file} `) ? `the file ${message.slice(file.length + 1)}` : message
  return { subject, file, code: "FILE_UNREADABLE", detail, remedy: "mend the file, or delete it" }
}

/** Many roots are one: a link is followed once for each. */
const remembering = (real: ((path: string) => string) | undefined): typeof real => {
  if (real === undefined) return undefined
  const known = new Map<string, string>()
  return (path) => {
    const found = known.get(path) ?? real(path)
    known.set(path, found)
    return found
  }
}

type Gathered = Either.Either<AgentRecord.AgentRecord | undefined, Doctor.Unreadable>

/** Whether a record is surely none of an agent, nor meant as one: most are plain, and seen at a glance. */
const isOther = (text: string): boolean => {
  const frontMatter = glance(text)
  return (
    frontMatter !== undefined &&
    !("capabilities" in frontMatter) &&
    closest(String(frontMatter.class), ["agent"]) === undefined
  )
}

const gather = ({ file, id }: RecordFile, places: AgentRecord.Places): Gathered => {
  try {
    const text = readText(file)
    if (isOther(text)) return Either.right(undefined)
    const record = AgentRecord.parse({ file, id, text }, places)
    if (record.class !== undefined) return Either.right(record)
    return Either.mapBoth(read(text), {
      onLeft: ({ code, detail, line, remedy }) => ({ subject: id, file, line, code, detail, remedy }),
      onRight: () => record
    })
  } catch (error) {
    return Either.left(unreadable(id, file, error))
  }
}

/** How many are read before others get their turn, such as whoever wants to stop. */
const BATCH = 256

export interface Records {
  readonly agents: ReadonlyArray<AgentRecord.AgentRecord>
  readonly workspace: Doctor.Workspace | undefined
}

export const recordsOf = async (setting: Setting, around: Surroundings): Promise<Records> => {
  const { workspace } = setting
  if (workspace === undefined) return { agents: [], workspace: undefined }
  const files = recordFiles(workspace.recordsDir)
  const { real, ...others } = agentPlaces(setting)
  const places = { ...others, real: remembering(real) }
  const agents: Array<AgentRecord.AgentRecord> = []
  const wrong: Array<Doctor.Unreadable> = []
  const shown = progress(around, "reading records", files.length)
  try {
    for (const [at, file] of files.entries()) {
      if (at % BATCH === BATCH - 1) {
        shown.at(at)
        await setImmediate()
        around.signal.throwIfAborted()
      }
      const found = gather(file, places)
      if (Either.isLeft(found)) wrong.push(found.left)
      else if (found.right !== undefined) agents.push(found.right)
    }
  } finally {
    shown.end()
  }
  return {
    agents,
    workspace: {
      root: workspace.root,
      records: {
        directory: workspace.recordsDir,
        isThere: isDirectory(workspace.recordsDir),
        files,
        unreadable: wrong
      },
      real: realPath
    }
  }
}

const FILE = ".yaml"

/** A directory and a file of one name are one personality, written twice. */
const namesIn = (directory: string): ReadonlyArray<string> => {
  let entries: ReadonlyArray<string>
  try {
    entries = readdirSync(directory)
  } catch {
    return []
  }
  const names = entries
    .filter((name) => !name.startsWith("."))
    .filter((name) => name.endsWith(FILE) || isDirectory(join(directory, name)))
  return [...new Set(names.map((name) => (name.endsWith(FILE) ? name.slice(0, -FILE.length) : name)))].sort()
}

export const personalitiesOf = (setting: Setting): ReadonlyArray<Doctor.PersonalityFile> => {
  const { workspace } = setting
  if (workspace === undefined) return []
  const directory = join(workspace.root, "personalities")
  return namesIn(directory).map((name) => {
    const single = join(directory, `${name}${FILE}`)
    const file = exists(single) ? single : join(directory, name, "config.yaml")
    try {
      return { name, file, read: readPersonality(name, setting) }
    } catch (error) {
      return { name, file, read: Either.left(unreadable(name, file, error)) }
    }
  })
}
