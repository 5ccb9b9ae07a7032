/** `bailiwick/tsconfig.tools.json`, extended as a user would, read by the language service of Effect. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { node } from "../../scripts/lib/command.js"
import { commandOf } from "../../scripts/lib/project.js"
import { scratchFolder } from "./scratch.js"

const tool = `import { readFileSync } from "node:fs"
import { Effect } from "effect"
export const a = [fetch("x"), process.env.HOME, readFileSync]
export const b = Effect.gen(function* () {
  yield* Effect.promise(() => fetch("x"))
  Effect.runSync(Effect.void)
  return process.env.HOME
})
declare const needs: Effect.Effect<void, never, "x">
export const c = needs as Effect.Effect<void>
export const d = needs as Effect.Effect<void, never, any>
`

const settings = {
  extends: "bailiwick/tsconfig.tools.json",
  compilerOptions: {
    strict: true,
    module: "NodeNext",
    target: "ES2022",
    types: ["node"],
    skipLibCheck: true
  },
  files: ["tool.ts"]
}

interface Report {
  readonly diagnostics: ReadonlyArray<{
    readonly name: string
    readonly line: number
    readonly severity: string
  }>
}

it("switches on what the language service has against ambient authority, and against hiding a requirement", async () => {
  const folder = scratchFolder("tsconfig")
  writeFileSync(join(folder, "tool.ts"), tool)
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings))
  const command = commandOf("@effect/language-service", "effect-language-service")
  const args = [
    "diagnostics",
    "--project",
    "tsconfig.json",
    "--format",
    "json",
    "--severity",
    "error,warning"
  ]
  const { stdout } = await node([command, ...args], { cwd: folder })
  const { diagnostics } = JSON.parse(stdout) as Report
  const found = diagnostics.map(({ line, name, severity }) => `${line} ${name} ${severity}`)
  expect([...new Set(found)].sort()).toEqual([
    "1 nodeBuiltinImport warning",
    "10 unsafeEffectTypeAssertion error",
    "11 anyUnknownInErrorContext warning",
    "3 globalFetch error",
    "3 processEnv error",
    "5 globalFetchInEffect error",
    "6 runEffectInsideEffect error",
    "7 processEnvInEffect error"
  ])
})
