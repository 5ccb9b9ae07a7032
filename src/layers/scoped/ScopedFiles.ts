/**
 * @since 0.1.0
 */
import { Effect, Either } from "effect"
import { type Files, FilesError } from "../../capabilities/Files.js"
import * as Authority from "../../policy/Authority.js"
import { parseTree } from "../../policy/dimensions/Path.js"
import { facets, type Verb } from "../../policy/Facets.js"
import * as Request from "../../policy/Request.js"
import { ScopeSet } from "../../policy/ScopeSet.js"
import * as Gate from "./Gate.js"
import { type Places, resolve } from "./Places.js"

/** The path that was asked about, in its one spelling. */
const pathOf = ({ element }: Request.Scoped): string => `/${(element.path ?? []).join("/")}`

/** All that lies at and below a path. */
const deleting = (path: string): Either.Either<Authority.Authority, unknown> =>
  Either.map(parseTree(path), (glob) =>
    Authority.make({ files: { delete: ScopeSet.make(facets.files.delete, [{ path: [glob] }]) } })
  )

const ancestorsOf = (path: string): ReadonlyArray<string> => {
  const segments = path.split("/").slice(1, -1)
  return segments.map((_, i) => `/${segments.slice(0, i + 1).join("/")}`)
}

/**
 * Files, each operation asked of the authority first and then given the absolute path that was asked about. To
 * remove a directory with all that is in it, all of that must be held; to make the directories above one, those
 * that are missing must be.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (
  authority: Authority.Authority,
  places: Places,
  inner: Files.Operations
): Files.Operations => {
  const { allows, ask, holds } = Gate.make(authority, {
    denied: (denial) => new FilesError({ code: "PATH_NOT_REACHABLE", detail: denial.detail, denial }),
    malformed: ({ detail }) => new FilesError({ code: "PATH_INVALID", detail })
  })
  const asked = (action: Verb<"files">, path: string): Effect.Effect<string, FilesError> =>
    Effect.map(ask(Request.file(action, resolve(path, places))), pathOf)
  const reading =
    <A>(run: (payload: { readonly path: string }) => Effect.Effect<A, FilesError>) =>
    ({ path }: { readonly path: string }): Effect.Effect<A, FilesError> =>
      Effect.flatMap(asked("read", path), (checked) => run({ path: checked }))
  const tree = (path: string): Effect.Effect<void, FilesError> =>
    Either.match(deleting(path), { onLeft: () => false, onRight: holds })
      ? Effect.void
      : new FilesError({
          code: "PATH_NOT_REACHABLE",
          detail: `delete not permitted for all that is below ${path}`
        })
  const above = (path: string): Effect.Effect<void, FilesError> =>
    Effect.forEach(
      ancestorsOf(path).filter((ancestor) => !allows(Request.file("write", ancestor))),
      (ancestor) =>
        Effect.catchAll(inner.stat({ path: ancestor }), () =>
          Effect.asVoid(ask(Request.file("write", ancestor)))
        ),
      { discard: true }
    )
  return {
    readBytes: reading(inner.readBytes),
    list: reading(inner.list),
    stat: reading(inner.stat),
    writeBytes: ({ content, path }) => {
      const copy = content.slice()
      return Effect.flatMap(asked("write", path), (checked) =>
        inner.writeBytes({ path: checked, content: copy })
      )
    },
    mkdir: ({ path, recursive }) =>
      asked("write", path).pipe(
        Effect.tap((checked) => (recursive ? above(checked) : Effect.void)),
        Effect.flatMap((checked) => inner.mkdir({ path: checked, recursive }))
      ),
    remove: ({ path, recursive }) =>
      asked("delete", path).pipe(
        Effect.tap((checked) => (recursive ? tree(checked) : Effect.void)),
        Effect.flatMap((checked) => inner.remove({ path: checked, recursive }))
      )
  }
}
