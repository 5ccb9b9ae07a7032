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

/** All that lies at and below a path. */
const deleting = (path: string): Either.Either<Authority.Authority, unknown> =>
  Either.map(parseTree(path), (glob) =>
    Authority.make({ files: { delete: ScopeSet.make(facets.files.delete, [{ path: [glob] }]) } })
  )

/** Of a chain of directories that is made at once, how many count as one: most of them are there already. */
const CHAIN = 16

const made = (proof: Proof<Request.Scoped>, recursive: boolean): Amount => ({
  files: recursive ? Math.max(1, Math.ceil((proof.request.element.path?.length ?? 0) / CHAIN)) : 1,
  bytes: 0
})

/**
 * Files, each operation asked of the authority first, and its proof given to the backend. To remove a directory with
 * all that is in it, all of that must be held. What is written counts for the turn, which `paths` stands for, and for its session.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (holder: Holder, paths: Paths, backend: FilesBackend.Service): Files.Operations => {
  const { ask, holds, logged, refuse } = Gate.make(holder, backend, FilesBackend.refusals)
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
  const tree = (proof: Proof<Request.Scoped>): Effect.Effect<void, FilesError> => {
    const path = FilesBackend.pathOf(proof)
    if (Either.match(deleting(path), { onLeft: () => false, onRight: holds })) return Effect.void
    return refuse({
      reason: "scope_violation",
      code: "PATH_NOT_REACHABLE",
      detail: `delete not permitted for all that is below ${path}`,
      capability: "files.delete",
      asked: `${Request.summary(proof.request)} with all that is below it`,
      held: Authority.shown(holder.authority, "files.delete"),
      ...holding("files.delete", { path: `${path}/` })
    })
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
    list: ({ path }) => Effect.flatMap(asked("read", path), (proof) => logged(backend.list(proof))),
    stat: ({ path }) => Effect.flatMap(asked("read", path), (proof) => logged(backend.stat(proof))),
    search: ({ path, ...query }) =>
      Effect.flatMap(asked("read", path), (proof) => logged(backend.search(proof, known(FileQuery, query)))),
    writeBytes: ({ content, path }) => {
      const copy = content.slice()
      const amount = { files: 1, bytes: copy.byteLength }
      return Effect.flatMap(asked("write", path), (proof) =>
        counted(amount, logged(backend.writeBytes(proof, copy)))
      )
    },
    mkdir: ({ path, recursive }) =>
      Effect.flatMap(asked("write", path), (proof) =>
        (recursive ? countedWhole : counted)(
          made(proof, recursive),
          logged(backend.mkdir(proof, { recursive }))
        )
      ),
    remove: ({ path, recursive }) =>
      asked("delete", path).pipe(
        Effect.tap((proof) => (recursive ? tree(proof) : Effect.void)),
        Effect.flatMap((proof) => logged(backend.remove(proof, { recursive })))
      )
  }
}
