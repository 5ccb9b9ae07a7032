/** What the doctor looks at, gathered from the workspace and the machine. What cannot be read is told, not thrown. */
import { join, relative } from "node:path"
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
import { type RecordFile, recordsAndLinks } from "../../workspace/AgentFiles.js"
import { agentPlaces } from "../../workspace/LoadAgent.js"
import { personalityNames, readPersonality, type Setting } from "../../workspace/LoadPersonality.js"
import { loadSkills } from "../../workspace/LoadSkills.js"
import type { Refused } from "../../workspace/Modules.js"
import { NAME } from "../../workspace/Workspace.js"
import { serversOf } from "./servers.js"

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

/** What is kept here is meant as an agent, unless it says that it is something else, or is a page about the others. */
const AMONG_AGENTS = /^agents\/(?!(?:.*\/)?readme$)/i

/** Whether a record is surely none of an agent, nor meant as one: most are plain, and seen at a glance. */
const isOther = (id: string, text: string): boolean => {
  const frontMatter = glance(text)
  return (
    frontMatter !== undefined &&
    (!AMONG_AGENTS.test(id) || "class" in frontMatter) &&
    !("capabilities" in frontMatter) &&
    closest(String(frontMatter.class), ["agent"]) === undefined
  )
}

const gather = ({ file, id }: RecordFile, places: AgentRecord.Places): Gathered => {
  try {
    const text = readText(file)
    if (isOther(id, text)) return Either.right(undefined)
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
  const { files, links } = recordsAndLinks(workspace.recordsDir)
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
        links,
        unreadable: wrong
      },
      servers: serversOf(workspace, around),
      real: realPath
    }
  }
}

const FILE = ".yaml"

/** The skills with what is wrong with them; a directory that cannot be read is told, too. */
export const skillsOf = ({ workspace }: Setting, around: Surroundings): Doctor.Skills | undefined => {
  if (workspace === undefined) return undefined
  try {
    const { ignored, skills } = loadSkills(workspace, around)
    return {
      all: skills.map(({ skill }) => skill),
      ignored: ignored.map(({ code, detail, file, name }) => ({
        subject: name,
        file,
        code,
        detail: code === "LINK_IGNORED" ? `it is ${detail}` : detail,
        remedy:
          code === "LINK_IGNORED" ? "put the file itself there, or delete the link" : "rename one of them"
      }))
    }
  } catch (error) {
    return { all: [], ignored: [unreadable("skills", workspace.skillsDir, error)] }
  }
}

/** Where a module is named, and what is wrong with it. */
export const unloadedOf = (
  refused: ReadonlyArray<Refused>,
  { workspace }: Setting
): ReadonlyArray<Doctor.Unreadable> =>
  refused.flatMap(({ error: { message }, file, isDue, line }) => {
    if (isDue === true) return []
    const [detail = message, ...remedy] = message.split("; ")
    return {
      subject: relative(workspace?.root ?? "", file),
      file: join(workspace?.root ?? "", NAME),
      line,
      code: "TOOLS_NOT_LOADED",
      detail: detail.startsWith(`${file} `) ? `it ${detail.slice(file.length + 1)}` : detail,
      remedy: remedy.join("; ") || "mend the module, or take it out of 'tools'"
    }
  })

export const personalitiesOf = (setting: Setting): ReadonlyArray<Doctor.PersonalityFile> => {
  const { workspace } = setting
  if (workspace === undefined) return []
  const directory = join(workspace.root, "personalities")
  return personalityNames(directory).map((name) => {
    const single = join(directory, `${name}${FILE}`)
    const file = exists(single) ? single : join(directory, name, "config.yaml")
    const apart = join(directory, name, "toolset.yaml")
    const toolset = file !== single && exists(apart) ? apart : undefined
    try {
      return { name, file, toolset, read: readPersonality(name, setting) }
    } catch (error) {
      return { name, file, read: Either.left(unreadable(name, file, error)) }
    }
  })
}
