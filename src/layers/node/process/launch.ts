/** The last form that a checked command has before it is started, held or not. */
import { Either } from "effect"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Wrapped } from "../sandbox/Bwrap.js"
import type { CheckedCommand } from "./checkedCommand.js"
import type { Directory } from "./directory.js"
import { type Ended, withNotes } from "./ended.js"

export interface Launch {
  /** What the command is called in words to the tool. */
  readonly name: string
  readonly file: string
  readonly argv0: string
  readonly args: ReadonlyArray<string>
  /** How the child gets into its directory. */
  readonly at: string
  readonly env: Readonly<Record<string, string>>
  readonly hold: Wrapped | undefined
  /** What its end means, with the last that it wrote to its error output. */
  readonly verdict: (ended: Ended, said: string) => Either.Either<Ended, ProcessError>
}

export const nameOf = ({ proof }: CheckedCommand): string => proof.request.element.argv?.[0] ?? "sh"

/** As it is, in its directory. */
export const bare = (command: CheckedCommand, { at }: Directory, notes: ReadonlyArray<string>): Launch => {
  const { argv, env, path } = command
  const [argv0 = path, ...args] = argv
  return {
    name: nameOf(command),
    file: path,
    argv0,
    args,
    at,
    env,
    hold: undefined,
    verdict: (ended) => Either.right(withNotes(ended, notes))
  }
}
