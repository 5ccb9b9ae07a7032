/** Where a server starts that is not told where: a directory with nothing in it, made when it starts. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"

export const temporary = (): string => realpathSync.native(tmpdir())

export interface Empty {
  readonly path: string
  /** To be called again and again. */
  readonly remove: () => void
}

/** No server that is held sees even that: in its place it has one of its own memory. */
export const emptyDirectory: Effect.Effect<Empty, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(temporary(), "bailiwick-mcp-"))
    return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
  }),
  ({ remove }) => Effect.sync(remove)
)
