/**
 * @since 0.1.0
 */
import { Effect } from "effect"
import { type Files, FilesError } from "../../capabilities/Files.js"
import type { Authority } from "../../policy/Authority.js"
import type { Verb } from "../../policy/Facets.js"
import * as Request from "../../policy/Request.js"
import * as Gate from "./Gate.js"
import { type Places, resolve } from "./Places.js"

/**
 * Files, each operation asked of the authority first and then given the absolute path that was asked about.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (authority: Authority, places: Places, inner: Files.Operations): Files.Operations => {
  const { ask } = Gate.make(authority, {
    denied: (denial) => new FilesError({ code: "PATH_NOT_REACHABLE", detail: denial.detail, denial }),
    malformed: ({ detail }) => new FilesError({ code: "PATH_INVALID", detail })
  })
  const guarded =
    <P extends { readonly path: string }, A>(
      action: Verb<"files">,
      run: (payload: P) => Effect.Effect<A, FilesError>
    ) =>
    (payload: P): Effect.Effect<A, FilesError> => {
      const path = resolve(payload.path, places)
      return Effect.zipRight(ask(Request.file(action, path)), run({ ...payload, path }))
    }
  return {
    readBytes: guarded("read", inner.readBytes),
    list: guarded("read", inner.list),
    stat: guarded("read", inner.stat),
    writeBytes: guarded("write", inner.writeBytes),
    mkdir: guarded("write", inner.mkdir),
    remove: guarded("delete", inner.remove)
  }
}
