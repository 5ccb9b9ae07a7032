/** From what a terminal sends to the keys that were pressed. */
import type { Keyboard } from "./Tty.js"

const named = [
  "up",
  "down",
  "left",
  "right",
  "home",
  "end",
  "pageUp",
  "pageDown",
  "enter",
  "escape",
  "backspace",
  "delete",
  "clear",
  "eraseWord",
  "interrupt",
  "endOfInput",
  "gone",
  "resized",
  "unknown"
] as const

export type Key =
  | { readonly name: (typeof named)[number] }
  | { readonly name: "text"; readonly text: string; readonly pasted: boolean }

type Name = (typeof named)[number]

/** What Ctrl-C sends. */
export const INTERRUPT = "\u0003"

const controls: ReadonlyMap<string, Name> = new Map([
  ["\r", "enter"],
  ["\n", "enter"],
  ["\u007f", "backspace"],
  ["\b", "backspace"],
  ["\u0001", "home"],
  [INTERRUPT, "interrupt"],
  ["\u0004", "endOfInput"],
  ["\u0005", "end"],
  ["\u000e", "down"],
  ["\u0010", "up"],
  ["\u0015", "clear"],
  ["\u0017", "eraseWord"]
])

const letters: ReadonlyMap<string, Name> = new Map([
  ["A", "up"],
  ["B", "down"],
  ["C", "right"],
  ["D", "left"],
  ["F", "end"],
  ["H", "home"],
  ["M", "enter"]
])

const numbers: ReadonlyMap<string, Name> = new Map([
  ["1", "home"],
  ["3", "delete"],
  ["4", "end"],
  ["5", "pageUp"],
  ["6", "pageDown"],
  ["7", "home"],
  ["8", "end"]
])

const ESCAPE = "\u001b"
const PASTE = "\u001b[200~"
const PASTED = "\u001b[201~"
const MAX_PASTE = 65_536

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: these are what terminals send
const SEQUENCE = /^\u001b\[([0-?]*)[ -/]*([@-~])/
const LETTER = /^\u001bO([ -~])/
const UNFINISHED = /^\u001b(?:O|\[[0-?]*[ -/]*)?$/
const TEXT = /^[^\u0000-\u001f\u007f]+/
const CONTROLS = /[\u0000-\u001f\u007f]+/g
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/** A key, and how much of the text it was. */
type First = readonly [key: Key, length: number]

const sequence = (parameters: string, final: string): Name => {
  const [number = ""] = parameters.split(";")
  return (final === "~" ? numbers.get(number) : letters.get(final)) ?? "unknown"
}

/** The first key of a text, or nothing while more may belong to it; `over` says that no more comes. */
export const firstKey = (text: string, over: boolean): First | undefined => {
  if (text.startsWith(PASTE)) {
    const end = text.indexOf(PASTED)
    if (end < 0 && !over && text.length < MAX_PASTE) return undefined
    const pasted = text.slice(PASTE.length, end < 0 ? text.length : end).replace(CONTROLS, " ")
    return [{ name: "text", text: pasted, pasted: true }, end < 0 ? text.length : end + PASTED.length]
  }
  const plain = TEXT.exec(text)
  if (plain !== null) return [{ name: "text", text: plain[0], pasted: false }, plain[0].length]
  if (!text.startsWith(ESCAPE)) return [{ name: controls.get(text[0] ?? "") ?? "unknown" }, 1]
  if (!over && UNFINISHED.test(text)) return undefined
  const long = SEQUENCE.exec(text)
  if (long !== null) return [{ name: sequence(long[1] ?? "", long[2] ?? "") }, long[0].length]
  const short = LETTER.exec(text)
  if (short !== null) return [{ name: letters.get(short[1] ?? "") ?? "unknown" }, short[0].length]
  return [{ name: "escape" }, 1]
}

export interface Keys {
  readonly next: () => Promise<Key>
  /** Drops the keys that were pressed until now. */
  readonly forget: () => Promise<void>
}

/** Of a paste whose end is still to come the rest must stay a paste: its line breaks would be keys. */
const cutOff = (text: string): string => {
  const start = text.lastIndexOf(PASTE)
  return start >= 0 && !text.includes(PASTED, start) ? PASTE : ""
}

/** How long the rest of a sequence may take, before an escape is the key of that name. */
const PATIENCE = 50

const PATIENCE_OF_PASTE = 2000

export const keysOf = (keyboard: Keyboard): Keys => {
  let rest = ""
  let ended = false
  const next = async (): Promise<Key> => {
    let over = ended
    for (;;) {
      if (rest !== "") {
        const first = firstKey(rest, over)
        if (first !== undefined) {
          rest = rest.slice(first[1])
          return first[0]
        }
      } else if (ended) {
        return { name: "gone" }
      }
      const patience = rest === "" ? undefined : rest.startsWith(PASTE) ? PATIENCE_OF_PASTE : PATIENCE
      const typed = await keyboard.read(patience)
      if (typed === "resized" && rest === "") return { name: "resized" }
      if (typed === "late") over = true
      else if (typed === "ended") over = ended = true
      else if (typed !== "resized") rest += typed.text
    }
  }
  const forget = async (): Promise<void> => {
    await keyboard.forget()
    rest = rest.includes(INTERRUPT) ? INTERRUPT : cutOff(rest)
  }
  return { next, forget }
}
