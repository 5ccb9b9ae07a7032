/**
 * What no policy lifts: credentials and persistence among files, metadata services among hosts. The floor is asked
 * after the authority, with the same canonical request, so that there is one spelling to compare.
 *
 * @since 0.1.0
 */
import type { Denial } from "../../lattice/Denial.js"
import * as Request from "../../lattice/Request.js"
import { forbidsFile } from "./files.js"
import { forbidsHost } from "./hosts.js"

export { forbidsHost }

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

/**
 * What a floor is made of: where home and workspace are, and where a path really leads.
 *
 * @since 0.1.0
 * @category models
 */
export interface Surroundings {
  readonly home?: string | undefined
  readonly workspace?: string | undefined
  /** The real path of one that may be a link; without it, paths are taken as they are written. */
  readonly real?: ((path: string) => string) | undefined
  readonly guarded?: ReadonlyArray<string> | undefined
  readonly closed?: ReadonlyArray<string> | undefined
}

const CONFIG = "/config.yaml"

/** The files that authority is read from, whether they are there or not. */
const filesOf = (file: string): ReadonlyArray<string> => {
  if (!file.startsWith("/")) return []
  return file.endsWith(CONFIG) ? [file, `${file.slice(0, -CONFIG.length)}/toolset.yaml`] : [file]
}

/**
 * The floor around a file that authority is read from: neither it, nor the secrets and the state of its workspace, are
 * for any tool.
 *
 * @since 0.1.0
 * @category constructors
 */
export const around = (
  file: string,
  { closed = [], guarded = [], home, real, workspace }: Surroundings
): Floor => {
  const own = (...names: ReadonlyArray<string>) =>
    workspace === undefined ? [] : names.map((name) => `${workspace}/${name}`)
  const both = (paths: ReadonlyArray<string>) => [
    ...new Set(paths.flatMap((path) => [path, real?.(path) ?? path]))
  ]
  return {
    homes: home === undefined ? [] : both([home]),
    guarded: both([...filesOf(file), ...own("bailiwick.yaml", "personalities"), ...guarded]),
    closed: both([...own(".bailiwick", ".env"), ...closed])
  }
}

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
