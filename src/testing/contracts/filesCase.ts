/** One case of the contract of files, and what it is written with. */
import { Effect } from "effect"
import type { Files } from "../../capabilities/files/Files.js"
import { FilesBackend } from "../../capabilities/files/FilesBackend.js"
import type { FilesError } from "../../capabilities/files/FilesOperations.js"
import type { Proof } from "../../policy/gate/Proof.js"
import type { Encoded } from "../../policy/lattice/Authority.js"
import type { Verb } from "../../policy/lattice/Facets.js"
import * as Request from "../../policy/lattice/Request.js"
import { type ContractBroken, type Case as Shared, text, unique, utf8 } from "./contract.js"
import { type Holding, permitsFor } from "./permits.js"

/**
 * Where the cases work, and what else they may use.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rig {
  /** An absolute path of a directory that is there, is empty or may be shared, and is reached without a link. */
  readonly directory: string
  /** Makes a symbolic link, as `ln -s target path` does. Without it there are no cases about links. */
  readonly link?: (target: string, path: string) => Effect.Effect<void>
  /**
   * What the backend was made with: the most bytes of one read, and of one write. The second is the larger, and both
   * are small enough to be written in a moment. Without them there are no cases about limits.
   */
  readonly limits?: { readonly readBytes: number; readonly writeBytes: number }
}

/**
 * `about` says what a backend must have for the case to apply. `files`: every one. `queries`: one that patterns of
 * models reach, so that it refuses those whose time has no bound, and every number that is none. `limits` and `links`:
 * one that has them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Case extends Shared<FilesBackend, FilesError> {
  readonly about: "files" | "queries" | "limits" | "links"
}

type Moving = Parameters<FilesBackend.Service["rename"]>[1]

export type Body = (bench: Bench) => Effect.Effect<void, ContractBroken | FilesError>

/** The operations of a holder, by names below the directory of the case. Each asks for its proof first. */
export interface Operations {
  readonly read: (name: string, range?: Files.Range) => Effect.Effect<Uint8Array, FilesError>
  readonly text: (name: string) => Effect.Effect<string, FilesError>
  readonly write: (name: string, content: string | Uint8Array) => Effect.Effect<void, FilesError>
  readonly append: (name: string, content: string | Uint8Array) => Effect.Effect<void, FilesError>
  readonly create: (name: string, content: string | Uint8Array) => Effect.Effect<void, FilesError>
  readonly list: (name: string) => Effect.Effect<ReadonlyArray<string>, FilesError>
  /** As `name: kind`. */
  readonly kinds: (name: string) => Effect.Effect<ReadonlyArray<string>, FilesError>
  readonly stat: (name: string) => Effect.Effect<Files.Stat, FilesError>
  readonly mkdir: (name: string, recursive?: boolean) => Effect.Effect<void, FilesError>
  readonly remove: (name: string, recursive?: boolean) => Effect.Effect<void, FilesError>
  /** Of a directory, whatever is below it may be moved, unless it is said what is asked first. */
  readonly rename: (from: string, to: string, options?: Partial<Moving>) => Effect.Effect<void, FilesError>
  readonly search: (name: string, query: Files.Query) => Effect.Effect<Files.Found, FilesError>
  /** A proof, for a call that no operation makes. */
  readonly proof: (verb: Verb<"files">, name: string) => Effect.Effect<Proof<Request.Scoped>>
  readonly heard: Holding["heard"]
}

/** Holds all that is below the directory of the case. */
export interface Bench extends Operations {
  readonly backend: FilesBackend.Service
  readonly path: (name: string) => string
  /** Those of the rig; without them no case asks. */
  readonly limits: NonNullable<Rig["limits"]>
  /** A link at a name, to a name or to a path. */
  readonly link: (target: string, name: string) => Effect.Effect<void>
  /** The same operations for who holds other names; a `/` at the end means all that is below. */
  readonly holding: (
    held: {
      readonly [V in Verb<"files">]?: ReadonlyArray<string>
    }
  ) => Operations
}

const operationsOf = (
  backend: FilesBackend.Service,
  { ask, heard }: Holding,
  path: Bench["path"]
): Operations => {
  const proof: Operations["proof"] = (verb, name) => ask(Request.file(verb, path(name)))
  const read: Operations["read"] = (name, range = {}) =>
    Effect.flatMap(proof("read", name), (given) => backend.readBytes(given, range))
  const writing =
    (operation: "writeBytes" | "appendBytes" | "createBytes"): Operations["write"] =>
    (name, content) =>
      Effect.flatMap(proof("write", name), (given) =>
        backend[operation](given, typeof content === "string" ? utf8(content) : content)
      )
  return {
    proof,
    heard,
    read,
    text: (name) => Effect.map(read(name), text),
    write: writing("writeBytes"),
    append: writing("appendBytes"),
    create: writing("createBytes"),
    list: (name) => Effect.flatMap(proof("read", name), backend.list),
    kinds: (name) =>
      Effect.map(Effect.flatMap(proof("read", name), backend.entries), (found) =>
        found.map((entry) => `${entry.name}: ${entry.kind}`)
      ),
    stat: (name) => Effect.flatMap(proof("read", name), backend.stat),
    mkdir: (name, recursive = false) =>
      Effect.flatMap(proof("write", name), (given) => backend.mkdir(given, { recursive })),
    remove: (name, recursive = false) =>
      Effect.flatMap(proof("delete", name), (given) => backend.remove(given, { recursive })),
    rename: (from, to, options) =>
      Effect.gen(function* () {
        const proofs = { from: yield* proof("delete", from), to: yield* proof("write", to) }
        yield* backend.rename(proofs, { replace: true, directory: () => Effect.void, ...options })
      }),
    search: (name, query) => Effect.flatMap(proof("read", name), (given) => backend.search(given, query))
  }
}

export type Definition = (rig: Rig) => Case

/** Each case has a directory of its own, which is gone afterwards. */
export const define =
  (about: Case["about"], name: string, body: Body): Definition =>
  (rig) => ({
    name,
    about,
    run: Effect.gen(function* () {
      const backend = yield* FilesBackend
      const permits = permitsFor(backend)
      const directory = `${rig.directory === "/" ? "" : rig.directory}/${unique()}`
      const path = (one: string) => (one === "" ? directory : `${directory}/${one}`)
      const held = (authority: Encoded) => operationsOf(backend, permits.holding(authority), path)
      const tree = [`${directory}/`]
      const own = held({ files: { read: tree, write: tree, delete: tree } })
      yield* own.mkdir("")
      yield* body({
        ...own,
        backend,
        path,
        limits: rig.limits ?? { readBytes: 0, writeBytes: 0 },
        link: (target, one) => rig.link?.(target, path(one)) ?? Effect.void,
        holding: ({ delete: removed = [], read = [], write = [] }) =>
          held({ files: { read: read.map(path), write: write.map(path), delete: removed.map(path) } })
      }).pipe(Effect.ensuring(Effect.ignore(own.remove("", true))))
    })
  })
