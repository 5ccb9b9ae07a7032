/** One command from its arguments to its exit code. Whatever goes wrong is one sentence, and never a stack trace. */
import { parseArguments } from "./Arguments.js"
import { CliError } from "./CliError.js"
import { toolsList } from "./commands/toolsList.js"
import { turn } from "./commands/turn.js"
import type { Surroundings } from "./Surroundings.js"
import { cut } from "./Terminal.js"

const INTERRUPTED = 130

const LONGEST = 2000

const perform = (args: ReadonlyArray<string>, around: Surroundings): Promise<number> => {
  const command = parseArguments(args)
  return command.command === "tools list" ? toolsList(command, around) : turn(command, around)
}

export const run = async (args: ReadonlyArray<string>, around: Surroundings): Promise<number> => {
  try {
    return await perform(args, around)
  } catch (error) {
    if (around.signal.aborted) return INTERRUPTED
    const sentence =
      error instanceof CliError ? error.message : "something failed that should not; please report it"
    const detail =
      error instanceof CliError || !(error instanceof Error) ? "" : ` (${error.name}: ${error.message})`
    around.complain(cut(`bailiwick: ${sentence}${detail}`, LONGEST))
    return 2
  }
}
