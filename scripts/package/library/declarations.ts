/**
 * Which declarations are published, and with which sources. A source stands beside its declaration, as `Tool.d.ts` and
 * `Tool.source.ts`: whatever it imports is then found as the compiler finds it, in the declarations.
 */
import ts from "typescript"
import { type Edited, edited } from "./edit.js"
import { factsOf } from "./facts.js"
import { type Grouped, grouped, takenWhole } from "./grouped.js"
import { checkSame, inHouseStyle } from "./houseStyle.js"
import { mapOfNames } from "./map.js"
import type { Named } from "./named.js"
import { type Kept, needed, takenBy } from "./needed.js"
import { renamedSpecifiers } from "./specifiers.js"
import { trimmed } from "./trimmed.js"
import { withoutDocs } from "./withoutDocs.js"

export interface Module {
  readonly source: string
  readonly declaration: string
  readonly map: string
}

const parsed = (path: string, text: string): ts.SourceFile =>
  ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)

type NameOf = (module: string) => string

/** A declaration that names others as they are published, in the style of the sources. */
const styled = (name: string, declaration: string, nameOf: NameOf): Edited => {
  const file = parsed("declaration.d.ts", declaration)
  const specifiers = renamedSpecifiers(name, file, nameOf)
  const result = edited(declaration, [...specifiers, ...inHouseStyle(file)])
  checkSame(name, edited(declaration, specifiers).text, result.text)
  return result
}

const MAP = /\/\/# sourceMappingURL=.*$/

type Files = ReadonlyArray<readonly [path: string, text: string]>

/** A module with its source, and what leads there. */
const withSource = (name: string, module: Module, nameOf: NameOf): Files => {
  const to = nameOf(name)
  const specifiers = renamedSpecifiers(name, parsed("source.ts", module.source), nameOf)
  const source = edited(module.source, specifiers)
  const declaration = styled(name, module.declaration, nameOf)
  return [
    [`${to}.source.ts`, source.text],
    [`${to}.d.ts`, declaration.text.replace(MAP, `//# sourceMappingURL=${to}.d.ts.map`)],
    [`${to}.d.ts.map`, mapOfNames(to, module, { declaration, source })]
  ]
}

/** What is needed of the other modules, some of them together. */
const withoutSources = (rest: ReadonlyMap<string, Kept>, { groups, importsOf, nameOf }: Grouped): Files => {
  const together = new Set([...groups.values()].flat())
  const textOf = ([name, kept]: readonly [string, Kept]): string =>
    styled(name, trimmed(name, kept, !together.has(name)), nameOf).text
  const alone = [...rest].filter(([name]) => !together.has(name))
  return [
    ...alone.map((one) => [`${nameOf(one[0])}.d.ts`, textOf(one)] as const),
    ...[...groups].map(([to, names]) => {
      const texts = [...rest].filter(([name]) => names.includes(name)).map(textOf)
      return [`${to}.d.ts`, `${importsOf(to)}${texts.join("")}`] as const
    })
  ]
}

/**
 * The files to publish, by path. Where a module declares what users can use, its source is there to be read and its
 * declaration leads to it. What else those two mention is there as a declaration, and nothing else is there at all.
 */
export const publishedDeclarations = (
  modules: ReadonlyMap<string, Module>,
  { typesAlone, used }: Named
): ReadonlyMap<string, string> => {
  const moduleAt = (name: string): Module => {
    const module = modules.get(name)
    if (module === undefined) throw new Error(`${name} is no module of the library`)
    return module
  }
  const known = [...used].flatMap((name) => {
    const { declaration, source } = moduleAt(name)
    return [factsOf(name, declaration), factsOf(name, source)]
  })
  const rest = needed(known.flatMap(takenBy), {
    declarationOf: (name) => {
      const declaration = moduleAt(name).declaration.replace(MAP, "")
      return typesAlone.has(name) ? declaration : withoutDocs(declaration)
    },
    isThere: (name) => used.has(name)
  })
  const whole = new Set([...known, ...[...rest.values()].map(({ facts }) => facts)].flatMap(takenWhole))
  const together = grouped(rest, (name) => typesAlone.has(name) || whole.has(name))
  return new Map([
    ...[...used].flatMap((name) => withSource(name, moduleAt(name), together.nameOf)),
    ...withoutSources(rest, together)
  ])
}
