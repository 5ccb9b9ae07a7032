/** The token of a server in a file that only its owner may read, while the server runs. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { CliError } from "../../CliError.js"
import { writePrivately } from "../../workspace/WriteFile.js"

/** Below the state directory, which no tool may read. The answer is where it is. */
export const tokenFile = (
  state: string,
  port: number,
  token: string
): Effect.Effect<string, CliError, Scope.Scope> => {
  const file = join(state, "mcp", `${port}.token`)
  return Effect.acquireRelease(
    Effect.try({
      try: () => {
        writePrivately(file, `${token}\n`)
        return file
      },
      catch: (error) => (error instanceof CliError ? error : new CliError(`${file} was not written`))
    }),
    () => Effect.sync(() => rmSync(file, { force: true }))
  )
}
