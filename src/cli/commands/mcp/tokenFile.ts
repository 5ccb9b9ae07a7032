/** The token of a server in a file that only its owner may read, while the server runs. */
import { chmodSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { CliError } from "../../CliError.js"
import { beside, codeOf, draft, reasonOf } from "../../workspace/replaceFile.js"

const OWNER = 0o700

const write = (directory: string, file: string, token: string): void => {
  mkdirSync(directory, { recursive: true, mode: OWNER })
  chmodSync(directory, OWNER)
  const temporary = beside(directory)
  try {
    draft(temporary, `${token}\n`, () => {})
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Below the state directory, which no tool may read. The answer is where it is. */
export const tokenFile = (
  state: string,
  port: number,
  token: string
): Effect.Effect<string, CliError, Scope.Scope> => {
  const directory = join(state, "mcp")
  const file = join(directory, `${port}.token`)
  return Effect.acquireRelease(
    Effect.try({
      try: () => {
        write(directory, file, token)
        return file
      },
      catch: (error) => new CliError(`${file} was not written: ${reasonOf(codeOf(error))}`)
    }),
    () => Effect.sync(() => rmSync(file, { force: true }))
  )
}
