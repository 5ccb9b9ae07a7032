/** From the sections of a personality to scope sets: the one bridge from its words to the lattice. */
import { Either } from "effect"
import * as Command from "../dimensions/Command.js"
import { endpoint } from "../dimensions/Endpoint.js"
import { attachmentKind, storageScope } from "../dimensions/Name.js"
import * as Path from "../dimensions/Path.js"
import { ref } from "../dimensions/Ref.js"
import { facets, type Scopes } from "../Facets.js"
import * as Floor from "../Floor.js"
import * as Glob from "../Glob.js"
import * as Host from "../Host.js"
import { HostSet } from "../HostSet.js"
import * as Request from "../Request.js"
import type { ScopeInvalid } from "../ScopeInvalid.js"
import { type Constraints, ScopeSet } from "../ScopeSet.js"
import type { Root } from "./personalityPaths.js"
import type { Problem } from "./problem.js"
import { scopeProblem } from "./scopeProblem.js"
import { problem } from "./strictYaml.js"
import { quote } from "./text.js"
import { isWild } from "./wildcard.js"
import type { Text } from "./yamlShape.js"

type Read<A> = Either.Either<A, Problem>

type Texts = ReadonlyArray<Text>

const each = <A>(
  all: Texts,
  parse: (text: string) => Either.Either<A, ScopeInvalid>
): Read<ReadonlyArray<A>> =>
  Either.all(all.map((given) => Either.mapLeft(parse(given.text), scopeProblem(given))))

/** A host that is always refused opens nothing, and whoever wrote it believes otherwise. */
const aboveTheFloor = (given: Text, host: string): Read<void> => {
  const request = Request.http("GET", `http://${host}/`)
  return Either.isRight(request) && Floor.forbids(Floor.standard, request.right) !== undefined
    ? problem("HOST_INVALID", given, `${quote(given.text)} is refused by every policy`, "delete the entry")
    : Either.void
}

const allowed = (given: Text): Read<Host.HostPattern> =>
  Either.gen(function* () {
    const pattern = yield* Either.mapLeft(Host.parsePattern(given.text), scopeProblem(given))
    if (pattern._tag === "Exact") yield* aboveTheFloor(given, pattern.host)
    return pattern
  })

interface Private {
  readonly glob: Glob.Glob
  readonly host: Host.HostPattern
}

const PORTED = /^(.*):(\d+)$/s

/** `endpoint.element` reads one host and one port, `parse` also patterns: a private address is always named. */
export const privately = (given: Text): Read<Private> =>
  Either.gen(function* () {
    yield* Either.mapLeft(endpoint.element(given.text), scopeProblem(given))
    const glob = yield* Either.mapLeft(endpoint.parse(given.text), scopeProblem(given))
    const host = yield* allowed({ ...given, text: PORTED.exec(given.text)?.[1] ?? given.text })
    return { glob, host }
  })

const denial = (text: string) =>
  text === "*" ? Either.right<Host.HostPattern>({ _tag: "Any" }) : Host.parseException(text)

export const denied = (all: Texts): Read<HostSet> => Either.map(each(all, denial), HostSet.make)

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
): Read<Pick<Scopes, "network" | "private">> =>
  Either.gen(function* () {
    const allow = yield* Either.all(given.allow.map(allowed))
    const endpoints = yield* Either.all(given.private.map(privately))
    const further = yield* Either.all(ofWorkspace.map(privately))
    const hosts = without([...allow, ...endpoints.map(({ host }) => host)], deny)
    return {
      network: { get: hosts, post: hosts, put: hosts, delete: hosts },
      private: {
        connect: ScopeSet.make(
          facets.private.connect,
          [...endpoints, ...further].map(({ glob }) => ({ endpoint: [glob] }))
        )
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
const directories = (roots: ReadonlyArray<Root>, workdirs: Texts): Read<ReadonlyArray<Glob.Glob>> =>
  Either.map(each(workdirs, Path.root.element), (exact) => [
    ...roots.flatMap(({ trees }) => trees),
    ...exact.map(Glob.exact)
  ])

export const processes = (
  allow: Texts,
  roots: ReadonlyArray<Root>,
  workdirs: Texts
): Read<Scopes["process"]> =>
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
  (all: Texts): Read<ScopeSet> =>
    Either.map(each(all, parse), (globs) =>
      ScopeSet.make(
        dimensions,
        globs.map((glob): Constraints => ({ [name]: [glob] }))
      )
    )

export const secrets = simple(facets.secrets.read, "ref", ref.parse)

export const storage = simple(facets.storage.use, "scope", storageScope.parse)

export const attachments = simple(facets.attachments.read, "kind", attachmentKind.parse)
