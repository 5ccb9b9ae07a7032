/** One line of text, asked for and edited. */
import { cut, fitting, graphemes, visible, widthOf } from "../report/Terminal.js"
import { Abandoned, type Dialogue } from "./Dialogue.js"
import type { Key } from "./Key.js"

/** Only a written yes is one. Throws `Abandoned`. */
export const confirm = async (dialogue: Dialogue, question: string): Promise<boolean> =>
  /^y(?:es)?$/i.test((await askLine(dialogue, `${question} [y/N] `)).trim())

/** What stands before the cursor and after it, character by character as a reader takes them. */
export interface Line {
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
}

export const emptyLine: Line = { before: [], after: [] }

export const textOf = ({ after, before }: Line): string => [...before, ...after].join("")

const MAX = 4096

const inserted = ({ after, before }: Line, text: string): Line =>
  // What is typed may join with the character before it.
  ({ before: graphemes(`${before.join("")}${text}`).slice(0, MAX), after })

const withoutWord = (before: ReadonlyArray<string>): ReadonlyArray<string> =>
  graphemes(before.join("").replace(/\S+\s*$/u, ""))

/** What a key makes of a line; other keys leave it. */
export const edited = (line: Line, key: Key): Line => {
  const { after, before } = line
  switch (key.name) {
    case "text":
      return inserted(line, key.text)
    case "backspace":
      return { before: before.slice(0, -1), after }
    case "delete":
      return { before, after: after.slice(1) }
    case "left":
      return before.length === 0
        ? line
        : { before: before.slice(0, -1), after: [...before.slice(-1), ...after] }
    case "right":
      return { before: [...before, ...after.slice(0, 1)], after: after.slice(1) }
    case "home":
      return { before: [], after: [...before, ...after] }
    case "end":
      return { before: [...before, ...after], after: [] }
    case "clear":
      return { before: [], after }
    case "eraseWord":
      return { before: withoutWord(before), after }
    default:
      return line
  }
}

const NARROWEST = 4

/** The part of a line around the cursor that fits, and the cells before the cursor in it. */
export const windowOf = ({ after, before }: Line, width: number): readonly [text: string, cursor: number] => {
  let head = before.map(visible)
  while (widthOf(head.join("")) >= width) head = head.slice(1)
  const start = head.join("")
  return [fitting(`${start}${after.map(visible).join("")}`, width), widthOf(start)]
}

const draw = ({ say, tty }: Dialogue, prompt: string, line: Line): void => {
  const { columns } = tty.size()
  const shown = cut(prompt, Math.max(1, columns - NARROWEST - 1))
  const [text, cursor] = windowOf(line, Math.max(NARROWEST, columns - widthOf(shown) - 1))
  const column = widthOf(shown) + cursor
  say(`\r\u001b[K${shown}${text}\r${column === 0 ? "" : `\u001b[${column}C`}`)
}

/** The line that is typed after a prompt. Throws `Abandoned`. */
export const askLine = async (dialogue: Dialogue, prompt: string): Promise<string> => {
  let line = emptyLine
  const left = (why: Abandoned["why"]): never => {
    dialogue.say("\r\n")
    throw new Abandoned(why)
  }
  await dialogue.forget()
  for (;;) {
    draw(dialogue, prompt, line)
    const key = await dialogue.key()
    if (key.name === "enter") {
      dialogue.say("\r\n")
      return textOf(line)
    }
    if (key.name === "interrupt") left("interrupted")
    if (key.name === "escape") left("escaped")
    // As in a shell: the end of the input only where nothing is typed.
    if (key.name === "gone" || (key.name === "endOfInput" && textOf(line) === "")) left("ended")
    line = edited(line, key)
  }
}
