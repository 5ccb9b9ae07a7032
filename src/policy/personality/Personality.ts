/**
 * A personality: what an agent may touch, as its operator writes it, in `config.yaml` and `toolset.yaml` of a
 * directory or in a single file. It allows only what is written, and an empty list allows nothing. A file that cannot
 * be read is an error that names its line: a slip must never widen anything.
 *
 * @since 0.1.0
 */
import { Either, Schema } from "effect"
import * as Floor from "../gate/floor/Floor.js"
import type * as Authority from "../lattice/Authority.js"
import type { Capability } from "../lattice/Facets.js"
import { lazy } from "../Memo.js"
import * as Policy from "../Policy.js"
import * as Sandbox from "../Sandbox.js"
import type * as Written from "../Source.js"
import { type Problem, ProblemCode, sentence } from "../text/Problem.js"
import { authorityOf, ceilingOf, groundsOf, sourcesOf } from "./authority.js"
import { readConfig, readToolset } from "./file.js"
import type { Root, Variables } from "./paths.js"

/**
 * Says that a file is not a personality. The message is one sentence with the file, the line and the remedy.
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
 * The texts of a personality. A personality that is a single file has it as its `config`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sources {
  readonly config: Source
  readonly toolset?: Source | undefined
}

/**
 * The places that a personality speaks of. `home`, `workdir` and `workspace` are what `~`, `${CWD}` and
 * `${WORKSPACE}` stand for. `real` gives the real path of one that may be a link; a root then covers both. `follow`
 * tells the links on the way, so that no tool replaces one. No tool may write the trees of `guarded` and of `code`, which a
 * command loads, and none may read those of `closed`.
 *
 * `privateHosts` and `sandbox` come from the workspace. `privateHosts` are private endpoints that a tool may connect
 * to if it may reach their hosts. Of `sandbox` and what the personality says, the strictest mode holds, and the lower of
 * every limit.
 *
 * @since 0.1.0
 * @category models
 */
export interface Places extends Variables {
  readonly follow?: Floor.Surroundings["follow"]
  readonly guarded?: ReadonlyArray<string> | undefined
  readonly closed?: ReadonlyArray<string> | undefined
  readonly code?: ReadonlyArray<string> | undefined
  readonly privateHosts?: ReadonlyArray<string> | undefined
  readonly sandbox?: Sandbox.Given | undefined
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
  /** The plugins and the MCP servers whose tools may be called; without a list, as the toolset says. */
  readonly plugins: ReadonlyArray<string> | undefined
  readonly servers: ReadonlyArray<string> | undefined
  readonly reach: { readonly read: ReadonlyArray<Reach>; readonly write: ReadonlyArray<Reach> }
  readonly authority: Authority.Authority
  /** The capabilities that are granted, even with an empty scope. */
  readonly mentioned: ReadonlyArray<Capability>
  /** The most that a tool gets of the sections that are absent: commands run only where files may be touched. */
  readonly ceiling: Authority.Authority
  /** The sections that are absent. A tool gets what it declares of them. */
  readonly asDeclared: ReadonlyArray<Policy.Deferred>
  /** How its children are held, as far as it is written: here or in the workspace. */
  readonly sandbox: Sandbox.Mode | undefined
  readonly limits: Sandbox.Limits
  readonly floor: Floor.Floor
  /** Every entry that allows something, with its line. */
  readonly sources: ReadonlyArray<Written.Source>
  /** Where a further entry would be written. */
  readonly place: Written.Place
}

/** As they are written: where a link leads was named by nobody. */
const namedBy = ({ reach }: Personality): Floor.Lifted => {
  const paths = reach.write.map(({ path }) => path)
  return { write: paths, delete: paths }
}

const shown = ({ path, real, written }: Root): Reach => ({ written, path, real })

const deferred = ["process", "secrets", "storage", "attachments"] as const

const invalid =
  (file: string) =>
  ({ code, column, detail, line, remedy }: Problem): PersonalityInvalid =>
    new PersonalityInvalid({ file, line, column, code, detail, remedy })

/**
 * Reads a personality from the text of its files. It is pure: `places` says what `~` and `${CWD}` stand for. A slip,
 * such as an unknown key or a string where a list belongs, is a `PersonalityInvalid` with its line and its remedy.
 *
 * @example
 * ```ts
 * import { Personality } from "bailiwick"
 * import { Either } from "effect"
 *
 * const config = { file: "config.yaml", text: "id: reader\nfs_reech: { read: [/work] }" }
 * const parsed = Personality.parse({ config }, { workdir: "/work" })
 * if (Either.isLeft(parsed)) console.log(parsed.left.message)
 * ```
 *
 * ```text output
 * KEY_UNKNOWN: config.yaml:2:1 'fs_reech' is not a key of a personality; write 'fs_reach'
 * ```
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
    const grounds = yield* Either.mapLeft(groundsOf(file, places), inConfig)
    const authority = yield* Either.mapLeft(authorityOf(file, grounds, places), inConfig)
    const ceiling = yield* Either.mapLeft(ceilingOf(grounds), inConfig)
    const held = Sandbox.meet(file.sandbox ?? Sandbox.unwritten, Sandbox.from(places.sandbox))
    const sources = lazy(() => sourcesOf(config.file, file, grounds))
    return Object.freeze<Personality>({
      id: file.id,
      description: file.description,
      toolset: names,
      plugins: file.plugins?.names,
      servers: file.servers?.names,
      reach: { read: grounds.read.map(shown), write: grounds.write.map(shown) },
      authority,
      mentioned: [...new Set(file.grants.map(({ compiled }) => compiled.capability))],
      ceiling,
      asDeclared: deferred.filter(
        (section) =>
          file[section] === undefined ||
          // With a word on sealing that changes nothing, and no list.
          (section === "secrets" && file.secrets?.allow === undefined && file.secrets?.sealed === undefined)
      ),
      sandbox: held.mode,
      limits: held.limits,
      floor: Floor.around(config.file, places),
      place: { file: config.file, line: 1 },
      get sources() {
        return sources()
      }
    })
  })

/**
 * Reads a personality as `parse` does, and throws the `PersonalityInvalid`, so that its message is what a program ends
 * with. `Either.getOrThrow` would throw an error of its own, which says nothing of the problem.
 *
 * @example
 * ```ts
 * import { Personality } from "bailiwick"
 *
 * const config = { file: "config.yaml", text: "id: reader\nfs_reech: { read: [/work] }" }
 * try {
 *   Personality.parseSync({ config }, { workdir: "/work" })
 * } catch (problem) {
 *   console.log(String(problem))
 * }
 * ```
 *
 * ```text output
 * PersonalityInvalid: KEY_UNKNOWN: config.yaml:2:1 'fs_reech' is not a key of a personality; write 'fs_reach'
 * ```
 *
 * @since 0.1.0
 * @category parsing
 */
export const parseSync = (sources: Sources, places: Places): Personality =>
  Either.getOrThrowWith(parse(sources, places), (problem) => problem)

/**
 * Makes the policy that a turn runs under. Its `sources` are the entries that allow something, each with its line.
 *
 * @example
 * ```ts
 * import { Personality } from "bailiwick"
 *
 * const config = { file: "config.yaml", text: "id: reader\nfs_reach: { read: [/work] }" }
 * const personality = Personality.parseSync({ config }, { workdir: "/work" })
 * for (const { line, written } of Personality.policy(personality).sources) console.log(`line ${line}: ${written}`)
 * ```
 *
 * ```text output
 * line 2: fs_reach.read: /work
 * ```
 *
 * @since 0.1.0
 * @category compiling
 */
export const policy = (personality: Personality): Policy.Policy =>
  Policy.make({
    personality: personality.id,
    toolset: personality.toolset,
    plugins: personality.plugins,
    servers: personality.servers,
    authority: personality.authority,
    mentioned: personality.mentioned,
    ceiling: personality.ceiling,
    asDeclared: personality.asDeclared,
    sandbox: { mode: personality.sandbox, limits: personality.limits },
    floor: personality.floor,
    named: namedBy(personality),
    sources: () => personality.sources,
    place: personality.place
  })
