/**
 * What touches permitted paths.
 *
 * @since 0.1.0
 */
import { Context, Effect, Either } from "effect"
import type { Proof } from "../../policy/gate/Proof.js"
import type { Denial } from "../../policy/lattice/Denial.js"
import * as Request from "../../policy/lattice/Request.js"
import type { ScopeInvalid } from "../../policy/lattice/ScopeInvalid.js"
import type { Files } from "./Files.js"
import { FilesError } from "./FilesOperations.js"

/**
 * @since 0.1.0
 */
export declare namespace FilesBackend {
  /**
   * Each takes the proof of its own verb: `read` for reading, listing, searching and looking, `write` for writing
   * and making directories, `delete` for removing. Where the path turns out to lead elsewhere, the proof is asked
   * again about where it leads, and about each file below a directory that is walked.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly readBytes: (
      proof: Proof<Request.Scoped>,
      range: Files.Range
    ) => Effect.Effect<Uint8Array, FilesError>
    readonly writeBytes: (
      proof: Proof<Request.Scoped>,
      content: Uint8Array
    ) => Effect.Effect<void, FilesError>
    readonly list: (proof: Proof<Request.Scoped>) => Effect.Effect<ReadonlyArray<string>, FilesError>
    readonly stat: (proof: Proof<Request.Scoped>) => Effect.Effect<Files.Stat, FilesError>
    readonly mkdir: (
      proof: Proof<Request.Scoped>,
      options: { readonly recursive: boolean }
    ) => Effect.Effect<void, FilesError>
    readonly remove: (
      proof: Proof<Request.Scoped>,
      options: { readonly recursive: boolean }
    ) => Effect.Effect<void, FilesError>
    readonly search: (
      proof: Proof<Request.Scoped>,
      query: Files.Query
    ) => Effect.Effect<Files.Found, FilesError>
  }
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
    action: "read" | "write" | "delete",
    path: string
  ): Either.Either<Proof<Request.Scoped>, FilesError> {
    return Either.mapLeft(proof.also(Request.file(action, path)), (refusal) =>
      refusal._tag === "Denied"
        ? FilesBackend.refusals.denied(refusal.denial)
        : FilesBackend.refusals.malformed(refusal.invalid, refusal.denial)
    )
  }

  /** The path of a proof. */
  static pathOf({ request: { element } }: Proof<Request.Scoped>): string {
    return `/${(element.path ?? []).join("/")}`
  }

  /** Operations that need no proof, such as a mock's, behind the door. */
  static fromOperations(operations: Files.Operations): FilesBackend.Service {
    const path = FilesBackend.pathOf
    // A directory that is made on the way needs its own proof, one that is there already does not.
    const above = (proof: Proof<Request.Scoped>) =>
      Effect.forEach(
        ancestorsOf(path(proof)),
        (ancestor) =>
          Effect.catchAll(operations.stat({ path: ancestor }), () =>
            FilesBackend.also(proof, "write", ancestor)
          ),
        { discard: true }
      )
    return {
      readBytes: (proof, range) => operations.readBytes({ path: path(proof), ...range }),
      writeBytes: (proof, content) => operations.writeBytes({ path: path(proof), content }),
      list: (proof) => operations.list({ path: path(proof) }),
      stat: (proof) => operations.stat({ path: path(proof) }),
      mkdir: (proof, { recursive }) =>
        Effect.zipRight(
          recursive ? above(proof) : Effect.void,
          operations.mkdir({ path: path(proof), recursive })
        ),
      remove: (proof, { recursive }) => operations.remove({ path: path(proof), recursive }),
      search: (proof, query) => operations.search({ path: path(proof), ...query })
    }
  }
}
