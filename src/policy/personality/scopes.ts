/** From the sections of a personality to scope sets: the one bridge from its words to the lattice. */
import { Either } from "effect"
import * as Command from "../lattice/dimensions/Command.js"
import { attachmentKind, storageScope } from "../lattice/dimensions/Name.js"
import * as Path from "../lattice/dimensions/Path.js"
import { ref } from "../lattice/dimensions/Ref.js"
import { facets, type Scopes } from "../lattice/Facets.js"
import * as Glob from "../lattice/Glob.js"
import * as Host from "../lattice/Host.js"
import { HostSet } from "../lattice/HostSet.js"
import type { ScopeInvalid } from "../lattice/ScopeInvalid.js"
import { scopeProblem } from "../lattice/ScopeProblem.js"
import { type Constraints, ScopeSet } from "../lattice/ScopeSet.js"
import { isWild } from "../lattice/Wildcard.js"
import type { Reading } from "../text/Problem.js"
import type { Text } from "../text/YamlShape.js"
import { allowed, connecting, privately } from "./PrivateHosts.js"
import type { Root } from "./paths.js"

type Texts = ReadonlyArray<Text>

const each = <A>(
  all: Texts,
  parse: (text: string) => Either.Either<A, ScopeInvalid>
): Reading<ReadonlyArray<A>> =>
  Either.all(all.map((given) => Either.mapLeft(parse(given.text), scopeProblem(given))))

const denial = (text: string) =>
  text === "*" ? Either.right<Host.HostPattern>({ _tag: "Any" }) : Host.parseException(text)

export const denied = (all: Texts): Reading<HostSet> => Either.map(each(all, denial), HostSet.make)

/** A long deny list is not walked for names alone: an entry asked about by itself is mostly one. */
const without = (patterns: ReadonlyArray<Host.HostPattern>, deny: HostSet): HostSet =>
  patterns.every(({ _tag }) => _tag === "Exact")
    ? HostSet.make(patterns.filter((pattern) => pattern._tag !== "Exact" || !deny.has(pattern.host)))
    : HostSet.make(patterns).without(deny)

interface Network {
  readonly allow: Texts
  readonly private: Texts
}

/**
 * To name a private endpoint is to allow its host; to deny a host is stronger than both. The endpoints of the
 * workspace are for every personality, and so allow no host.
 */
export const network = (
  given: Network,
  deny: HostSet,
  ofWorkspace: Texts = []
): Reading<Pick<Scopes, "network" | "private">> =>
  Either.gen(function* () {
    const allow = yield* Either.all(given.allow.map(allowed))
    const endpoints = yield* Either.all(given.private.map(privately))
    const further = yield* Either.all(ofWorkspace.map(privately))
    const hosts = without([...allow, ...endpoints.map(({ host }) => host)], deny)
    return {
      network: { get: hosts, post: hosts, put: hosts, delete: hosts },
      private: {
        connect: connecting([...endpoints, ...further])
      }
    }
  })

export const files = (read: ReadonlyArray<Root>, write: ReadonlyArray<Root>): Scopes["files"] => {
  const set = (roots: ReadonlyArray<Root>) =>
    ScopeSet.make(
      facets.files.read,
      roots.flatMap(({ trees }) => trees.map((tree) => ({ path: [tree] })))
    )
  const writable = set(write)
  return { read: set(read), write: writable, delete: writable }
}

/** A name is the command with any arguments; what holds a blank, a wildcard or `:*` is a pattern. */
const command = (text: string): Either.Either<Glob.Glob, ScopeInvalid> =>
  text === "*"
    ? Either.right(Command.argv.top)
    : /\s/.test(text.trim()) || isWild(text)
      ? Command.argv.parse(text)
      : Command.parseName(text)

const opensShell = ({ text }: Text): boolean => ["*", "sh", "sh:*"].includes(text.trim())

/** Commands run where files may be touched, and in the working directory itself. */
const directories = (roots: ReadonlyArray<Root>, workdirs: Texts): Reading<ReadonlyArray<Glob.Glob>> =>
  Either.map(each(workdirs, Path.root.element), (exact) => [
    ...roots.flatMap(({ trees }) => trees),
    ...exact.map(Glob.exact)
  ])

export const processes = (
  allow: Texts,
  roots: ReadonlyArray<Root>,
  workdirs: Texts
): Reading<Scopes["process"]> =>
  Either.gen(function* () {
    const commands = yield* each(allow, command)
    const places = yield* directories(roots, workdirs)
    return {
      exec: ScopeSet.make(
        facets.process.exec,
        commands.flatMap((argv) => places.map((place) => ({ argv: [argv], in: [place] })))
      ),
      eval: ScopeSet.make(
        facets.process.eval,
        allow.some(opensShell) ? places.map((place) => ({ in: [place] })) : []
      )
    }
  })

const simple =
  (
    dimensions: ScopeSet["dimensions"],
    name: string,
    parse: (text: string) => Either.Either<Glob.Glob, ScopeInvalid>
  ) =>
  (all: Texts): Reading<ScopeSet> =>
    Either.map(each(all, parse), (globs) =>
      ScopeSet.make(
        dimensions,
        globs.map((glob): Constraints => ({ [name]: [glob] }))
      )
    )

export const refs = simple(facets.secrets.read, "ref", ref.parse)

/** What may be read, or only sent sealed, to wherever tools declare. Without a list it is whatever they declare. */
export const secrets = (all: Texts | undefined, isSealed: boolean): Reading<Partial<Scopes["secrets"]>> =>
  all === undefined
    ? Either.right(isSealed ? { seal: ScopeSet.make(facets.secrets.seal, [{}]) } : {})
    : Either.map(refs(all), (read) => (isSealed ? { seal: read.widened(facets.secrets.seal) } : { read }))

export const storage = simple(facets.storage.use, "scope", storageScope.parse)

export const attachments = simple(facets.attachments.read, "kind", attachmentKind.parse)
