/** `completion`, and what its scripts ask: names that a workspace holds. None of its code is loaded for that. */

import type { CompletionCommand } from "../../Arguments.js"
import { type Answer, answerText, complete, printed } from "../../completion/Complete.js"
import { script } from "../../completion/Script.js"
import type { Surroundings } from "../../Surroundings.js"
import { settingOf } from "../../workspace/Setting.js"
import { candidates } from "./names.js"

export const completion = async (command: CompletionCommand, around: Surroundings): Promise<number> => {
  const text = script(command.shell)
  await around.print(
    command.json ? `${JSON.stringify({ shell: command.shell, script: text }, null, 2)}\n` : text
  )
  return 0
}

const answered = (answer: Answer, around: Surroundings): string => {
  const text = answerText(answer)
  if (text !== undefined || !("typed" in answer)) return text ?? ""
  const { before, kind, typed, workdir } = answer
  const { workspace } = settingOf({ workdir }, around)
  if (workspace === undefined) return printed([])
  return printed(
    candidates(kind, typed, workspace, around).map(({ about, word }) => ({ about, word: `${before}${word}` }))
  )
}

/** Whatever is wrong here is no answer: nobody wants to read about it while typing. */
export const completeWords = async (words: ReadonlyArray<string>, around: Surroundings): Promise<number> => {
  let text = printed([])
  try {
    text = answered(complete(words), around)
  } catch {
    // As above.
  }
  await around.print(text)
  return 0
}
