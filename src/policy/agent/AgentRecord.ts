/**
 * An agent as its operator writes it: a Markdown record whose front matter says what it holds. A record always loads.
 * A mistake in it grants nothing, and becomes a warning with its line and its remedy.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import type { Floor } from "../gate/floor/Floor.js"
import * as Catalog from "../grant/Catalog.js"
import * as Grant from "../grant/Grant.js"
import type { Root } from "../grant/Roots.js"
import * as Authority from "../lattice/Authority.js"
import type { Capability, Scopes } from "../lattice/Facets.js"
import * as Glob from "../lattice/Glob.js"
import * as Policy from "../Policy.js"
import type { Source } from "../Source.js"
import { deception } from "../text/Lookalike.js"
import { quote } from "../text/Quote.js"
import { type AgentFile, type Warning as FileWarning, readAgentFile } from "./AgentFile.js"
import { type AgentPlaces, boundOf, type Entry, entriesOf } from "./entries.js"
import { identify } from "./identify.js"

/**
 * The places that the paths of a record stand for. `home` is `~`. `sandbox` is the root that the workspace gives to
 * all agents, and no agent reaches beyond it. `real` gives the real path of one that may be a link.
 *
 * @since 0.1.0
 * @category models
 */
export interface Places extends AgentPlaces {}

/**
 * A mistake: what is wrong, where, and what to write instead.
 *
 * @since 0.1.0
 * @category models
 */
export interface Warning extends FileWarning {}

/**
 * A grant that the agent holds, written as such or as a shorthand.
 *
 * @since 0.1.0
 * @category models
 */
export interface Held {
  readonly grant: Grant.Grant
  /** The grant with the root that applies to it. */
  readonly effective: Grant.Grant
  readonly from: Entry["from"]
  readonly line: number
  /** Why the grant gives nothing, if it gives nothing. */
  readonly inert: Grant.Inert | undefined
  /** @internal */
  readonly compiled: Grant.Compiled
}

/**
 * @since 0.1.0
 * @category models
 */
export interface AgentRecord {
  readonly id: string
  readonly file: string
  /** The class of the record. Only a record of class `agent` holds anything. */
  readonly class: string | undefined
  readonly title: string | undefined
  readonly body: string
  readonly held: ReadonlyArray<Held>
  /** The root of the agent itself, after the workspace has narrowed it. */
  readonly root: string | undefined
  /** Which of the three keys that give authority are written. */
  readonly written: { readonly capabilities: boolean; readonly access: boolean; readonly sandbox: boolean }
  /** Those of the three that are written with nothing after them. */
  readonly empty: AgentFile["empty"]
  /** The line that a further grant is written at. */
  readonly line: number
  readonly authority: Authority.Authority
  /** The capabilities that the record names, even without any scope. */
  readonly mentioned: ReadonlySet<Capability>
  readonly warnings: ReadonlyArray<Warning>
  /** @internal */
  readonly bound: Root | undefined
}

/**
 * The text of a record. `id` is the id under which the record is kept. Without it, the record names its own.
 *
 * @since 0.1.0
 * @category models
 */
export interface Text {
  readonly file: string
  readonly text: string
  readonly id?: string | undefined
}

/** How many hosts, paths and commands the grants of one record may name: compiling costs as much as they name. */
const MOST = 500_000

const compile = (
  entries: ReadonlyArray<Entry>,
  places: Grant.Places,
  warnings: Array<Warning>
): ReadonlyArray<Held> => {
  const held = new Map<string, Held>()
  let given = 0
  for (const { from, grant, line } of entries) {
    const compiled = Grant.compile(grant, places)
    if (Either.isLeft(compiled)) {
      const { code, detail, remedy } = compiled.left
      warnings.push({ line, column: 1, code, detail, remedy })
      continue
    }
    const { effective, inert, narrowed, piece } = compiled.right
    given += piece.alternatives.length + piece.hosts.length
    if (given > MOST) {
      warnings.push({
        line,
        column: 1,
        code: "FILE_TOO_LARGE",
        detail: `the grants up to '${grant.name}' name more than ${MOST} things, and this one is left out`,
        remedy: "write patterns instead of every single thing"
      })
      continue
    }
    if (narrowed !== undefined) {
      warnings.push({
        line,
        column: 1,
        code: "ROOT_CLAMPED",
        detail: `'in' of '${grant.name}' is ${quote(narrowed.from)}, wider than ${quote(narrowed.to)}: it is clamped to that, because a root can only narrow`,
        remedy: `write 'in' below ${narrowed.to}`
      })
    }
    const key = Grant.keyOf(effective)
    if (!held.has(key)) held.set(key, { grant, effective, from, line, inert, compiled: compiled.right })
  }
  return [...held.values()]
}

/**
 * Reads an agent's record. It never fails: a mistake grants nothing and becomes a warning. `held` lists the grants,
 * and `authority` is what they give together.
 *
 * @example
 * ```ts
 * import { AgentRecord, Authority } from "bailiwick"
 *
 * const text = "---\nclass: agent\ncapabilities: ['fs.read{in=~/notes}', records.crate]\n---\nYou keep notes.\n"
 * const scribe = AgentRecord.parse({ id: "agents/scribe", file: "scribe.md", text }, { home: "/home/me" })
 * for (const line of Authority.describe(scribe.authority)) console.log(line)
 * for (const warning of scribe.warnings) console.log(AgentRecord.message(scribe.file, warning))
 * ```
 *
 * ```text output
 * may read /home/me/notes/
 * CAPABILITY_UNKNOWN: scribe.md:3:39 unknown capability 'records.crate'; did you mean 'records.create'?
 * ```
 *
 * @since 0.1.0
 * @category parsing
 */
export const parse = (source: Text, places: Places): AgentRecord =>
  fromFile(readAgentFile(source.text), source, places)

/** @internal */
export const fromFile = (file: AgentFile, source: Text, places: Places): AgentRecord => {
  const warnings = [...file.warnings]
  const id = identify(source.id, file, warnings)
  const bound = boundOf(id, file, places)
  warnings.push(...bound.warnings)
  const isAgent = file.class === "agent" && deception(id) === undefined
  const entries = isAgent ? entriesOf(file, bound) : []
  const held = compile(entries, { ...places, bound: bound.root }, warnings)
  const names = [
    ...entries.map(({ grant }) => grant.name),
    ...(isAgent ? file.misspelt : []).map(({ name }) => name)
  ]
  return {
    id,
    file: source.file,
    class: file.class,
    title: file.title,
    body: file.body,
    held,
    root: bound.root?.path,
    bound: bound.root,
    written: {
      capabilities: file.capabilities !== undefined,
      access: file.access !== undefined,
      sandbox: file.sandbox !== undefined
    },
    empty: file.empty,
    line: file.line,
    authority: Grant.authority(held.map(({ compiled }) => compiled)),
    mentioned: new Set(names.flatMap((name) => Catalog.spokenOf(name))),
    warnings
  }
}

/**
 * The authority that one grant of a record gives by itself.
 *
 * @since 0.1.0
 * @category compiling
 */
export const authorityOf = ({ compiled }: Held): Authority.Authority => Grant.authority([compiled])

/**
 * A warning as one line, with its place in front as editors read it.
 *
 * @since 0.1.0
 * @category printing
 */
export const message = (file: string, { code, column, detail, line, remedy }: Warning): string =>
  `${code}: ${file}:${line}:${column} ${detail}; ${remedy}`

/**
 * @since 0.1.0
 * @category models
 */
export interface PolicyOptions {
  readonly floor?: Floor | undefined
  /** How its workspace has children held: a mode, or `{ mode, limits }`. The record itself says only where. */
  readonly sandbox?: Policy.Options["sandbox"]
  /** The private endpoints that a tool may connect to, if it may reach their hosts. */
  readonly private?: Scopes["private"] | undefined
}

/** The paths that its grants name, and do not match by a pattern. */
const namedBy = (held: ReadonlyArray<Held>, capability: Capability): ReadonlyArray<string> =>
  held
    .filter(({ compiled }) => compiled.capability === capability)
    .flatMap(({ compiled }) => compiled.piece.alternatives.flatMap((one) => one.path ?? []))
    .flatMap((glob) => {
      const segments = Glob.literally(glob)
      return segments === undefined ? [] : [`/${segments.join("/")}`]
    })

/**
 * Makes the policy that a turn of this agent runs under: what its record grants, and nothing else.
 *
 * @example
 * ```ts
 * import { AgentRecord, Turn } from "bailiwick"
 *
 * const text = "---\nclass: agent\naccess: r\n---\nYou read records.\n"
 * const reader = AgentRecord.parse({ id: "agents/reader", file: "reader.md", text }, {})
 *
 * export const turn = Turn.make({ session: "s1", policy: AgentRecord.policy(reader), workdir: "/work" })
 * ```
 *
 * @since 0.1.0
 * @category compiling
 */
export const policy = (record: AgentRecord, options: PolicyOptions = {}): Policy.Policy => {
  const { authority, file, held, id, mentioned } = record
  return Policy.make({
    agent: id,
    authority:
      options.private === undefined
        ? authority
        : Authority.make({ ...authority.scopes, private: options.private }),
    mentioned,
    floor: options.floor,
    named: { write: namedBy(held, "files.write"), delete: namedBy(held, "files.delete") },
    sandbox: options.sandbox,
    place: { file, line: record.line },
    sources: held.map(
      ({ compiled, effective, line }): Source => ({
        file,
        line,
        written: Grant.print(effective),
        capability: compiled.capability,
        get authority() {
          return Grant.authority([compiled])
        }
      })
    )
  })
}
