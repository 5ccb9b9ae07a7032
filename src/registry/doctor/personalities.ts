/** Personalities: that they can be read, and leave something closed. */
import { Either } from "effect"
import type { Finding, PersonalityFile } from "./Model.js"
import { anything } from "./probes.js"
import { type Check, personalitiesOf, type ReadPersonality, some } from "./subjects.js"

const unreadable = ({ file, name, read }: PersonalityFile): ReadonlyArray<Finding> => {
  if (Either.isRight(read)) return []
  const { code, detail, line, remedy } = read.left
  return [
    {
      severity: "failure",
      check: "personalities",
      subject: name,
      code,
      file: read.left.file === "" ? file : read.left.file,
      line,
      detail,
      remedy
    }
  ]
}

export const personalities: Check = {
  name: "personalities",
  passed: ({ personalities: all }) =>
    all.length === 0
      ? undefined
      : `${some(all.length, "personality", "personalities")}, all of them readable`,
  findings: ({ personalities: all }) => all.flatMap(unreadable)
}

const wide = ({ file, personality }: ReadPersonality): ReadonlyArray<Finding> => {
  const { authority, id, sources } = personality
  const open = anything.filter(({ isOpen }) => isOpen(authority))
  if (open.length === 0) return []
  const all = open.length === anything.length
  const list = open.map(({ what }) => what).join(", ")
  const first = sources.find((source) => open.some(({ isOpen }) => isOpen(source.authority)))
  return [
    {
      severity: "warning",
      check: "wide open",
      subject: id,
      code: all ? "ALLOWS_EVERYTHING" : "WIDE_OPEN",
      file: first?.file ?? file.file,
      line: first?.line,
      detail: all ? `it allows everything: ${list}` : `it leaves wide open: ${list}`,
      remedy: "name what it is for: hosts, directories, commands"
    }
  ]
}

export const wideOpen: Check = {
  name: "wide open",
  passed: (input) =>
    personalitiesOf(input).length === 0 ? undefined : "every personality leaves something closed",
  findings: (input) => personalitiesOf(input).flatMap(wide)
}
