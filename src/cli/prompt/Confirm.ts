import type { Dialogue } from "./Dialogue.js"
import { askLine } from "./Line.js"

/** Only a written yes is one. Throws `Abandoned`. */
export const confirm = async (dialogue: Dialogue, question: string): Promise<boolean> =>
  /^y(?:es)?$/i.test((await askLine(dialogue, `${question} [y/N] `)).trim())
