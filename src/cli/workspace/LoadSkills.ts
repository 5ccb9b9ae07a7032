/** The skills of a workspace: those of its directory for skills, and the records of class `skill`. */
import { lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Either } from "effect"
import { read as readRecord } from "../../policy/record/RecordText.js"
import * as Skill from "../../policy/skill/Skill.js"
import { CliError } from "../CliError.js"
import { exists, readText } from "../read.js"
import { progress } from "../report/Progress.js"
import type { Surroundings } from "../Surroundings.js"
import { recordFiles } from "./AgentFiles.js"
import type { Workspace } from "./Workspace.js"

export interface Found {
  readonly skill: Skill.Skill
  readonly source: "skills_dir" | "records"
}

/** A skill that is there and not taken, and why. */
export interface Ignored {
  readonly name: string
  readonly file: string
  readonly code: "LINK_IGNORED" | "SKILL_SHADOWED"
  readonly detail: string
}

export interface Loaded {
  /** In the order of names, each of them once. */
  readonly skills: ReadonlyArray<Found>
  readonly ignored: ReadonlyArray<Ignored>
}

export const warningOf = ({ code, detail, file }: Ignored): string =>
  code === "LINK_IGNORED" ? `${file} is ${detail}` : detail

const MARKDOWN = ".md"

const FILE = "SKILL.md"

const unreadable = (file: string, id: string, error: CliError): Skill.Skill => ({
  ...Skill.parse({ file, id, text: "" }),
  problems: [
    {
      line: 1,
      column: 1,
      code: "FILE_UNREADABLE",
      detail: error.message,
      remedy: "write it anew, or let it be read"
    }
  ]
})

/** A file that cannot be read is a broken skill, and no end to the others. */
const skillAt = (file: string, id: string): Skill.Skill => {
  try {
    return Skill.parse({ file, id, text: readText(file, "the file") })
  } catch (error) {
    if (error instanceof CliError) return unreadable(file, id, error)
    throw error
  }
}

const entriesOf = (directory: string) => {
  try {
    return exists(directory) ? readdirSync(directory, { withFileTypes: true }) : []
  } catch {
    throw new CliError(`the skills in ${directory} cannot be read; check skills_dir and who may read it`)
  }
}

type Kind = "file" | "link" | "other"

const kindOf = (path: string): Kind => {
  try {
    const stats = lstatSync(path)
    return stats.isFile() ? "file" : stats.isSymbolicLink() ? "link" : "other"
  } catch {
    return "other"
  }
}

/** A directory with a SKILL.md comes before a file of the same name. */
const inDirectory = (directory: string, ignored: Array<Ignored>): ReadonlyArray<Skill.Skill> => {
  const entries = entriesOf(directory).filter(({ name }) => !name.startsWith("."))
  const skipped = (name: string, file: string) =>
    ignored.push({
      name,
      file,
      code: "LINK_IGNORED",
      detail: "a link, and links to skills are not followed"
    })
  const folders = entries.flatMap((entry) => {
    const file = join(directory, entry.name, FILE)
    if (entry.isSymbolicLink()) skipped(entry.name, join(directory, entry.name))
    if (!entry.isDirectory()) return []
    const kind = kindOf(file)
    if (kind === "link") skipped(entry.name, file)
    return kind === "file" ? [skillAt(file, entry.name)] : []
  })
  const files = entries.flatMap((entry) =>
    entry.isFile() && entry.name.endsWith(MARKDOWN) && entry.name.toUpperCase() !== "README.MD"
      ? [skillAt(join(directory, entry.name), entry.name.slice(0, -MARKDOWN.length))]
      : []
  )
  return [...folders, ...files]
}

const SAYS_SO = /^class:[ \t]*(["']?)skill\1[ \t]*(?:#.*)?\r?$/m

/** What cannot be read as a record, but says that it is a skill, is a broken one. */
const isSkill = (text: string): boolean =>
  // Most records say nothing of skills, and need not be parsed to see it.
  text.includes("skill") &&
  Either.match(readRecord(text), {
    onLeft: () => SAYS_SO.test(text),
    onRight: (record) => record.class === "skill"
  })

const textOf = (file: string): string | undefined => {
  try {
    return readText(file)
  } catch {
    return undefined
  }
}

/** The last word of an id; what is kept as a directory has the name of that. */
const nameOf = (id: string): string => id.replace(/\/SKILL$/, "").replace(/^.*\//, "")

const inRecords = (directory: string, around: Surroundings): ReadonlyArray<Skill.Skill> => {
  const files = recordFiles(directory)
  const shown = progress(around, "reading records", files.length)
  const found = files.flatMap(({ file, id }, index) => {
    shown.at(index)
    const text = textOf(file)
    return text !== undefined && isSkill(text) ? [Skill.parse({ file, text, id: nameOf(id) })] : []
  })
  shown.end()
  return found
}

/** Throws a `CliError` when the directory is there and cannot be read. */
export const loadSkills = ({ recordsDir, skillsDir }: Workspace, around: Surroundings): Loaded => {
  const ignored: Array<Ignored> = []
  const all: ReadonlyArray<Found> = [
    ...inDirectory(skillsDir, ignored).map((skill) => ({ skill, source: "skills_dir" as const })),
    ...inRecords(recordsDir, around).map((skill) => ({ skill, source: "records" as const }))
  ]
  const byName = new Map<string, Found>()
  for (const found of all) {
    const { file, name } = found.skill
    const first = byName.get(name)
    if (first === undefined) byName.set(name, found)
    // The directory of skills may be a part of that of records; a file is one skill even so.
    else if (first.skill.file !== file) {
      ignored.push({
        name,
        file,
        code: "SKILL_SHADOWED",
        detail: `there are two skills '${name}': ${first.skill.file} is used, and ${file} is not`
      })
    }
  }
  return {
    skills: [...byName.values()].sort((a, b) => (a.skill.name < b.skill.name ? -1 : 1)),
    ignored
  }
}
