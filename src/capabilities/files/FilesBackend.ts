/**
 * What touches permitted paths.
 *
 * @since 0.1.0
 */
import { Context, Effect, Either } from "effect"
import { guarded, type Proof } from "../../policy/gate/Proof.js"
import type { Denial } from "../../policy/lattice/Denial.js"
import type { Verb } from "../../policy/lattice/Facets.js"
import * as Request from "../../policy/lattice/Request.js"
import type { ScopeInvalid } from "../../policy/lattice/ScopeInvalid.js"
import type { Files } from "./Files.js"
import { FilesError, type FilesOperations } from "./FilesOperations.js"
import type { Quota } from "./Quota.js"

/**
 * @since 0.1.0
 */
export declare namespace FilesBackend {
  /**
   * Each takes the proof of its own verb: `read` for reading, listing, searching and looking, `write` for writing
   * and making directories, `delete` for removing. Where the path turns out to lead elsewhere, the proof is asked
   * again about where it leads, and about each file below a directory that is walked. To move something is to delete it
   * in one place and to write it in another, and to read it where the second may be read.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    /** How much turns and sessions may write through it; without it, as by default. */
    readonly quota?: Quota | undefined
    readonly readBytes: (
      proof: Proof<Request.Scoped>,
      range: Files.Range
    ) => Effect.Effect<Uint8Array, FilesError>
    readonly writeBytes: (
      proof: Proof<Request.Scoped>,
      content: Uint8Array
    ) => Effect.Effect<void, FilesError>
    readonly appendBytes: Service["writeBytes"]
    readonly createBytes: Service["writeBytes"]
    readonly list: (proof: Proof<Request.Scoped>) => Effect.Effect<ReadonlyArray<string>, FilesError>
    readonly entries: (proof: Proof<Request.Scoped>) => Effect.Effect<ReadonlyArray<Files.Entry>, FilesError>
    readonly stat: (proof: Proof<Request.Scoped>) => Effect.Effect<Files.Stat, FilesError>
    /** What is `private` is for this user alone, where the backend knows users. */
    readonly mkdir: (
      proof: Proof<Request.Scoped>,
      options: { readonly recursive: boolean; readonly private?: boolean }
    ) => Effect.Effect<void, FilesError>
    readonly remove: (
      proof: Proof<Request.Scoped>,
      options: { readonly recursive: boolean }
    ) => Effect.Effect<void, FilesError>
    readonly rename: (proofs: Ends, options: Moving) => Effect.Effect<void, FilesError>
    readonly search: (
      proof: Proof<Request.Scoped>,
      query: Files.Query
    ) => Effect.Effect<Files.Found, FilesError>
  }
}

/** The proof to delete what is moved, and that to write where it goes. */
interface Ends {
  readonly from: Proof<Request.Scoped>
  readonly to: Proof<Request.Scoped>
}

interface Moving {
  readonly replace: boolean
  /** What must succeed before a directory is moved, with the paths that it really has: all below is moved with it. */
  readonly directory: (from: string, to: string) => Effect.Effect<void, FilesError>
}

const ancestorsOf = (path: string): ReadonlyArray<string> => {
  const segments = path.split("/").slice(1, -1)
  return segments.map((_, i) => `/${segments.slice(0, i + 1).join("/")}`)
}

/**
 * @since 0.1.0
 * @category tags
 */
export class FilesBackend extends Context.Tag("bailiwick/FilesBackend")<
  FilesBackend,
  FilesBackend.Service
>() {
  /** A backend that takes proofs which were made for itself, and nothing else: every implementation is one. */
  static guarded(service: FilesBackend.Service): FilesBackend.Service {
    return guarded(service, [
      "readBytes",
      "writeBytes",
      "appendBytes",
      "createBytes",
      "list",
      "entries",
      "stat",
      "mkdir",
      "remove",
      "rename",
      "search"
    ])
  }

  /** How this category words what is refused, whether before the backend is called or inside it. */
  static readonly refusals = {
    denied: (denial: Denial): FilesError =>
      new FilesError({ code: "PATH_NOT_REACHABLE", detail: denial.detail, denial }),
    malformed: ({ detail }: ScopeInvalid, denial: Denial): FilesError =>
      new FilesError({ code: "PATH_NOT_REACHABLE", detail, denial })
  }

  /** The proof for another path that the first one leads to. */
  static also(
    proof: Proof<Request.Scoped>,
    action: Verb<"files">,
    path: string
  ): Either.Either<Proof<Request.Scoped>, FilesError> {
    return Either.mapLeft(proof.also(Request.file(action, path)), (refusal) =>
      refusal._tag === "Denied"
        ? FilesBackend.refusals.denied(refusal.denial)
        : FilesBackend.refusals.malformed(refusal.invalid, refusal.denial)
    )
  }

  /** The path of a proof, as long as the proof is of this verb. */
  static pathFor(proof: Proof<Request.Scoped>, action: Verb<"files">): Either.Either<string, FilesError> {
    return proof.request.capability === `files.${action}`
      ? Either.right(FilesBackend.pathOf(proof))
      : Either.left(
          new FilesError({
            code: "PATH_NOT_REACHABLE",
            detail: `the proof is not of permission to ${action}`
          })
        )
  }

  /**
   * That one thing may be moved from a path to another: to delete it, to write it, and to read it unless nobody could
   * read it afterwards either.
   */
  static moves({ from, to }: Ends, source: string, target: string): Either.Either<void, FilesError> {
    return Either.gen(function* () {
      yield* FilesBackend.also(from, "delete", source)
      yield* FilesBackend.also(to, "write", target)
      if (to.permits(Request.file("read", target))) yield* FilesBackend.also(from, "read", source)
    })
  }

  /** The path of a proof. */
  static pathOf({ request: { element } }: Proof<Request.Scoped>): string {
    return `/${(element.path ?? []).join("/")}`
  }

  /** Operations that need no proof, such as a mock's, behind the door. */
  static fromOperations(operations: FilesOperations, quota?: Quota): FilesBackend.Service {
    return FilesBackend.guarded({ ...adapted(operations), quota })
  }
}

const at = <A>(
  proof: Proof<Request.Scoped>,
  action: Verb<"files">,
  use: (path: string) => Effect.Effect<A, FilesError>
): Effect.Effect<A, FilesError> => Effect.flatMap(FilesBackend.pathFor(proof, action), use)

const adapted = (operations: FilesOperations): FilesBackend.Service => {
  // A directory that is made on the way needs its own proof, one that is there already does not.
  const above = (proof: Proof<Request.Scoped>, path: string) =>
    Effect.forEach(
      ancestorsOf(path),
      (ancestor) =>
        Effect.catchAll(operations.stat({ path: ancestor }), () =>
          FilesBackend.also(proof, "write", ancestor)
        ),
      { discard: true }
    )
  // To remove a directory is to remove all that is in it.
  const below = (proof: Proof<Request.Scoped>, path: string): Effect.Effect<void, FilesError> =>
    Effect.gen(function* () {
      if ((yield* operations.stat({ path })).kind !== "directory") return
      for (const name of yield* operations.list({ path })) {
        const inside = `${path === "/" ? "" : path}/${name}`
        yield* FilesBackend.also(proof, "delete", inside)
        yield* below(proof, inside)
      }
    })
  const belowBoth = (proofs: Ends, from: string, to: string): Effect.Effect<void, FilesError> =>
    Effect.gen(function* () {
      if ((yield* operations.stat({ path: from })).kind !== "directory") return
      for (const name of yield* operations.list({ path: from })) {
        const [source, target] = [`${from}/${name}`, `${to}/${name}`]
        yield* FilesBackend.moves(proofs, source, target)
        yield* belowBoth(proofs, source, target)
      }
    })
  // A directory that may not be read is not entered, whatever is permitted below it.
  const sees = (proof: Proof<Request.Scoped>, root: string, path: string): boolean =>
    [...ancestorsOf(path).filter((above) => above.length > root.length), path].every((one) =>
      proof.permits(Request.file("read", one))
    )
  return {
    readBytes: (proof, range) => at(proof, "read", (path) => operations.readBytes({ ...range, path })),
    writeBytes: (proof, content) => at(proof, "write", (path) => operations.writeBytes({ path, content })),
    appendBytes: (proof, content) => at(proof, "write", (path) => operations.appendBytes({ path, content })),
    createBytes: (proof, content) => at(proof, "write", (path) => operations.createBytes({ path, content })),
    list: (proof) => at(proof, "read", (path) => operations.list({ path })),
    entries: (proof) =>
      at(proof, "read", (path) =>
        Effect.map(operations.entries({ path }), (found) =>
          found.map(({ kind, name }) => ({
            name,
            kind: proof.permits(Request.file("read", `${path === "/" ? "" : path}/${name}`))
              ? kind
              : "unreachable"
          }))
        )
      ),
    stat: (proof) => at(proof, "read", (path) => operations.stat({ path })),
    mkdir: (proof, { recursive }) =>
      at(proof, "write", (path) =>
        Effect.zipRight(recursive ? above(proof, path) : Effect.void, operations.mkdir({ path, recursive }))
      ),
    remove: (proof, { recursive }) =>
      at(proof, "delete", (path) =>
        Effect.zipRight(recursive ? below(proof, path) : Effect.void, operations.remove({ path, recursive }))
      ),
    rename: (proofs, { directory, replace }) =>
      at(proofs.from, "delete", (from) =>
        at(proofs.to, "write", (to) =>
          Effect.gen(function* () {
            const { kind } = yield* operations.stat({ path: from })
            yield* FilesBackend.moves(proofs, from, to)
            if (kind === "directory") yield* directory(from, to)
            yield* belowBoth(proofs, from, to)
            yield* operations.rename({ from, to, replace })
          })
        )
      ),
    search: (proof, query) =>
      at(proof, "read", (path) =>
        Effect.map(operations.search({ ...query, path }), ({ matches, truncated }) => ({
          matches: matches.filter((match) => sees(proof, path, match.path)),
          truncated
        }))
      )
  }
}
