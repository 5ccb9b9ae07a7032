/**
 * A plan as a profile for `sandbox-exec` of macOS. Text in, text out: it can be looked at and evaluated anywhere, and is
 * enforced on macOS alone. It has never been run there by those who wrote it.
 *
 * Of the rules for an operation the last that matches decides. So the rules stand as the plan is carried out, outer before
 * inner, and what may not be moved comes last.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { type Cover, type Mount, type Plan, viewOf } from "../../../../policy/confinement/Plan.js"
import { above, type Filter, filterOf, type Nameless, named, rule } from "./rules.js"
import { devices, readable, services, shortcuts } from "./system.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** A directory of the child's own, by its real path: for what it writes in passing, and its home. */
  readonly tmp?: string | undefined
  /** Where the proxy of this one call listens on the loopback address. It knows the child by a token. */
  readonly proxyPort?: number | undefined
}

/**
 * Why there is no profile, in a sentence.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refused {
  readonly detail: string
}

const READ = "file-read* file-map-executable process-exec"
const WRITE = "file-write*"

type Step = { readonly as: "read" | "write" | "frozen" | "hidden"; readonly filter: Filter }

/** The cover of a path comes behind the mount there. */
const stepsOf = ({ covers, mounts }: Plan): ReadonlyArray<Step> => {
  const depth = (path: string) => above(path).length
  const all: ReadonlyArray<{ readonly rank: number; readonly path: string; readonly step: Step }> = [
    ...mounts.map((mount: Mount) => ({
      rank: 0,
      path: mount.path,
      step: { as: mount.access, filter: filterOf(mount.path, mount.kind === "tree") }
    })),
    ...covers.map((cover: Cover) => ({
      rank: 1,
      path: cover.path,
      step: { as: cover.as, filter: filterOf(cover.path, true) }
    }))
  ]
  return [...all]
    .sort((a, b) => depth(a.path) - depth(b.path) || a.rank - b.rank || (a.path < b.path ? -1 : 1))
    .map(({ step }) => step)
}

/** Of neighbours that say the same one rule is made. */
const grouped = (steps: ReadonlyArray<Step>): ReadonlyArray<readonly [Step["as"], ReadonlyArray<Filter>]> => {
  const groups: Array<[Step["as"], Array<Filter>]> = []
  for (const { as, filter } of steps) {
    const last = groups.at(-1)
    if (last?.[0] === as) last[1].push(filter)
    else groups.push([as, [filter]])
  }
  return groups
}

/** What the parts of a plan come to: what is only read inside of what is written is not written. */
const ruled = (as: Step["as"], filters: ReadonlyArray<Filter>): ReadonlyArray<string> => {
  switch (as) {
    case "read":
      return [...rule("allow", READ, filters), ...rule("deny", WRITE, filters)]
    case "write":
      return rule("allow", `${READ} ${WRITE}`, filters)
    case "frozen":
      return rule("deny", WRITE, filters)
    case "hidden":
      return rule("deny", `${READ} ${WRITE}`, filters)
  }
}

/**
 * Directories that are written, and hold something that is not: moved away, they would take it along. To move is to unlink.
 * Nor does the root of what is written go away.
 */
const pinned = (plan: Plan): ReadonlyArray<string> => {
  const accessAt = viewOf(plan)
  const guarded = [...plan.covers, ...plan.mounts.filter(({ access }) => access === "read")]
  return [
    ...new Set([
      ...plan.mounts
        .filter(({ access, kind }) => access === "write" && kind === "tree")
        .map(({ path }) => path),
      ...guarded.flatMap(({ path }) => above(path)).filter((path) => accessAt(path) === "write")
    ])
  ].sort()
}

/** Every directory on the way to something, so that it can be walked to. What is in one is not told. */
const waysTo = (paths: ReadonlyArray<string>): ReadonlyArray<Filter> =>
  [...new Set(["/", ...paths.flatMap(above)])].sort().map((path) => filterOf(path, false))

const PORTS = 65_535

/**
 * The profile of a plan, or why none can be made: a plan that cannot be said exactly is not said at all. There are no
 * doors: the child has the network of the machine and none of it, and reaches its proxy alone.
 *
 * @since 0.1.0
 * @category conversions
 */
export const profile = (plan: Plan, { proxyPort, tmp }: Options = {}): Either.Either<string, Refused> => {
  const own = tmp === undefined ? [] : [tmp]
  const paths = [...plan.mounts, ...plan.covers].map(({ path }) => path)
  const links = plan.links.map(([path]) => path)
  const all = [...paths, ...links, ...own, plan.binary]
  if (paths.length + own.length === 0) {
    return Either.left({ detail: "a profile needs a directory that the child may use, and there is none" })
  }
  if (proxyPort !== undefined && !(Number.isInteger(proxyPort) && proxyPort > 0 && proxyPort <= PORTS)) {
    return Either.left({ detail: `${proxyPort} is no port that a proxy listens on` })
  }
  const nameless: Nameless | undefined = all.map(named).find((one) => one !== undefined)
  if (nameless !== undefined) return Either.left({ detail: nameless })
  const trees = own.map((path) => filterOf(path, true))
  return Either.right(
    [
      "(version 1)",
      "(deny default)",
      ...services,
      ...devices,
      ...rule("allow", "file-read-metadata", [
        ...waysTo([...readable.map(([path]) => path), ...all]),
        ...[...shortcuts, ...links].map((path) => filterOf(path, false))
      ]),
      ...rule(
        "allow",
        READ,
        readable.map(([path, isTree]) => filterOf(path, isTree))
      ),
      ...grouped(stepsOf(plan)).flatMap(([as, filters]) => ruled(as, filters)),
      // Its own wherever it lies, be that in what is only read, or hidden from others.
      ...rule("allow", "file-read-metadata", own.length === 0 ? [] : waysTo(own)),
      ...rule("allow", `${READ} ${WRITE}`, trees),
      ...rule(
        "deny",
        "file-write-unlink",
        [...own, ...pinned(plan)].map((path) => filterOf(path, false))
      ),
      // Visible wherever it lies.
      ...rule("allow", READ, [filterOf(plan.binary, false)]),
      ...(proxyPort === undefined || !plan.reaches
        ? []
        : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]),
      ""
    ].join("\n")
  )
}

/**
 * It comes with the system, and nobody but the system may write it.
 *
 * @since 0.1.0
 * @category defaults
 */
export const PROGRAM = "/usr/bin/sandbox-exec"

/** No profile is longer: it goes into the arguments of a program. */
const LONGEST = 512 * 1024

/**
 * What starts a command under a profile.
 *
 * @since 0.1.0
 * @category conversions
 */
export const commandLine = (
  text: string,
  argv: ReadonlyArray<string>,
  program: string = PROGRAM
): Either.Either<readonly [file: string, ...args: ReadonlyArray<string>], Refused> =>
  Buffer.byteLength(text) > LONGEST
    ? Either.left({
        detail: "what the child may not see or change is too much for one profile; grant smaller trees"
      })
    : Either.right([program, "-p", text, "--", ...argv])
