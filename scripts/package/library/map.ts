/**
 * The map from a declaration to its source, less what no editor asks for. An editor asks where a name is declared, and
 * where the statement around it begins and ends; the compiler writes down every token.
 */
import ts from "typescript"
import type { Edited } from "./edit.js"

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/** The numbers of a segment: five bits in each digit, the lowest first, and the sign below them all. */
const numbersIn = (segment: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  let [value, shift] = [0, 0]
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit)
    value |= (bits & 31) << shift
    shift += 5
    if (bits & 32) continue
    found.push(value & 1 ? -(value >> 1) : value >> 1)
    value = 0
    shift = 0
  }
  return found
}

const digitsOf = (number: number): string => {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1
  let digits = ""
  do {
    const bits = rest & 31
    rest >>= 5
    digits += DIGITS[rest > 0 ? bits | 32 : bits]
  } while (rest > 0)
  return digits
}

/** A column of the declaration, and the line and column of the source; of the one source that there is. */
type Segment = readonly [column: number, sourceLine: number, sourceColumn: number]

/** By the lines of the declaration. In a map each number is the distance from the one before. */
const decoded = (mappings: string): ReadonlyArray<ReadonlyArray<Segment>> => {
  let [line, column] = [0, 0]
  return mappings.split(";").map((text) => {
    let at = 0
    return (text === "" ? [] : text.split(",")).map((segment) => {
      const [ahead = 0, , lines = 0, columns = 0] = numbersIn(segment)
      at += ahead
      line += lines
      column += columns
      return [at, line, column]
    })
  })
}

const encoded = (lines: ReadonlyArray<ReadonlyArray<Segment>>): string => {
  let [line, column] = [0, 0]
  const texts = lines.map((segments) => {
    let at = 0
    return segments
      .map(([ahead, toLine, toColumn]) => {
        const digits = [ahead - at, 0, toLine - line, toColumn - column].map(digitsOf).join("")
        at = ahead
        line = toLine
        column = toColumn
        return digits
      })
      .join(",")
  })
  return texts.join(";").replace(/;+$/, "")
}

/** What is declared for others to name: not what a function calls its parameters. */
const nameOf = (node: ts.Node): ts.Node | undefined =>
  ts.isIdentifier(node) || ts.isParameter(node) || ts.isTypeParameterDeclaration(node)
    ? undefined
    : ts.getNameOfDeclaration(node as ts.Declaration)

/** By lines, where the names and statements of a declaration begin and end. */
const asked = (declaration: string): ReadonlyArray<ReadonlyArray<number>> => {
  const file = ts.createSourceFile("declaration.d.ts", declaration, ts.ScriptTarget.ESNext, true)
  const found: Array<Array<number>> = file.getLineStarts().map(() => [])
  const add = (node: ts.Node): void => {
    for (const place of [node.getStart(), node.end]) {
      const { character, line } = file.getLineAndCharacterOfPosition(place)
      found[line]?.push(character)
    }
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return
    const name = nameOf(node)
    if (name !== undefined) add(name)
    if (ts.isStatement(node)) add(node)
    node.forEachChild(visit)
  }
  visit(file)
  return found
}

/** What is found for each place: the compiler takes what stands there, or else what comes next, be it in another line. */
const segmentsFor = (
  places: ReadonlyArray<ReadonlyArray<number>>,
  lines: ReadonlyArray<ReadonlyArray<Segment>>
): ReadonlySet<Segment | undefined> => {
  const nextAfter = (line: number) => lines.slice(line + 1).find((segments) => segments.length > 0)?.[0]
  return new Set(
    places.flatMap((columns, line) =>
      columns.map((column) => lines[line]?.find(([at]) => at >= column) ?? nextAfter(line))
    )
  )
}

const lineStarts = (text: string): ReadonlyArray<number> => [
  0,
  ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)
]

type Place = readonly [line: number, column: number]

/** Where the places of a text are after it was edited. */
const moving = (before: string, { moved, text }: Edited): ((place: Place) => Place) => {
  const [from, to] = [lineStarts(before), lineStarts(text)]
  return ([line, column]) => {
    const place = moved((from[line] ?? before.length) + column)
    const found = to.findLastIndex((start) => start <= place)
    return [found, place - (to[found] ?? 0)]
  }
}

interface Texts<Text> {
  readonly declaration: Text
  readonly source: Text
}

/** From the map that the compiler has made, for texts that were edited since. */
export const mapOfNames = (
  name: string,
  { declaration, map, source }: Texts<string> & { readonly map: string },
  edited: Texts<Edited>
): string => {
  const { mappings }: { readonly mappings: string } = JSON.parse(map)
  const [declared, written] = [moving(declaration, edited.declaration), moving(source, edited.source)]
  const lines = decoded(mappings).map((segments, line) =>
    segments.map(([column, ...place]): Segment => [declared([line, column])[1], ...written(place)])
  )
  const kept = segmentsFor(asked(edited.declaration.text), lines)
  return JSON.stringify({
    version: 3,
    // Editors do not take a map that lacks the name of its file.
    file: `${name}.d.ts`,
    sources: [`${name}.source.ts`],
    mappings: encoded(lines.map((segments) => segments.filter((segment) => kept.has(segment))))
  })
}
