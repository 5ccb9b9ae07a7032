/** Names in a workspace that begin with what is typed. */
import { closeSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import type { Candidate, Looked } from "../../completion/Complete.js"
import type { Surroundings } from "../../Surroundings.js"
import { recordFiles } from "../../workspace/AgentFiles.js"
import { personalityNames } from "../../workspace/LoadPersonality.js"
import { loadSkills } from "../../workspace/LoadSkills.js"
import type { Workspace } from "../../workspace/Workspace.js"

/**
 * A file may have any name, and what a shell completes is put on the command line as it is: a name with a character
 * that some shell reads in its own way is left out.
 */
const SAFE = /^[\p{L}\p{N}_.@/][\p{L}\p{M}\p{N}_.@+/-]*$/u

const AGENT = /^class:[ \t]*(["']?)agent\1[ \t]*(?:#.*)?\r?$/m

const HEAD = 4096

/** By the first lines alone: a glance for somebody who types, and no answer to what the agent holds. */
const isAgent = (file: string): boolean => {
  try {
    const descriptor = openSync(file, "r")
    try {
      const head = Buffer.alloc(HEAD)
      const text = head.toString("utf8", 0, readSync(descriptor, head, 0, HEAD, 0))
      return text.startsWith("---") && AGENT.test(text.split(/^---[ \t]*\r?$/m)[1] ?? "")
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return false
  }
}

/** As many as are looked at: nobody reads a longer list. */
const MOST = 1000

const shortOf = (id: string): string => id.slice(id.lastIndexOf("/") + 1)

const agents = (typed: string, { recordsDir }: Workspace): ReadonlyArray<string> => {
  const all = recordFiles(recordsDir)
  const whole = all.filter(({ id }) => id.startsWith(typed))
  const some = whole.length > 0 ? whole : all.filter(({ id }) => shortOf(id).startsWith(typed))
  const ids = some
    .slice(0, MOST)
    .filter(({ file }) => isAgent(file))
    .map(({ id }) => id)
  return whole.length > 0 ? ids : ids.map(shortOf)
}

const names = (
  kind: Looked,
  typed: string,
  workspace: Workspace,
  around: Surroundings
): ReadonlyArray<string> => {
  switch (kind) {
    case "agents":
      return agents(typed, workspace)
    case "personalities":
      return personalityNames(join(workspace.root, "personalities"))
    case "servers":
      return workspace.servers.map(({ name }) => name)
    case "skills":
      return loadSkills(workspace, around).skills.map(({ skill }) => skill.name)
  }
}

export const candidates = (
  kind: Looked,
  typed: string,
  workspace: Workspace,
  around: Surroundings
): ReadonlyArray<Candidate> =>
  [...new Set(names(kind, typed, workspace, around))]
    .filter((word) => word.startsWith(typed) && SAFE.test(word))
    .map((word) => ({ word, about: "" }))
