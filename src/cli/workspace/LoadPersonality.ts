/** A personality from its directory or its file, with its roots resolved to what they really are. */

import { readdirSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { Either } from "effect"
import { follow } from "../../layers/node/disk/Links.js"
import * as Personality from "../../policy/personality/Personality.js"
import { closest } from "../../policy/text/Closest.js"
import { quote } from "../../policy/text/Quote.js"
import { CliError } from "../CliError.js"
import { exists, isDirectory, isFile, readText, realPath } from "../read.js"
import type { Workspace } from "./Workspace.js"

export interface Setting {
  readonly cwd: string
  readonly home: string | undefined
  readonly workdir: string
  readonly workspace: Workspace | undefined
  readonly state: string
  /** What commands load as code, closed to who would change it. */
  readonly code: ReadonlyArray<string>
}

const isId = (given: string): boolean => !given.includes("/") && given !== "." && given !== ".."

const FILE = ".yaml"

/** A name in the workspace, or a path: whoever makes one in passing does not shadow the other. */
const pathOf = (given: string, { cwd, workspace }: Setting): string => {
  if (workspace === undefined) return resolve(cwd, given)
  const personalities = join(workspace.root, "personalities")
  const named = join(personalities, given)
  const path = (isId(given) ? [named, `${named}${FILE}`].find(exists) : undefined) ?? resolve(cwd, given)
  const [directory, file] = path.endsWith(FILE)
    ? [path.slice(0, -FILE.length), path]
    : [path, `${path}${FILE}`]
  if (realPath(dirname(path)) === realPath(personalities) && isDirectory(directory) && exists(file)) {
    throw new CliError(
      `the personality ${quote(basename(directory))} is written twice, in ${directory} and in ${file}; delete one of them`
    )
  }
  return path
}

/** The personalities in a directory: a directory and a file of one name are one, written twice. */
export const personalityNames = (directory: string): ReadonlyArray<string> => {
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

interface Found {
  readonly config: string
  readonly toolset?: string
}

const find = (given: string, setting: Setting): Found => {
  const path = pathOf(given, setting)
  if (isDirectory(path)) {
    const toolset = join(path, "toolset.yaml")
    return { config: join(path, "config.yaml"), ...(exists(toolset) ? { toolset } : {}) }
  }
  if (!exists(path)) {
    const { workspace } = setting
    const directory = workspace && join(workspace.root, "personalities")
    const looked =
      directory === undefined ? "there is no workspace here to look in" : `${directory} has none of that name`
    const meant = directory && closest(given, personalityNames(directory))
    const hint = meant === undefined ? "" : `; did you mean '${meant}'?`
    throw new CliError(`there is no personality ${quote(given)}: it is not a path, and ${looked}${hint}`)
  }
  // One of two files alone would be read as if the other said nothing.
  if (["config.yaml", "toolset.yaml"].includes(basename(path))) {
    throw new CliError(
      `--personality takes a directory or a file of all keys, and ${given} is a part of one; write ${dirname(given)}`
    )
  }
  if (path.endsWith(FILE) && isFile(path)) return { config: path }
  throw new CliError(
    `--personality takes a directory with a config.yaml, or a file *${FILE}, and ${given} is not a directory`
  )
}

/** The files that a personality is, or may be, written in. Throws a `CliError` where there is none. */
export const personalityFiles = (given: string, setting: Setting): ReadonlyArray<string> => {
  const { config } = find(given, setting)
  return [config, join(dirname(config), "toolset.yaml")]
}

/** The texts of a personality, and what its paths stand for here. */
export interface OpenedPersonality {
  readonly sources: Personality.Sources
  readonly places: Personality.Places
}

/** Throws a `CliError` where there is nothing to read. */
export const openPersonality = (given: string, setting: Setting): OpenedPersonality => {
  const { config, toolset } = find(given, setting)
  return {
    sources: {
      config: { file: config, text: readText(config) },
      ...(toolset === undefined ? {} : { toolset: { file: toolset, text: readText(toolset) } })
    },
    places: {
      home: setting.home,
      workdir: setting.workdir,
      workspace: setting.workspace?.root,
      real: realPath,
      follow,
      // Agents are records, and what they may do is written there.
      guarded: setting.workspace === undefined ? [] : [setting.workspace.recordsDir],
      closed: [setting.state],
      code: setting.code,
      privateHosts: setting.workspace?.privateHosts,
      sandbox: setting.workspace?.sandbox
    }
  }
}

/** Throws a `CliError` where there is nothing to read. */
export const readPersonality = (
  given: string,
  setting: Setting
): Either.Either<Personality.Personality, Personality.PersonalityInvalid> => {
  const { places, sources } = openPersonality(given, setting)
  return Personality.parse(sources, places)
}

/** Throws a `CliError` with one sentence. */
export const loadPersonality = (given: string, setting: Setting): Personality.Personality =>
  Either.getOrThrowWith(readPersonality(given, setting), (error) => new CliError(error.message))
