import type { Dialogue } from "./dialogue.js"
import { askLine } from "./line.js"

/** Only a written yes is one. Throws `Abandoned`. */
export const confirm = async (dialogue: Dialogue, question: string): Promise<boolean> =>
  /^y(?:es)?$/i.test((await askLine(dialogue, `${question} [y/N] `)).trim())
