/**
 * What is needed of the modules that users cannot name: what those mention that they can name, in declarations and in
 * sources, and what that mentions in turn. It is followed from statement to statement.
 */
import ts from "typescript"
import { type Facts, factsOf, type Taken } from "./facts.js"

/** What is needed of one module. */
export interface Kept {
  readonly facts: Facts
  readonly statements: ReadonlySet<ts.Statement>
  /** Of the names that it exports. */
  readonly names: ReadonlySet<string>
  /** Of the modules that it passes on whole. */
  readonly passedOn: ReadonlySet<string>
}

interface Keeping extends Kept {
  readonly statements: Set<ts.Statement>
  readonly names: Set<string>
  readonly passedOn: Set<string>
}

/** What a module takes from others, whatever it does with it. */
export const takenBy = ({
  exported,
  imported,
  passedOn,
  statements,
  usesIn
}: Facts): ReadonlyArray<Taken> => [
  ...[...imported.values()].filter(({ name }) => name !== "*"),
  ...[...exported.values()].filter((value) => typeof value !== "string"),
  ...passedOn.map((from) => ({ from, name: "*" })),
  ...statements
    .filter((statement) => !ts.isImportDeclaration(statement))
    .flatMap((statement) => usesIn(statement).flatMap(({ taken }) => taken ?? []))
]

const allOf = ({ exported, passedOn }: Facts, from: string): ReadonlyArray<Taken> => [
  ...[...exported.keys()].map((name) => ({ from, name })),
  ...passedOn.map((other) => ({ from: other, name: "*" }))
]

interface Surroundings {
  readonly declarationOf: (module: string) => string
  /** Whether all of a module is there anyway. */
  readonly isThere: (module: string) => boolean
}

/** By module, in the order of their names, what is needed of it if all that is wanted is to be there. */
export const needed = (
  wanted: ReadonlyArray<Taken>,
  { declarationOf, isThere }: Surroundings
): ReadonlyMap<string, Kept> => {
  const known = new Map<string, Facts>()
  const kept = new Map<string, Keeping>()
  const waiting = [...wanted]

  const factsAbout = (module: string): Facts => {
    const facts = known.get(module) ?? factsOf(module, declarationOf(module))
    known.set(module, facts)
    return facts
  }

  const keptOf = (module: string): Keeping => {
    const found = kept.get(module) ?? {
      facts: factsAbout(module),
      statements: new Set(),
      names: new Set(),
      passedOn: new Set()
    }
    kept.set(module, found)
    return found
  }

  const gives = (module: string, name: string): boolean => {
    const { exported, passedOn } = factsAbout(module)
    return exported.has(name) || passedOn.some((from) => gives(from, name))
  }

  const keepLocal = (keeping: Keeping, local: string): void => {
    const { facts, statements } = keeping
    const taken = facts.imported.get(local)
    if (taken !== undefined) waiting.push(taken)
    for (const statement of facts.declared.get(local) ?? []) {
      if (statements.has(statement)) continue
      statements.add(statement)
      for (const use of facts.usesIn(statement)) {
        if (use.taken !== undefined) waiting.push(use.taken)
        else if (use.local !== undefined) keepLocal(keeping, use.local)
      }
    }
  }

  /** What a module gives without saying so, because it passes on all that another gives. */
  const throughAnother = ({ facts, passedOn }: Keeping, { from: module, name }: Taken): Taken => {
    const from = facts.passedOn.find((other) => gives(other, name))
    if (from === undefined) throw new Error(`${module} does not export ${name}, which is taken from it`)
    passedOn.add(from)
    return { from, name }
  }

  const keep = (taken: Taken): void => {
    const keeping = keptOf(taken.from)
    const { facts, names, passedOn } = keeping
    if (names.has(taken.name)) return
    names.add(taken.name)
    if (taken.name === "*") {
      for (const from of facts.passedOn) passedOn.add(from)
      waiting.push(...allOf(facts, taken.from))
    } else {
      const value = facts.exported.get(taken.name)
      if (typeof value === "string") keepLocal(keeping, value)
      else waiting.push(value ?? throughAnother(keeping, taken))
    }
  }

  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!isThere(next.from)) keep(next)
  }
  return new Map([...kept].sort(([a], [b]) => (a < b ? -1 : 1)))
}
