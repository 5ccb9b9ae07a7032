/**
 * The built-in tools, in this process and each in one of its own: what is tested of the one is tested of the other. Where
 * the kernel holds no process there is only the first.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import * as Isolated from "../../../src/isolated/index.js"
import type { ToolsOf } from "../../../src/isolated/Toolkit.js"
import * as Builtin from "../../../src/tools/builtin/index.js"

type Tools = ToolsOf<typeof Builtin>

const isolated = async (): Promise<ReadonlyArray<readonly [string, Tools]>> => {
  const directory = mkdtempSync(join(tmpdir(), "isolated-builtin-"))
  const scope = Effect.runSync(Scope.make())
  process.once("exit", () => {
    Effect.runSync(Scope.close(scope, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  })
  const module = new URL("../../../src/tools/builtin/index.ts", import.meta.url)
  const made = Isolated.toolkit<typeof Builtin>(module, { directory, spares: 2 }).pipe(
    Scope.extend(scope),
    Effect.map((kit) => [["each in a process of its own", kit] as const]),
    Effect.catchIf(
      ({ code }) => code === "NOT_HELD",
      () => Effect.succeed([])
    )
  )
  return Effect.runPromise(made)
}

export const ways: ReadonlyArray<readonly [string, Tools]> = [
  ["in one process", Builtin],
  ...(await isolated())
]
