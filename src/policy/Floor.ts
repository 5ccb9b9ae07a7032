/**
 * What no policy lifts: credentials and persistence among files, metadata services among hosts. The floor is asked
 * after the authority, with the same canonical request, so that there is one spelling to compare.
 *
 * @since 0.1.0
 */
import type { Denial } from "./Denial.js"
import { forbidsFile } from "./floor/files.js"
import { forbidsHost } from "./floor/hosts.js"
import * as Request from "./Request.js"

/**
 * `homes` are the home directories whose credentials are guarded beside the usual places; `guarded` are trees that
 * no tool may write, because authority is read from them; `closed` are trees that no tool may read either, because
 * they hold the secrets and the state of all.
 *
 * @since 0.1.0
 * @category models
 */
export interface Floor {
  readonly homes: ReadonlyArray<string>
  readonly guarded: ReadonlyArray<string>
  readonly closed?: ReadonlyArray<string> | undefined
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const standard: Floor = { homes: [], guarded: [] }

const REMEDY = "no policy lifts this; use another path or host"

/**
 * The refusal of a request that the floor forbids.
 *
 * @since 0.1.0
 * @category deciding
 */
export const forbids = (floor: Floor, request: Request.Request): Denial | undefined => {
  if (request._tag === "Http") {
    return forbidsHost(request.host)
      ? refusal(request, "HOST_NOT_ALLOWED", `${request.host} is always refused`)
      : undefined
  }
  return request.facet === "files" && forbidsFile(request, floor)
    ? refusal(
        request,
        "PATH_NOT_REACHABLE",
        `${request.verb} not permitted for /${(request.element.path ?? []).join("/")}: it is always refused`
      )
    : undefined
}

const refusal = (request: Request.Request, code: Denial["code"], detail: string): Denial => ({
  reason: "scope_violation",
  code,
  detail,
  capability: request.capability,
  asked: Request.summary(request),
  held: [],
  remedy: REMEDY
})
