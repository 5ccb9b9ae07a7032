/** One of a list, with arrow keys. Typing narrows the list; a list that is longer than the screen is scrolled. */
import { cut, padded, type Terminal, widthOf, wrap } from "../report/Terminal.js"
import { Abandoned, type Dialogue } from "./Dialogue.js"
import type { Key } from "./Key.js"
import { edited, emptyLine, type Line, textOf } from "./Line.js"

export interface Choice<A> {
  readonly value: A
  readonly name: string
  /** A word in a column of its own, in its colour. */
  readonly label: string
  readonly paint: (text: string) => string
  readonly about: string
  /** What is shown of the one that the cursor is at. */
  readonly detail: string
}

export interface State<A> {
  readonly all: ReadonlyArray<Choice<A>>
  readonly filter: Line
  readonly at: number
}

const matching = <A>({ all, filter }: State<A>): ReadonlyArray<Choice<A>> => {
  const words = textOf(filter).toLowerCase().split(/\s+/)
  return all.filter(({ about, label, name }) => {
    const text = `${name} ${label} ${about}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

const PAGE = 10

/** `j` and `k` move as long as nothing is typed: no name starts with them. */
const moveOf = (key: Key, typing: boolean): number | undefined => {
  if (key.name === "text" && !typing && !key.pasted) {
    const steps = /^(?:j+|k+)$/.test(key.text) ? key.text.length : undefined
    return steps === undefined ? undefined : key.text.startsWith("j") ? steps : -steps
  }
  const moves: Partial<Record<Key["name"], number>> = {
    down: 1,
    up: -1,
    pageDown: PAGE,
    pageUp: -PAGE,
    home: Number.NEGATIVE_INFINITY,
    end: Number.POSITIVE_INFINITY
  }
  return moves[key.name]
}

const within = (at: number, length: number): number => Math.max(0, Math.min(at, length - 1))

/** The next state after a key that neither picks nor leaves. */
export const moved = <A>(state: State<A>, key: Key): State<A> => {
  const move = moveOf(key, textOf(state.filter) !== "")
  if (move !== undefined) return { ...state, at: within(state.at + move, matching(state).length) }
  if (key.name === "left" || key.name === "right") return state
  const filter = edited(state.filter, key)
  return textOf(filter) === textOf(state.filter) ? state : { ...state, filter, at: 0 }
}

/** The first that is shown, so that the cursor is on the screen and does not jump about. */
const firstShown = (at: number, total: number, height: number): number =>
  Math.max(0, Math.min(at - Math.floor(height / 2), total - height))

/** The lines around the list, and the one that the cursor is in. */
const FRAME = 6

/** Where there is no room for more than the list, there is only the list. */
const LOW = 8

/** The lines of a picker, none wider than the screen, and no more than it has. */
export const lines = <A>(
  state: State<A>,
  title: string,
  terminal: Terminal,
  { columns, rows }: { readonly columns: number; readonly rows: number }
): ReadonlyArray<string> => {
  // The last cell stays free: some terminals start a new line when it is written.
  const width = Math.max(8, columns - 1)
  const found = matching(state)
  const low = rows < LOW
  const height = Math.max(1, Math.min(found.length, rows - (low ? 2 : FRAME)))
  const from = firstShown(state.at, found.length, height)
  const [names, labels] = [
    Math.max(0, ...state.all.map(({ name }) => widthOf(name))),
    Math.max(0, ...state.all.map(({ label }) => widthOf(label)))
  ]
  const row = ({ about, label, name, paint }: Choice<A>, index: number): string => {
    const here = index + from === state.at
    const head = `${here ? "›" : " "} ${padded(name, names)}  `
    const rest = width - widthOf(head) - labels - 2
    if (rest < 1) return cut(head, width)
    const line = `${paint(padded(label, labels))}  ${cut(about, rest)}`
    return here ? `${terminal.bold(head)}${line}` : `${head}${line}`
  }
  const current = found[state.at]
  const filter = textOf(state.filter)
  const place = `${found.length === 0 ? 0 : state.at + 1}/${found.length}`
  const heading = terminal.bold(cut(`${title} (${place})`, width))
  const list =
    found.length === 0 ? [cut("  nothing is called that", width)] : found.slice(from, from + height).map(row)
  if (low) return [heading, ...list]
  return [
    heading,
    cut(filter === "" ? "type to filter" : `filter: ${filter}`, width),
    ...list,
    ...(current === undefined ? [""] : wrap(current.detail, width).slice(0, 2)),
    terminal.dim(cut("↑↓ move · Enter pick · Esc cancel", width))
  ]
}

/** Throws `Abandoned`. */
export const pick = async <A>(
  dialogue: Dialogue,
  title: string,
  all: ReadonlyArray<Choice<A>>
): Promise<A> => {
  const { forget, key, say, terminal, tty } = dialogue
  let state: State<A> = { all, filter: emptyLine, at: 0 }
  let drawn: ReadonlyArray<number> = []
  // As many rows up as were drawn; where the screen became narrower, a line has become several.
  const erase = () => {
    const { columns } = tty.size()
    const rows = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0)
    say(rows === 0 ? "" : `\r\u001b[${rows}A\u001b[J`)
    drawn = []
  }
  const draw = () => {
    const plain = lines(state, title, terminal, tty.size())
    erase()
    say(plain.map((line) => `${line}\r\n`).join(""))
    drawn = plain.map((line) => widthOf(line.replace(COLOUR, "")))
  }
  await forget()
  say(HIDE)
  try {
    for (;;) {
      draw()
      const pressed = await key()
      if (pressed.name === "interrupt") throw new Abandoned("interrupted")
      if (pressed.name === "escape") throw new Abandoned("escaped")
      if (pressed.name === "gone" || pressed.name === "endOfInput") throw new Abandoned("ended")
      const current = matching(state)[state.at]
      if (pressed.name === "enter" && current !== undefined) return current.value
      state = moved(state, pressed)
    }
  } finally {
    erase()
    say(SHOW)
  }
}

const HIDE = "\u001b[?25l"
const SHOW = "\u001b[?25h"

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are no cells
const COLOUR = /\u001b\[[0-9;]*m/g
