/** From grants to the lattice. */
import { Either } from "effect"
import * as Authority from "../lattice/Authority.js"
import * as Command from "../lattice/dimensions/Command.js"
import { agentId, recordPath } from "../lattice/dimensions/Id.js"
import { attachmentKind, providerTool, recordClass, storageScope } from "../lattice/dimensions/Name.js"
import { type Capability, capabilityOf } from "../lattice/Facets.js"
import type * as Glob from "../lattice/Glob.js"
import type * as Host from "../lattice/Host.js"
import { HostSet } from "../lattice/HostSet.js"
import type { ScopeInvalid } from "../lattice/ScopeInvalid.js"
import { type Constraints, ScopeSet } from "../lattice/ScopeSet.js"
import { getOrSet } from "../Memo.js"
import { quote } from "../text/Quote.js"
import * as Catalog from "./Catalog.js"
import { type Anchors, below, type Root, spellings } from "./Roots.js"
import {
  type GrantReading,
  hostPatterns,
  invalid,
  refPattern,
  type Scope,
  type Written,
  wrong
} from "./scope.js"

/** What one grant gives: alternatives of one capability. */
export interface Piece {
  readonly capability: Capability
  readonly hosts: ReadonlyArray<Host.HostPattern>
  readonly alternatives: ReadonlyArray<Constraints>
}

const each = <A>(
  texts: ReadonlyArray<string> | undefined,
  parse: (text: string) => Either.Either<A, ScopeInvalid>
): GrantReading<ReadonlyArray<A>> =>
  Either.mapLeft(Either.all((texts ?? []).map(parse)), invalid("SCOPE_VALUE_INVALID"))

/** What is not written is free; what is written empty matches nothing. */
const free: ReadonlyArray<Constraints> = [{}]

const along =
  (dimension: string) =>
  (glob: Glob.Glob): Constraints => ({ [dimension]: [glob] })

/** How many alternatives one grant may give: lists that are multiplied out cost what they give. */
const MOST = 10_000

const product = (a: ReadonlyArray<Constraints>, b: ReadonlyArray<Constraints>): ReadonlyArray<Constraints> =>
  a.flatMap((one) => b.map((other) => ({ ...one, ...other })))

const files = (scope: Scope, root: Root, places: Anchors): GrantReading<ReadonlyArray<Constraints>> =>
  Either.map(
    scope.paths === undefined
      ? Either.right([spellings(root)])
      : Either.all(scope.paths.map((path) => below(root, path, places))),
    (globs) => globs.flat().map(along("path"))
  )

/** A command by name or by pattern: either may allow. */
const commands = ({ cmds, patterns }: Scope, root: Root): GrantReading<ReadonlyArray<Constraints>> =>
  Either.gen(function* () {
    const named = yield* each(cmds, Command.parseName)
    const matched = yield* each(patterns, Command.argv.parse)
    const argv =
      cmds === undefined && patterns === undefined ? free : [...named, ...matched].map(along("argv"))
    return product(argv, spellings(root).map(along("in")))
  })

const records = ({ classes, paths }: Scope): GrantReading<ReadonlyArray<Constraints>> =>
  Either.gen(function* () {
    if ((classes?.length ?? 1) * (paths?.length ?? 1) > MOST) {
      return yield* wrong(
        "SCOPE_VALUE_INVALID",
        `'classes' times 'paths' are more than ${MOST} pairs`,
        "write patterns instead of every single one, or several grants"
      )
    }
    const ofClass = yield* each(classes, recordClass.parse)
    const ofPath = yield* each(paths, recordPath.parse)
    return product(
      classes === undefined ? free : ofClass.map(along("class")),
      paths === undefined ? free : ofPath.map(along("path"))
    )
  })

const agents = ({ id, ids, paths }: Scope): GrantReading<ReadonlyArray<Constraints>> => {
  const all = [id === undefined ? undefined : [id], ids, paths]
  return all.every((given) => given === undefined)
    ? Either.right(free)
    : Either.map(
        each(
          all.flatMap((given) => given ?? []),
          agentId.parse
        ),
        (globs) => globs.map(along("id"))
      )
}

/** What is not named is not given: the bare form of these gives nothing. */
const listed = (
  dimension: string,
  texts: ReadonlyArray<string> | undefined,
  parse: (text: string) => Either.Either<Glob.Glob, ScopeInvalid>
): GrantReading<ReadonlyArray<Constraints>> =>
  Either.map(each(texts, parse), (globs) => globs.map(along(dimension)))

const scoped = (
  { capability, name }: Catalog.Entry,
  scope: Scope,
  root: Root | undefined,
  places: Anchors
): GrantReading<ReadonlyArray<Constraints>> => {
  if (capability === "provider.use") {
    return listed("tool", [name.slice(Catalog.PROVIDER.length)], providerTool.parse)
  }
  if (capability === "secrets.read") return listed("ref", scope.refs, refPattern)
  if (capability === "storage.use") return listed("scope", scope.scopes, storageScope.parse)
  if (capability === "attachments.read") return listed("kind", scope.kinds, attachmentKind.parse)
  if (capability.startsWith("records.")) return records(scope)
  if (capability.startsWith("agents.")) return agents(scope)
  if (root === undefined) return Either.right([])
  if (capability.startsWith("files.")) return files(scope, root, places)
  return capability === "process.exec"
    ? commands(scope, root)
    : Either.right(spellings(root).map(along("in")))
}

/** `root` is where the grant of files or commands is rooted by now; without one such a grant gives nothing. */
export const pieceOf = (
  { name, scope }: Pick<Written, "name" | "scope">,
  root: Root | undefined,
  places: Anchors
): GrantReading<Piece> => {
  const entry = Catalog.find(name)
  if (entry === undefined) {
    return wrong("CAPABILITY_UNKNOWN", `unknown capability ${quote(name)}`, "write one of the catalog")
  }
  const { capability } = entry
  return capability.startsWith("network.")
    ? Either.map(each(scope.hosts, hostPatterns), (hosts) => ({
        capability,
        hosts: hosts.flat(),
        alternatives: []
      }))
    : Either.map(scoped(entry, scope, root, places), (alternatives) => ({
        capability: capability === "secrets.read" && scope.sealed !== undefined ? "secrets.seal" : capability,
        hosts: [],
        alternatives
      }))
}

const setOf = (capability: Capability, all: ReadonlyArray<Piece>): HostSet | ScopeSet => {
  const { spec } = capabilityOf(capability)
  return spec === "hosts"
    ? HostSet.make(all.flatMap(({ hosts }) => hosts))
    : ScopeSet.make(
        spec,
        all.flatMap(({ alternatives }) => alternatives)
      )
}

/** All of the pieces at once: joining them one by one would cost more. */
export const authorityOf = (pieces: ReadonlyArray<Piece>): Authority.Authority => {
  const byCapability = new Map<Capability, Array<Piece>>()
  for (const piece of pieces) getOrSet(byCapability, piece.capability, () => []).push(piece)
  return Authority.fromSets(
    new Map(Array.from(byCapability, ([capability, all]) => [capability, setOf(capability, all)] as const))
  )
}
