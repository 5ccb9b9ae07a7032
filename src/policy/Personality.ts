/**
 * A personality: what an agent may touch, as its operator writes it in `config.yaml` and `toolset.yaml`. What is not
 * written is not allowed, an empty list is empty, and what cannot be read is an error that names its line: a slip must
 * never widen anything.
 *
 * @since 0.1.0
 */
import { Either, Schema } from "effect"
import * as Authority from "./Authority.js"
import type * as Floor from "./Floor.js"
import { type PersonalityFile, readConfig, readToolset, type Sandbox } from "./internal/personalityFile.js"
import { type Places as PathPlaces, type Root, root } from "./internal/personalityPaths.js"
import * as Scopes from "./internal/personalityScopes.js"
import { type Problem, ProblemCode, sentence } from "./internal/problem.js"
import type { Text } from "./internal/yamlShape.js"
import * as Policy from "./Policy.js"

/**
 * A file that is not a personality. The message is one sentence with the file, the line and the remedy.
 *
 * @since 0.1.0
 * @category errors
 */
export class PersonalityInvalid extends Schema.TaggedError<PersonalityInvalid>(
  "bailiwick/PersonalityInvalid"
)("PersonalityInvalid", {
  file: Schema.String,
  line: Schema.Int,
  column: Schema.Int,
  code: ProblemCode,
  detail: Schema.String,
  remedy: Schema.String
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return sentence(this.file, this)
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Source {
  readonly file: string
  readonly text: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Sources {
  readonly config: Source
  readonly toolset?: Source | undefined
}

/**
 * What `~`, `${CWD}` and `${WORKSPACE}` stand for. `real` gives the real path of one that may be a link; a root then
 * covers both. `guarded` are further trees that no tool may write, and `closed` further trees that none may read.
 * `privateHosts` and `sandbox` are what the workspace says: endpoints that are private and may be, for whoever may
 * reach their hosts, and what holds where the personality says nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface Places extends PathPlaces {
  readonly guarded?: ReadonlyArray<string> | undefined
  readonly closed?: ReadonlyArray<string> | undefined
  readonly privateHosts?: ReadonlyArray<string> | undefined
  readonly sandbox?: Sandbox | undefined
}

/**
 * A directory as it was written, as a path, and where that path leads.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reach {
  readonly written: string
  readonly path: string
  readonly real: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Personality {
  readonly id: string
  readonly description: string | undefined
  /** The tools that may be called; without a list, all of them. */
  readonly toolset: ReadonlyArray<string> | undefined
  readonly reach: { readonly read: ReadonlyArray<Reach>; readonly write: ReadonlyArray<Reach> }
  readonly authority: Authority.Authority
  /** What a tool may get at most of the sections that are absent: commands run only where files may be touched. */
  readonly ceiling: Authority.Authority
  /** The sections that are absent: a tool gets of them what it declares. */
  readonly asDeclared: ReadonlyArray<Policy.Deferred>
  readonly sandbox: Sandbox | undefined
  readonly floor: Floor.Floor
}

type Read<A> = Either.Either<A, Problem>

const at = (text: string): Text => ({ text, line: 1, column: 1 })

const compile = (file: PersonalityFile, places: Places) =>
  Either.gen(function* () {
    const roots = (all: ReadonlyArray<Text>): Read<ReadonlyArray<Root>> =>
      Either.all(all.map((one) => root(one, places)))
    const read = yield* roots(file.read)
    const write = yield* roots(file.write)
    const workdirs = new Set([places.workdir, places.real?.(places.workdir) ?? places.workdir])
    const authority = Authority.make({
      ...(yield* Scopes.network(file.network, (places.privateHosts ?? []).map(at))),
      files: Scopes.files(read, write),
      process: yield* Scopes.processes(file.process ?? [], [...read, ...write], [...workdirs].map(at)),
      secrets: { read: yield* Scopes.secrets(file.secrets ?? []) },
      storage: { use: yield* Scopes.storage(file.storage ?? []) },
      attachments: { read: yield* Scopes.attachments(file.attachments ?? []) }
    })
    const anywhere = yield* Scopes.processes([at("*")], [...read, ...write], [...workdirs].map(at))
    return {
      authority,
      ceiling: Authority.make({ ...Authority.everything.scopes, process: anywhere }),
      reach: { read: read.map(shown), write: write.map(shown) }
    }
  })

const shown = ({ path, real, written }: Root): Reach => ({ written, path, real })

const deferred = ["process", "secrets", "storage", "attachments"] as const

/** The files that a personality is read from, whether they are there or not. */
const sourcesOf = (file: string): ReadonlyArray<string> => {
  const directory = file.slice(0, file.lastIndexOf("/") + 1)
  return file.startsWith("/") ? [file, `${directory}config.yaml`, `${directory}toolset.yaml`] : []
}

const floor = (file: string, { closed = [], guarded = [], home, real, workspace }: Places): Floor.Floor => {
  const own = (...names: ReadonlyArray<string>) =>
    workspace === undefined ? [] : names.map((name) => `${workspace}/${name}`)
  const both = (paths: ReadonlyArray<string>) => [
    ...new Set(paths.flatMap((path) => [path, real?.(path) ?? path]))
  ]
  return {
    homes: home === undefined ? [] : both([home]),
    // Authority is read from these.
    guarded: both([...sourcesOf(file), ...own("bailiwick.yaml", "personalities"), ...guarded]),
    closed: both([...own(".bailiwick", ".env"), ...closed])
  }
}

const invalid =
  (file: string) =>
  ({ code, column, detail, line, remedy }: Problem): PersonalityInvalid =>
    new PersonalityInvalid({ file, line, column, code, detail, remedy })

/**
 * Reads a personality from the text of its files.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parse = (
  { config, toolset }: Sources,
  places: Places
): Either.Either<Personality, PersonalityInvalid> =>
  Either.gen(function* () {
    const inConfig = invalid(config.file)
    const file = yield* Either.mapLeft(readConfig(config.text), inConfig)
    if (toolset !== undefined && file.toolset !== undefined) {
      return yield* Either.left(
        inConfig({
          code: "TOOLSET_TWICE",
          ...file.toolset.at,
          detail: "the toolset is written here and in a file of its own",
          remedy: `keep one: delete 'toolset' here, or ${toolset.file}`
        })
      )
    }
    const names =
      toolset === undefined
        ? file.toolset?.names
        : yield* Either.mapLeft(readToolset(toolset.text), invalid(toolset.file))
    const { authority, ceiling, reach } = yield* Either.mapLeft(compile(file, places), inConfig)
    return Object.freeze({
      id: file.id,
      description: file.description,
      toolset: names,
      reach,
      authority,
      ceiling,
      asDeclared: deferred.filter((section) => file[section] === undefined),
      sandbox: file.sandbox ?? places.sandbox,
      floor: floor(config.file, places)
    })
  })

/**
 * @since 0.1.0
 * @category compiling
 */
export const policy = (personality: Personality): Policy.Policy =>
  Policy.make({ ...personality, personality: personality.id })
