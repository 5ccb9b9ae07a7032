/** What happens before anything is loaded: help and version are answered, and only then is there work. */
import { helpFor } from "./Help.js"

/** The rest of the program, behind a door that is opened only when it is needed. */
export interface Program {
  readonly main: (args: ReadonlyArray<string>) => Promise<void>
}

export const start = async (
  args: ReadonlyArray<string>,
  version: () => string,
  load: () => Program | Promise<Program>
): Promise<void> => {
  const help = helpFor(args)
  if (help !== undefined) {
    process.stdout.write(help)
  } else if (args[0] === "--version") {
    process.stdout.write(`${version()}\n`)
  } else {
    await (await load()).main(args)
  }
}
