/**
 * Private declarations of a folder in one file: each alone is small, and what it imports and how its file begins costs as
 * much as what it says. Those that call different things the same stand in different files.
 */
import { posix } from "node:path"
import ts from "typescript"
import type { Facts, Taken } from "./facts.js"
import type { Kept } from "./needed.js"
import { publishedName } from "./specifiers.js"
import { usedIn } from "./trimmed.js"

export interface Grouped {
  /** By the names under which they are published, which modules stand together. */
  readonly groups: ReadonlyMap<string, ReadonlyArray<string>>
  /** The name under which a module is published, alone or with others. */
  readonly nameOf: (module: string) => string
  /** What stands above all that the modules of a group declare. */
  readonly importsOf: (group: string) => string
}

/** A name, and what it stands for: two mean the same if their texts are the same. */
type Meanings = Map<string, string>

const meaningOf = ({ from, name }: Taken): string => `${from}#${name}`

const importOf = ({ fromPackages, imported }: Facts, local: string): Taken | undefined =>
  imported.get(local) ?? fromPackages.get(local)

/** Everything that a module calls by a name, inside or towards others. What it neither has nor takes is of the language. */
const meanings = (module: string, kept: Kept): Meanings => {
  const { facts, names } = kept
  const found: Meanings = new Map()
  for (const local of usedIn(kept)) {
    const from = facts.declared.has(local) ? module : "the language"
    found.set(local, meaningOf(importOf(facts, local) ?? { from, name: local }))
  }
  for (const name of names) {
    const local = facts.exported.get(name)
    if (typeof local === "string") found.set(name, meaningOf({ from: module, name: local }))
  }
  return found
}

/** Modules that are taken whole, and must not have others among them. */
export const takenWhole = ({ exported, imported, passedOn }: Facts): ReadonlyArray<string> => [
  ...passedOn,
  ...[...imported.values(), ...exported.values()].flatMap((taken) =>
    typeof taken !== "string" && taken.name === "*" ? taken.from : []
  )
]

/** Whether a module has nothing but declarations and imports of names, which can stand anywhere. */
const canBeMoved = ({ facts: { statements }, names }: Kept): boolean =>
  !names.has("*") &&
  statements.every((statement) =>
    ts.isImportDeclaration(statement)
      ? statement.importClause !== undefined
      : !(ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined)
  )

interface Group {
  readonly modules: Array<string>
  readonly meanings: Meanings
}

const fits = (group: Group, others: Meanings): boolean =>
  [...others].every(([name, meaning]) => (group.meanings.get(name) ?? meaning) === meaning)

/** By folder, as few groups as come of taking the first that fits. */
const groupsOf = (rest: ReadonlyMap<string, Kept>): ReadonlyMap<string, ReadonlyArray<Group>> => {
  const found = new Map<string, Array<Group>>()
  for (const [module, kept] of rest) {
    const folder = posix.dirname(module)
    const groups = found.get(folder) ?? []
    found.set(folder, groups)
    const own = meanings(module, kept)
    const made: Group = { modules: [], meanings: new Map() }
    const group = groups.find((one) => fits(one, own)) ?? made
    if (group === made) groups.push(made)
    group.modules.push(module)
    for (const [name, meaning] of own) group.meanings.set(name, meaning)
  }
  return found
}

/** Those that must stay alone are not among them. */
const namedGroups = (rest: ReadonlyMap<string, Kept>): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    [...groupsOf(new Map([...rest].filter(([, kept]) => canBeMoved(kept))))].flatMap(([folder, groups]) =>
      groups
        .filter(({ modules }) => modules.length > 1)
        .map(({ modules }, at) => [
          publishedName(posix.join(folder, `private${at === 0 ? "" : at + 1}`)),
          modules
        ])
    )
  )

const clauseOf = (local: string, name: string): string => (local === name ? name : `${name} as ${local}`)

/** `isAlone` says which modules have a file of their own in any case. */
export const grouped = (rest: ReadonlyMap<string, Kept>, isAlone: (module: string) => boolean): Grouped => {
  const groups = namedGroups(new Map([...rest].filter(([module]) => !isAlone(module))))
  const names = new Map(
    [...groups].flatMap(([name, modules]) => modules.map((module) => [module, name] as const))
  )
  const nameOf = (module: string): string => names.get(module) ?? publishedName(module)

  const importsOf = (group: string): string => {
    const modules = groups.get(group) ?? []
    const wholes = new Set<string>()
    const clauses = new Map<string, Set<string>>()
    for (const module of modules) {
      const kept = rest.get(module)
      for (const local of kept === undefined ? [] : usedIn(kept)) {
        const taken = kept && importOf(kept.facts, local)
        if (taken === undefined || (modules.includes(taken.from) && taken.name === local)) continue
        const from = kept?.facts.imported.has(local) ? `./${nameOf(taken.from)}.js` : taken.from
        if (taken.name === "*") wholes.add(`import * as ${local} from "${from}"\n`)
        else if (taken.name === "default") wholes.add(`import ${local} from "${from}"\n`)
        else clauses.set(from, (clauses.get(from) ?? new Set()).add(clauseOf(local, taken.name)))
      }
    }
    return [
      ...wholes,
      ...[...clauses].map(([from, names]) => `import { ${[...names].join(", ")} } from "${from}"\n`)
    ].join("")
  }

  return { groups, nameOf, importsOf }
}
