/** How tools differ from the lock. What a declaration touches is asked of the lattice, and of nothing else. */
import { Either } from "effect"
import { type Capabilities, ofItself } from "../../capabilities/Capabilities.js"
import * as Declaration from "../../capabilities/Declaration.js"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Origin } from "../../policy/ToolOrigin.js"
import { ordered } from "../../policy/text/OrderedJson.js"
import type { Change, Comparison, Isolated, Kind, Line, Locked, Manifest, Pinned } from "./Model.js"
import { serverChanges } from "./servers.js"

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Nobody knows whose home it will be: a directory that neither declaration names, and that is within none but `/`. */
const someHome = (...declared: ReadonlyArray<Capabilities>): string => {
  const text = JSON.stringify(declared)
  let home = "/~"
  while (text.includes(home)) home += "~"
  return home
}

/** A declaration was checked when it was made or read: one that cannot be compiled here is asked for as everything. */
const asking = (declared: Capabilities, home: string): Authority.Authority =>
  Either.getOrElse(Declaration.authority(declared, { home }), () => Authority.everything)

const holding = (declared: Capabilities, home: string): Authority.Authority =>
  Either.getOrElse(Declaration.authority(declared, { home }), () => Authority.nothing)

const lineOf = ({ key, open, value }: Declaration.Listed): Line => ({
  key,
  value,
  ...(open ? { open } : {})
})

const nameOf = ({ capability, scope }: Authority.Lacking): string => `${capability} ${scope}`

/** What `wide` lists and `held` does not cover. It is empty exactly when `within(wide, held)`. */
const outside = (wide: Capabilities, held: Capabilities, home: string): ReadonlyArray<Line> => {
  const lacking = Authority.lacking(asking(wide, home), holding(held, home))
  if (lacking.length === 0) return []
  const scopes = new Set(lacking.map(nameOf))
  const lines = Declaration.listed(wide).filter(({ alone }) =>
    Authority.lacking(asking(alone, home), Authority.nothing).some((one) => scopes.has(nameOf(one)))
  )
  return lines.length > 0
    ? lines.map(lineOf)
    : lacking.map(({ capability, scope }) => ({ key: capability, value: scope }))
}

/** The same of a tool with its children, and of the tool itself: what was for children alone may now be in its own hands. */
const beyond = (wide: Capabilities, held: Capabilities, home: string): ReadonlyArray<Line> => {
  const lines = [...outside(wide, held, home), ...outside(ofItself(wide), ofItself(held), home)]
  return lines.filter((line, at) => lines.findIndex((other) => same(other, line)) === at)
}

const without = (all: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set(others)
  return all.filter((one) => !taken.has(one))
}

/** A tool of somebody else: its words are as little to be trusted as its code. */
export const isForeign = ({ module, plugin, server }: Origin): boolean =>
  [module, plugin, server].some((one) => one !== undefined)

const added = (tool: string, now: Locked): Change => ({
  tool,
  kind: "added",
  passes: false,
  from: now.from,
  more: Declaration.listed(now.capabilities).map(lineOf),
  less: [],
  services: { added: now.services, removed: [] },
  description: false,
  parameters: false,
  spelling: false,
  ...(now.says === undefined ? {} : { words: { now: now.says } }),
  ...(now.isolated === undefined ? {} : { isolated: { now: now.isolated } })
})

const removed = (tool: string, { from }: Locked): Change => ({
  tool,
  kind: "removed",
  passes: true,
  from,
  more: [],
  less: [],
  services: { added: [], removed: [] },
  description: false,
  parameters: false,
  spelling: false
})

const kindOf = ({ less, more, services }: Pick<Change, "less" | "more" | "services">): Kind => {
  if (more.length > 0 || services.added.length > 0) return "widened"
  return less.length > 0 || services.removed.length > 0 ? "narrowed" : "changed"
}

/** What a model is shown of a server's tool beside its description and parameters. */
const besides = ({ description: _, parameters: __, ...rest }: Pinned): unknown => ordered(rest)

/** What a server says may not have been written down before. */
const saysOther = (was: Pinned | undefined, now: Pinned | undefined): boolean =>
  now !== undefined && (was === undefined || !same(besides(was), besides(now)))

/** Nothing of it is let pass: a tool that describes itself otherwise in any part is withheld. */
const tellsOther = (was: Isolated | undefined, now: Isolated | undefined): boolean =>
  now !== undefined && !same(ordered(was?.says), ordered(now.says))

const WRITTEN = new Set(["capabilities", "description", "idempotent", "parameters", "services"])

/** What its process says of an isolated tool, beside what is written down of every tool. */
const rest = (isolated: Isolated | undefined): unknown =>
  ordered(Object.fromEntries(Object.entries(isolated?.says ?? {}).filter(([key]) => !WRITTEN.has(key))))

/** Nothing where the tool is as it is locked. */
export const changeOf = (tool: string, locked: Locked | undefined, now: Locked): Change | undefined => {
  if (locked === undefined) return added(tool, now)
  const respelled = !same(locked.capabilities, now.capabilities)
  const home = respelled ? someHome(locked.capabilities, now.capabilities) : ""
  const more = respelled ? beyond(now.capabilities, locked.capabilities, home) : []
  const less = respelled ? beyond(locked.capabilities, now.capabilities, home) : []
  const services = {
    added: without(now.services, locked.services),
    removed: without(locked.services, now.services)
  }
  const kind = kindOf({ less, more, services })
  const [description, parameters] = [
    now.description !== locked.description,
    now.parameters !== locked.parameters
  ]
  const moved = !same(locked.from, now.from)
  const tells = tellsOther(locked.isolated, now.isolated)
  const repeats = locked.idempotent !== now.idempotent
  const isNamed = respelled || description || parameters || repeats || kind !== "changed"
  const isOther = tells && (!isNamed || !same(rest(locked.isolated), rest(now.isolated)))
  const says = saysOther(locked.says, now.says) || isOther
  const steers = (description || parameters || says || tells || repeats) && isForeign(now.from)
  if (!(respelled || description || parameters || moved || says || tells || repeats) && kind === "changed") {
    return undefined
  }
  return {
    tool,
    kind,
    passes: kind !== "widened" && !moved && !steers,
    from: now.from,
    ...(moved ? { was: locked.from } : {}),
    more,
    less,
    services,
    description,
    parameters,
    spelling: respelled && more.length === 0 && less.length === 0,
    ...(says ? { says } : {}),
    ...(repeats ? { idempotent: now.idempotent === true } : {}),
    ...(now.says !== undefined && (description || parameters || says)
      ? { words: { now: now.says, was: locked.says } }
      : {}),
    ...(now.isolated !== undefined && (description || parameters || says)
      ? { isolated: { now: now.isolated, was: locked.isolated } }
      : {})
  }
}

/**
 * How the tools differ from the lock. A tool that is new, that touches more, that comes from elsewhere, or that is a
 * server's or a plugin's and speaks to the model in other words does not pass; nor does a server that requires more.
 *
 * @since 0.1.0
 * @category comparing
 */
export const compare = (locked: Manifest, now: Manifest): Comparison => {
  const changes = [
    ...[...now.tools].flatMap(([name, tool]) => changeOf(name, locked.tools.get(name), tool) ?? []),
    ...[...locked.tools].flatMap(([name, tool]) => (now.tools.has(name) ? [] : [removed(name, tool)]))
  ].sort((a, b) => (a.tool < b.tool ? -1 : 1))
  const servers = serverChanges(locked, now)
  return {
    passes: [...changes, ...servers].every(({ passes }) => passes),
    tools: now.tools.size,
    changes,
    ...(servers.length === 0 ? {} : { servers })
  }
}
