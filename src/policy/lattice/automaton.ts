/**
 * Inclusion and overlap of two globs, decided on their automata. A glob is read as a string of characters in
 * which every segment ends with SEPARATOR; two symbols are told apart only if one of the globs names them, so
 * one FRESH symbol stands for every character that neither does.
 */
import type { Token } from "./Token.js"

type Step =
  | { readonly _tag: "Symbol"; readonly symbol: string }
  | { readonly _tag: "One" }
  | { readonly _tag: "Run" }
  | { readonly _tag: "Segments" }

const SEPARATOR = "separator"
const FRESH = "fresh"

/**
 * How much work one question, or all questions of one operation, may take. Patterns can be written to make this
 * exponential, and some of them come from agents; when the fuel is gone, the answer is the one that grants less.
 */
export interface Fuel {
  steps: number
}

/** About a tenth of a second. */
export const fuel = (): Fuel => ({ steps: 1_000_000 })

const One: Step = { _tag: "One" }
const Run: Step = { _tag: "Run" }
const Segments: Step = { _tag: "Segments" }

const stepsOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<Step> =>
  tokens.flatMap((token): ReadonlyArray<Step> => {
    if (token._tag === "Deep") return [Segments]
    const units = token._tag === "Literal" ? Array.from(token.text) : token.units
    const inner = units.map(
      (unit): Step =>
        token._tag === "Wild" && unit === "*"
          ? Run
          : token._tag === "Wild" && unit === "?"
            ? One
            : { _tag: "Symbol", symbol: unit }
    )
    return [...inner, { _tag: "Symbol", symbol: SEPARATOR }]
  })

/** State `2i` stands before step `i`; state `2i + 1` stands inside a segment that step `i` (`Segments`) ate. */
type States = ReadonlyArray<number>

/** A state, and those that need no symbol to be reached from it. */
const reach = (steps: ReadonlyArray<Step>, state: number, into: Set<number>): void => {
  for (let at = state; !into.has(at); at += 2) {
    into.add(at)
    const step = at % 2 === 0 ? steps[at / 2] : undefined
    if (step !== Run && step !== Segments) return
  }
}

const advance = (steps: ReadonlyArray<Step>, state: number, symbol: string): number | undefined => {
  if (state % 2 === 1) return symbol === SEPARATOR ? state - 1 : state
  const step = steps[state / 2]
  if (step === undefined) return undefined
  switch (step._tag) {
    case "Symbol":
      return step.symbol === symbol ? state + 2 : undefined
    case "One":
      return symbol === SEPARATOR ? undefined : state + 2
    case "Run":
      return symbol === SEPARATOR ? undefined : state
    case "Segments":
      return symbol === SEPARATOR ? state : state + 1
  }
}

const move = (steps: ReadonlyArray<Step>, states: States, symbol: string, spend: Fuel): States => {
  spend.steps -= states.length + 1
  const next = new Set<number>()
  for (const state of states) {
    const to = advance(steps, state, symbol)
    if (to !== undefined) reach(steps, to, next)
  }
  return [...next].sort((a, b) => a - b)
}

const alphabet = (...all: ReadonlyArray<ReadonlyArray<Step>>): ReadonlyArray<string> => [
  ...new Set([
    FRESH,
    SEPARATOR,
    ...all.flat().flatMap((step) => (step._tag === "Symbol" ? [step.symbol] : []))
  ])
]

const accepts = (steps: ReadonlyArray<Step>, states: States): boolean => states.includes(steps.length * 2)

const start = (steps: ReadonlyArray<Step>): States => {
  const states = new Set<number>()
  reach(steps, 0, states)
  return [...states].sort((a, b) => a - b)
}

/** `false` when the fuel runs out. */
export const includes = (outer: ReadonlyArray<Token>, inner: ReadonlyArray<Token>, spend: Fuel): boolean => {
  const outerSteps = stepsOf(outer)
  const innerSteps = stepsOf(inner)
  const symbols = alphabet(outerSteps, innerSteps)
  const seen = new Set<string>()
  const pending: Array<readonly [States, States]> = []
  const visit = (ins: States, outs: States): void => {
    if (ins.length === 0) return
    const key = `${ins.join()}|${outs.join()}`
    if (seen.has(key)) return
    seen.add(key)
    pending.push([ins, outs])
  }
  visit(start(innerSteps), start(outerSteps))
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [ins, outs] = pair
    if (outs.length === 0 || spend.steps <= 0) return false
    if (accepts(innerSteps, ins) && !accepts(outerSteps, outs)) return false
    for (const symbol of symbols) {
      visit(move(innerSteps, ins, symbol, spend), move(outerSteps, outs, symbol, spend))
    }
  }
  return true
}

/** `true` when the fuel runs out: what may overlap is kept, and asked about again. */
export const overlaps = (a: ReadonlyArray<Token>, b: ReadonlyArray<Token>, spend: Fuel): boolean => {
  const aSteps = stepsOf(a)
  const bSteps = stepsOf(b)
  const symbols = alphabet(aSteps, bSteps)
  const seen = new Set<number>()
  const width = bSteps.length * 2 + 2
  const pending: Array<readonly [number, number]> = []
  const visit = (as: States, bs: States): void => {
    for (const x of as) {
      for (const y of bs) {
        const key = x * width + y
        if (seen.has(key)) continue
        seen.add(key)
        pending.push([x, y])
      }
    }
  }
  visit(start(aSteps), start(bSteps))
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [x, y] = pair
    if (spend.steps <= 0 || (accepts(aSteps, [x]) && accepts(bSteps, [y]))) return true
    for (const symbol of symbols) visit(move(aSteps, [x], symbol, spend), move(bSteps, [y], symbol, spend))
  }
  return false
}
