/**
 * @since 0.1.0
 */
import { Effect, Either } from "effect"
import type { Holder } from "../../policy/gate/Asking.js"
import * as Gate from "../../policy/gate/Gate.js"
import type { Proof } from "../../policy/gate/Proof.js"
import * as Authority from "../../policy/lattice/Authority.js"
import { parseTree } from "../../policy/lattice/dimensions/Path.js"
import { facets, type Verb } from "../../policy/lattice/Facets.js"
import { holding } from "../../policy/lattice/Remedy.js"
import * as Request from "../../policy/lattice/Request.js"
import { ScopeSet } from "../../policy/lattice/ScopeSet.js"
import { known } from "../known.js"
import { type Paths, resolve } from "../Paths.js"
import type { Files } from "./Files.js"
import { FilesBackend } from "./FilesBackend.js"
import { FileQuery, type FilesError } from "./FilesOperations.js"
import { type Amount, defaultQuota, Written } from "./Quota.js"
import { temporary, writable } from "./temporary.js"

/** All that lies at and below a path. */
const treeOf = (action: Verb<"files">, path: string): Either.Either<Authority.Authority, unknown> =>
  Either.map(parseTree(path), (glob) =>
    Authority.make({ files: { [action]: ScopeSet.make(facets.files[action], [{ path: [glob] }]) } })
  )

/** Of a chain of directories that is made at once, how many count as one: most of them are there already. */
const CHAIN = 16

const made = (proof: Proof<Request.Scoped>, recursive: boolean): Amount => ({
  files: recursive ? Math.max(1, Math.ceil((proof.request.element.path?.length ?? 0) / CHAIN)) : 1,
  bytes: 0
})

/**
 * Files, each operation asked of the authority first, and its proof given to the backend. To remove a directory with
 * all that is in it, or to move one, all of that must be held. What is written counts for the turn, which `paths` stands for, and for its session.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (holder: Holder, paths: Paths, backend: FilesBackend.Service): Files.Operations => {
  const { allows, ask, holds, isGuardedBelow, logged, refuse } = Gate.make(
    holder,
    backend,
    FilesBackend.refusals
  )
  const written = new Written(backend.quota ?? defaultQuota, backend, paths, holder.session)
  /** What is interrupted may have been written, so that only what failed is taken back. */
  const counted = (amount: Amount, write: Effect.Effect<void, FilesError>): Effect.Effect<void, FilesError> =>
    Effect.suspend(
      () => written.add(amount) ?? Effect.tapError(write, () => Effect.sync(() => written.remove(amount)))
    )
  /** Of a chain of directories that fails, the first ones may have been made. */
  const countedWhole: typeof counted = (amount, write) => Effect.suspend(() => written.add(amount) ?? write)
  const asked = (action: Verb<"files">, path: string): Effect.Effect<Proof<Request.Scoped>, FilesError> =>
    ask(Request.file(action, resolve(path, paths)))
  const tree = (action: Verb<"files">, path: string): Effect.Effect<void, FilesError> => {
    if (Either.match(treeOf(action, path), { onLeft: () => false, onRight: holds })) return Effect.void
    return refuse({
      reason: "scope_violation",
      code: "PATH_NOT_REACHABLE",
      detail: `${action} not permitted for all that is below ${path}`,
      capability: `files.${action}`,
      asked: `${action} ${path} with all that is below it`,
      held: Authority.shown(holder.authority, `files.${action}`),
      ...holding(`files.${action}`, { path: `${path}/` })
    })
  }
  /** A directory takes with it what comes into it until it is moved, so that its whole tree is asked for. */
  const directory = (from: string, to: string): Effect.Effect<void, FilesError> =>
    Effect.gen(function* () {
      yield* tree("delete", from)
      yield* tree("write", to)
      if (Authority.shown(holder.authority, "files.read").length > 0) yield* tree("read", from)
      if (!isGuardedBelow(Request.file("write", to))) return
      yield* refuse({
        reason: "scope_violation",
        code: "PATH_NOT_REACHABLE",
        detail: `no directory is moved to ${to}: something that is always refused may lie below it`,
        capability: "files.write",
        asked: `write ${to} with all that is below it`,
        held: [],
        remedy: "make the directory, and move its files one by one"
      })
    })
  const writing =
    (operation: "writeBytes" | "appendBytes" | "createBytes"): Files.Operations["writeBytes"] =>
    ({ content, path }) => {
      const copy = content.slice()
      const amount = { files: 1, bytes: copy.byteLength }
      return Effect.flatMap(asked("write", path), (proof) =>
        counted(amount, logged(backend[operation](proof, copy)))
      )
    }
  const readable = (from: string, to: string): Effect.Effect<unknown, FilesError> =>
    allows(Request.file("read", resolve(to, paths))) ? asked("read", from) : Effect.void
  /** Where nothing may be written is not asked about, unless there is no other place. */
  const places = (): ReadonlyArray<string> => {
    const open = writable(holder.authority, paths).filter((place) =>
      allows(Request.file("write", `${place}/tmp`))
    )
    return open.length === 0 ? [paths.workdir] : open
  }
  return {
    readBytes: ({ length, offset, path }) =>
      Effect.flatMap(asked("read", path), (proof) =>
        logged(
          backend.readBytes(proof, {
            ...(offset === undefined ? {} : { offset }),
            ...(length === undefined ? {} : { length })
          })
        )
      ),
    entries: ({ path }) => Effect.flatMap(asked("read", path), (proof) => logged(backend.entries(proof))),
    list: ({ path }) => Effect.flatMap(asked("read", path), (proof) => logged(backend.list(proof))),
    stat: ({ path }) => Effect.flatMap(asked("read", path), (proof) => logged(backend.stat(proof))),
    search: ({ path, ...query }) =>
      Effect.flatMap(asked("read", path), (proof) => logged(backend.search(proof, known(FileQuery, query)))),
    writeBytes: writing("writeBytes"),
    appendBytes: writing("appendBytes"),
    createBytes: writing("createBytes"),
    mkdir: ({ path, recursive }) =>
      Effect.flatMap(asked("write", path), (proof) =>
        (recursive ? countedWhole : counted)(
          made(proof, recursive),
          logged(backend.mkdir(proof, { recursive }))
        )
      ),
    remove: ({ path, recursive }) =>
      asked("delete", path).pipe(
        Effect.tap((proof) => (recursive ? tree("delete", FilesBackend.pathOf(proof)) : Effect.void)),
        Effect.flatMap((proof) => logged(backend.remove(proof, { recursive })))
      ),
    rename: ({ from, replace, to }) =>
      Effect.gen(function* () {
        const proofs = { from: yield* asked("delete", from), to: yield* asked("write", to) }
        yield* readable(from, to)
        yield* counted({ files: 1, bytes: 0 }, logged(backend.rename(proofs, { replace, directory })))
      }),
    temporary: ({ prefix, within }) =>
      temporary({
        prefix,
        places: within === null ? places() : [within],
        make: (path) =>
          Effect.gen(function* () {
            const proof = yield* asked("write", path)
            // What may not be removed would stay.
            yield* asked("delete", path)
            yield* tree("delete", FilesBackend.pathOf(proof))
            yield* counted(
              { files: 1, bytes: 0 },
              logged(backend.mkdir(proof, { recursive: false, private: true }))
            )
            return FilesBackend.pathOf(proof)
          })
      })
  }
}
