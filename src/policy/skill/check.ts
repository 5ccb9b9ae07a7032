/** Whether an agent holds what a skill requires, asked of the lattice. */
import { Either } from "effect"
import type { AgentRecord } from "../agent/AgentRecord.js"
import * as Catalog from "../grant/Catalog.js"
import * as Grant from "../grant/Grant.js"
import { type Root, rootOf } from "../grant/Roots.js"
import * as Authority from "../lattice/Authority.js"
import type { Requirement } from "./tools.js"

export interface Where {
  readonly home?: string | undefined
  readonly sandbox?: string | undefined
  readonly real?: ((path: string) => string) | undefined
  readonly root?: string | undefined
}

type Holder = Pick<AgentRecord, "authority" | "held" | "root">

const needsRoot = ({ name, scope }: Grant.Grant): boolean =>
  Catalog.find(name)?.needsRoot === true && scope.in === undefined

/** The root of the agent's own, if it can be read. */
const ownRoot = ({ root }: Holder, where: Where): Root | undefined =>
  root === undefined ? undefined : Either.getOrUndefined(rootOf(root, where))

/** The directories that the agent works in: its own root, and those of its grants. */
const rootsOf = (agent: Holder, where: Where): ReadonlyArray<Root> => {
  const all = [ownRoot(agent, where), ...agent.held.map(({ compiled }) => compiled.root)].flatMap(
    (root) => root ?? []
  )
  return [...new Map(all.map((one) => [`${one.tree.key} ${one.real.key}`, one])).values()]
}

const compiledAt = (
  grant: Grant.Grant,
  where: Where,
  bound: Root | undefined
): ReadonlyArray<Authority.Authority> =>
  Either.match(Grant.compile(grant, { home: where.home, real: where.real, bound }), {
    onLeft: () => [],
    onRight: (compiled) => [Grant.authority([compiled])]
  })

/** What is required, once for each place that it may be required at. */
const wanted = (grant: Grant.Grant, roots: ReadonlyArray<Root>, where: Where) =>
  needsRoot(grant)
    ? roots.flatMap((root) => compiledAt(grant, where, root))
    : compiledAt(grant, where, undefined)

const everywhere = (grant: Grant.Grant): Grant.Grant =>
  needsRoot(grant) ? { ...grant, scope: { in: "/", ...grant.scope } } : grant

const holds = (
  { extent, grant }: Requirement,
  held: Authority.Authority,
  roots: ReadonlyArray<Root>,
  where: Where
): boolean =>
  extent === "all"
    ? wanted(grant, roots, where).some((one) => Authority.within(one, held))
    : compiledAt(everywhere(grant), where, undefined).some(
        (one) => !Authority.isNothing(Authority.meet(one, held))
      )

const EXAMPLE = "~/project"

/**
 * The grant to write. It names its root even where the agent has one: the shorthand that gives it that may be written
 * out, and then is there no more.
 */
const toWrite = (grant: Grant.Grant, agent: Holder, where: Where): Grant.Grant => {
  if (!needsRoot(grant)) return grant
  const rooted = agent.held.filter(({ compiled }) => compiled.root !== undefined)
  const near = rooted.find(({ grant: { name } }) => name === grant.name) ?? rooted[0]
  const place = ownRoot(agent, where)?.written ?? near?.compiled.root?.written ?? where.root ?? EXAMPLE
  return { ...grant, scope: { in: place, ...grant.scope } }
}

/** Why a grant would give nothing here, were it written. */
const inertness = (grant: Grant.Grant, where: Where): Grant.Inert | undefined => {
  const bound = where.sandbox === undefined ? undefined : Either.getOrUndefined(rootOf(where.sandbox, where))
  const compiled = Grant.compile(grant, { home: where.home, real: where.real, bound })
  return Either.isRight(compiled) ? compiled.right.inert : undefined
}

export interface Lacking {
  /** What to write. */
  readonly grant: Grant.Grant
  /** Why it would give nothing here even so: the workspace keeps agents elsewhere. */
  readonly inert: Grant.Inert | undefined
}

/** Of these requirements, what the agent does not hold. */
export const lackingOf = (agent: Holder, where: Where) => {
  const roots = rootsOf(agent, where)
  return (requirements: ReadonlyArray<Requirement>): ReadonlyArray<Lacking> =>
    requirements
      .filter((requirement) => !holds(requirement, agent.authority, roots, where))
      .map(({ grant }) => {
        const written = toWrite(grant, agent, where)
        return { grant: written, inert: inertness(written, where) }
      })
}
