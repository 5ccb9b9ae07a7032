import { stripVTControlCharacters } from "node:util"

/** Colours for people, plain text for pipes, files and NO_COLOR. */
const isTerminal = process.stdout.isTTY === true

const hasColours =
  (process.env.NO_COLOR ?? "") === "" && (isTerminal || (process.env.FORCE_COLOR ?? "0") !== "0")

const paint = (code: number) => (text: string) => (hasColours ? `\u001b[${code}m${text}\u001b[0m` : text)

export const bold = paint(1)
export const dim = paint(2)
export const red = paint(31)
export const green = paint(32)

/** What children should do, in the variables that their command lines understand. */
export const colourEnvironment: Record<string, string | undefined> = hasColours
  ? { FORCE_COLOR: "1", NO_COLOR: undefined }
  : { FORCE_COLOR: undefined, NO_COLOR: "1" }

/** Replaces the last line of a terminal; does nothing elsewhere. */
export const transient = (text: string) => {
  if (isTerminal) process.stdout.write(`\r\u001b[2K${text}`)
}

/** Without colours. */
export const plain = stripVTControlCharacters
