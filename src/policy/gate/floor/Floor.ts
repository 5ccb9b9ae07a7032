/**
 * What lies below every policy. The floor has two parts. The first no policy lifts: credentials, what the kernel shows,
 * state, policy and code among files, metadata services among hosts. The second is what runs later by itself, such as
 * editor tasks, hooks and pipelines: a policy lifts it by naming the exact path. The floor is asked after the
 * authority, with the same canonical request, so that there is one spelling to compare.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import type { Authority } from "../../lattice/Authority.js"
import type { Denial } from "../../lattice/Denial.js"
import * as Request from "../../lattice/Request.js"
import { isWild } from "../../lattice/Wildcard.js"
import { printSpec } from "../../text/Spec.js"
import { type Forbidden, forbidsBelow, forbidsFile, type Lifted, lifting as liftingOf } from "./files.js"
import { forbidsHost } from "./hosts.js"
import { groups } from "./Places.js"

export {
  /**
   * Why a path is refused, and whether a policy lifts that by naming it.
   *
   * @since 0.1.0
   * @category models
   */
  type Forbidden,
  forbidsHost,
  /**
   * Exact paths that a policy names, for each verb that it names them for.
   *
   * @since 0.1.0
   * @category models
   */
  type Lifted
}

/**
 * `homes` are the home directories of whoever runs this: their credentials are guarded beside those in the usual
 * places, and other people's homes are not written. `guarded` are trees that no tool may write, because authority is
 * read from them; `code` are files and trees that no tool may write, because a command loads them as code. `closed` are
 * trees that no tool may read either, because they hold the secrets and the state of all. `links` are links that lead to
 * any of these: who replaced one would decide what is found there. `lifted` are the paths that the policy names, at and
 * below which what runs later by itself may be changed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Floor {
  readonly homes: ReadonlyArray<string>
  readonly guarded: ReadonlyArray<string>
  readonly closed?: ReadonlyArray<string> | undefined
  readonly code?: ReadonlyArray<string> | undefined
  readonly links?: ReadonlyArray<string> | undefined
  readonly lifted?: Lifted | undefined
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const standard: Floor = { homes: [], guarded: [] }

/**
 * @since 0.1.0
 * @category models
 */
export interface Way {
  readonly path: string
  readonly links: ReadonlyArray<string>
}

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
  /** What a path leads to, whether that is there or not, and every link on the way; without it, none is known. */
  readonly follow?: ((path: string) => Way) | undefined
  readonly guarded?: ReadonlyArray<string> | undefined
  readonly closed?: ReadonlyArray<string> | undefined
  /** The modules that a command loads, and what they import from the workspace. */
  readonly code?: ReadonlyArray<string> | undefined
}

const CONFIG = "/config.yaml"

/** The files that authority is read from, whether they are there or not. */
const filesOf = (file: string): ReadonlyArray<string> => {
  if (!file.startsWith("/")) return []
  return file.endsWith(CONFIG) ? [file, `${file.slice(0, -CONFIG.length)}/toolset.yaml`] : [file]
}

const ofWorkspace = groups
  .filter(({ where }) => where === "workspace")
  .flatMap(({ entries }) => entries.map(([path]) => path))

/**
 * The floor around a file that authority is read from: neither it, nor the secrets and the state of its workspace, are
 * for any tool, and no tool writes what decides on the code that the workspace loads.
 *
 * @since 0.1.0
 * @category constructors
 */
export const around = (
  file: string,
  { closed = [], code = [], follow, guarded = [], home, real, workspace }: Surroundings
): Floor => {
  const own = (...names: ReadonlyArray<string>) =>
    workspace === undefined ? [] : names.map((name) => `${workspace}/${name}`)
  const links = new Set<string>()
  const ends = (path: string): ReadonlyArray<string> => {
    const way = path.startsWith("/") ? follow?.(path) : undefined
    for (const link of way?.links ?? []) links.add(link)
    return [path, real?.(path) ?? path, way?.path ?? path]
  }
  const both = (paths: ReadonlyArray<string>) => [...new Set(paths.flatMap(ends))]
  const floor = {
    homes: home === undefined ? [] : both([home]),
    guarded: both([...filesOf(file), ...own("bailiwick.yaml", "personalities"), ...guarded]),
    closed: both([...own(".bailiwick", ".env"), ...closed]),
    code: both([...own(...ofWorkspace), ...code])
  }
  return links.size === 0 ? floor : { ...floor, links: [...links] }
}

/**
 * The exact paths that an authority names.
 *
 * @since 0.1.0
 * @category constructors
 */
export const namedIn = ({ scopes: { files } }: Authority): Lifted => {
  const literals = (scopes: typeof files.write) =>
    scopes
      .encode()
      .flatMap((one) => (typeof one === "string" && !isWild(one) && !one.endsWith("/.") ? [one] : []))
  return { write: literals(files.write), delete: literals(files.delete) }
}

/**
 * The floor of a policy that names these paths. Of them it keeps those that lift something.
 *
 * @since 0.1.0
 * @category constructors
 */
export const lifting = (floor: Floor, named: Lifted): Floor => {
  const found = {
    write: liftingOf(floor, [...(floor.lifted?.write ?? []), ...named.write]),
    delete: liftingOf(floor, [...(floor.lifted?.delete ?? []), ...named.delete])
  }
  if (found.write.length + found.delete.length === 0) return floor
  return { ...floor, lifted: { write: [...new Set(found.write)], delete: [...new Set(found.delete)] } }
}

/**
 * What an authority lifts by naming it: what a wider one that only reaches it does not.
 *
 * @since 0.1.0
 * @category deciding
 */
export const liftedBy = (authority: Authority): ReadonlyArray<string> => {
  const { lifted } = lifting(standard, namedIn(authority))
  return [
    ...(lifted?.write ?? []).map((path) => `write ${path}`),
    ...(lifted?.delete ?? []).map((path) => `delete ${path}`)
  ]
}

/**
 * What the floor says of a path, whatever a policy names: why it is guarded, and whether a policy lifts that by naming
 * it.
 *
 * @since 0.1.0
 * @category deciding
 */
export const guards = (
  { lifted: _, ...floor }: Floor,
  verb: "read" | "write" | "delete",
  path: string
): Forbidden | undefined =>
  Either.match(Request.file(verb, path), {
    onLeft: () => undefined,
    onRight: (request) => forbidsFile(request, floor)
  })

/**
 * Why a path of files is refused, with what the policy lifts, for who asks about very many: no denial is worded.
 *
 * @since 0.1.0
 * @category deciding
 */
export const refuses = (floor: Floor, request: Request.Scoped): Forbidden | undefined =>
  forbidsFile(request, floor)

const union = (
  a: ReadonlyArray<string> | undefined,
  b: ReadonlyArray<string> | undefined
): ReadonlyArray<string> => [...new Set([...(a ?? []), ...(b ?? [])])]

const isBelow = (path: string, tree: string): boolean => path === tree || path.startsWith(`${tree}/`)

/** What both name: the deeper of two paths, of which one lies in the other. */
const common = (a: ReadonlyArray<string> = [], b: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  ...new Set([
    ...a.filter((one) => b.some((other) => isBelow(one, other))),
    ...b.filter((one) => a.some((other) => isBelow(one, other)))
  ])
]

/**
 * The floor of two policies that hold together: what one of them guards is guarded, and only what both lift is lifted.
 *
 * @since 0.1.0
 * @category combinators
 */
export const meet = (a: Floor, b: Floor): Floor => {
  const lifted = {
    write: common(a.lifted?.write, b.lifted?.write),
    delete: common(a.lifted?.delete, b.lifted?.delete)
  }
  const links = union(a.links, b.links)
  return {
    homes: union(a.homes, b.homes),
    guarded: union(a.guarded, b.guarded),
    closed: union(a.closed, b.closed),
    code: union(a.code, b.code),
    ...(links.length === 0 ? {} : { links }),
    ...(lifted.write.length + lifted.delete.length === 0 ? {} : { lifted })
  }
}

const REMEDY = "no policy lifts this; use another path or host"

/** Only for who writes or deletes: nothing of what runs later is closed to readers. */
const toLift = (verb: string, path: string): string => {
  const grant = printSpec({ name: `fs.${verb}`, pairs: [["in", path]] })
  return `have the policy name exactly this path: ${grant} in an agent's record, or ${path} under fs_reach.write`
}

const refusedFile = (request: Request.Scoped, { lifts, reason }: Forbidden): Denial => {
  const path = `/${(request.element.path ?? []).join("/")}`
  const refused = `${request.verb} not permitted for ${path}`
  return lifts
    ? refusal(
        request,
        "PATH_NOT_REACHABLE",
        `${refused} (${reason}): only a policy that names exactly this path opens it`,
        toLift(request.verb, path)
      )
    : refusal(request, "PATH_NOT_REACHABLE", `${refused}: it is always refused (${reason})`, REMEDY)
}

/**
 * The refusal of a request that the floor forbids.
 *
 * @since 0.1.0
 * @category deciding
 */
export const forbids = (floor: Floor, request: Request.Request): Denial | undefined => {
  if (request._tag === "Http") {
    return forbidsHost(request.host)
      ? refusal(request, "HOST_NOT_ALLOWED", `${request.host} is always refused`, REMEDY)
      : undefined
  }
  if (request.facet !== "files") return undefined
  const forbidden = forbidsFile(request, floor)
  return forbidden && refusedFile(request, forbidden)
}

/**
 * Whether the floor holds something below a path of files because of where that path is: a directory that is moved there
 * would bring things onto it.
 *
 * @since 0.1.0
 * @category deciding
 */
export const holdsBelow = (floor: Floor, request: Request.Request): boolean =>
  request._tag !== "Scoped" || request.facet !== "files" || forbidsBelow(request, floor)

const refusal = (request: Request.Request, code: Denial["code"], detail: string, remedy: string): Denial => ({
  reason: "scope_violation",
  code,
  detail,
  capability: request.capability,
  asked: Request.summary(request),
  held: [],
  remedy
})
