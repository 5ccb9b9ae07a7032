/**
 * What the types cost: instantiations and check time of 10, 100 and 1,000 generated tools, on every supported
 * compiler, in three variants. `category` is the same tools with accessors that require only the tag of their
 * category, and a constructor that does not compare them with the declaration; it is what `fine` is measured against.
 *
 *     npm run bench:types
 *     npm run bench:types -- --quick        10 and 100 tools, one round
 *     npm run bench:types -- --rounds 1     one round instead of three
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, rounds: { type: "string" } }
})
const sizes = values.quick ? [10, 100] : [10, 100, 1000]
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3))
const toolsPerFile = 20

const root = fileURLToPath(new URL("..", import.meta.url))
const scratch = join(root, ".tmp", "bench-types")

// In parallel, each checker of 7.0 counts the library anew; in one thread the counts compare with the others'.
const compilers = [
  { name: "5.9", tsc: ["node_modules/typescript/lib/tsc.js"] },
  { name: "6.0", tsc: ["node_modules/typescript6/lib/tsc.js"] },
  { name: "7.0", tsc: ["node_modules/typescript7/bin/tsc", "--singleThreaded"] }
] as const

const variants = ["category", "fine", "exact"] as const
type Variant = (typeof variants)[number]

/** Stands in for the library in the variant `category`. */
const categoryOnly = `
import type { Effect } from "effect"
import type { Capabilities } from "./src/capabilities/Capabilities.js"
import type { Network as NetworkTag } from "./src/capabilities/network/Network.js"
import type { NetworkError } from "./src/capabilities/network/NetworkOperations.js"
import type { Secrets as SecretsTag } from "./src/capabilities/secrets/Secrets.js"
import type { SecretsError } from "./src/capabilities/secrets/SecretsOperations.js"
import type { FailureOf, Pending, SuccessOf } from "./src/tools/effects.js"
import type { SchemaOf, Tool as AnyTool } from "./src/tools/Tool.js"
import type { Redacted } from "effect"

export declare const Network: {
  readonly get: (url: string, options?: NetworkTag.Options) => Effect.Effect<string, NetworkError, NetworkTag>
}
export declare const Secrets: {
  readonly get: (ref: string) => Effect.Effect<Redacted.Redacted<string>, SecretsError, SecretsTag>
}
type Keys = { readonly [K in keyof Capabilities]?: unknown }
export declare namespace Tool {
  export const make: <
    const Name extends string,
    Args,
    S = unknown,
    FE = never,
    X extends Effect.Effect<S, Pending, Pending> = Effect.Effect<S, Pending, Pending>,
    const Caps extends Capabilities = {}
  >(options: {
    readonly name: Name
    readonly description: string
    readonly parameters: SchemaOf<Args> & { readonly fields: object }
    readonly success?: SchemaOf<S>
    readonly failure?: SchemaOf<FE>
    readonly capabilities: Caps & Keys
    readonly execute: (args: Args) => X
  }) => AnyTool<Name, Args, unknown extends S ? SuccessOf<X> : S, FailureOf<X>, Caps>
}
`

const imports = (variant: Variant) =>
  variant === "category"
    ? `import { Network, Secrets, Tool } from "../category.js"\n`
    : `import { Network } from "../src/capabilities/network/Network.js"
import { Secrets } from "../src/capabilities/secrets/Secrets.js"
import * as Tool from "../src/tools/Tool.js"\n`

/** A tool as a team writes it: two parameters, a result, a host (every other tool: two), a secret. */
const tool = (variant: Variant, i: number) => {
  const two = i % 2 === 1
  return `
export const tool${i} = Tool.${variant === "exact" ? "exact" : "make"}({
  name: "tool_${i}",
  description: "Looks up number ${i}",
  parameters: Schema.Struct({ lat: Schema.Number, city${i}: Schema.String }),
  success: Schema.Struct({ temp: Schema.Number, unit: Schema.String }),
  capabilities: {
    network: { allowedHosts: ["api${i}.example.com"${two ? `, "*.host${i}.org"` : ""}] },
    secrets: ["KEY_${i}"]
  },
  execute: ({ lat, city${i} }) =>
    Effect.gen(function* () {
      const key = yield* Secrets.get("KEY_${i}")
      const body = yield* Network.get(\`https://api${i}.example.com/\${lat}/\${city${i}}?key=\${Redacted.value(key)}\`)
${two ? `      yield* Network.get("https://x.host${i}.org/v1/items")\n` : ""}      return { temp: body.length, unit: "C" }
    })
})
`
}

const generate = (variant: Variant, size: number): string => {
  const folder = join(scratch, `${variant}-${size}`)
  mkdirSync(folder, { recursive: true })
  for (let from = 0; from < size; from += toolsPerFile) {
    const count = Math.min(toolsPerFile, size - from)
    const tools = Array.from({ length: count }, (_, offset) => tool(variant, from + offset))
    const source = `import { Effect, Redacted, Schema } from "effect"\n${imports(variant)}${tools.join("")}`
    writeFileSync(join(folder, `tools${from}.ts`), source)
  }
  const project = join(scratch, `${variant}-${size}.json`)
  writeFileSync(
    project,
    JSON.stringify({ extends: "../../tsconfig.json", include: [`${variant}-${size}`] }, undefined, 2)
  )
  return project
}

interface Cost {
  readonly instantiations: number
  readonly seconds: number
}

const compile = (tsc: ReadonlyArray<string>, project: string): Cost => {
  const output = execFileSync(
    process.execPath,
    ["--max-old-space-size=4096", ...tsc, "-p", project, "--noEmit", "--extendedDiagnostics"],
    { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }
  )
  const read = (label: string) => {
    const match = new RegExp(`^${label}:\\s+([\\d.,]+)`, "m").exec(output)
    if (match?.[1] === undefined) throw new Error(`no '${label}' in the diagnostics of ${tsc[0]}`)
    return Number(match[1].replaceAll(",", ""))
  }
  return { instantiations: read("Instantiations"), seconds: read("Check time") }
}

const median = (values: ReadonlyArray<number>) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const progress = (text: string) => process.stderr.write(`${text}\n`)

rmSync(scratch, { recursive: true, force: true })
mkdirSync(scratch, { recursive: true })
// A copy, so that all rounds see the same sources whatever is edited meanwhile.
cpSync(join(root, "src"), join(scratch, "src"), { recursive: true })
writeFileSync(join(scratch, "category.ts"), categoryOnly)

const costs = new Map<string, Array<Cost>>()
const keyOf = (compiler: string, variant: Variant, size: number) => `${compiler} ${variant} ${size}`
for (const size of sizes) {
  const projects = variants.map((variant) => ({ variant, project: generate(variant, size) }))
  for (let round = 1; round <= rounds; round++) {
    for (const { name, tsc } of compilers) {
      for (const { variant, project } of projects) {
        progress(`${size} tools, round ${round} of ${rounds}: TypeScript ${name}, ${variant}`)
        const key = keyOf(name, variant, size)
        costs.set(key, [...(costs.get(key) ?? []), compile(tsc, project)])
      }
    }
  }
}

const costOf = (compiler: string, variant: Variant, size: number): Cost => {
  const all = costs.get(keyOf(compiler, variant, size)) ?? []
  return {
    instantiations: median(all.map(({ instantiations }) => instantiations)),
    seconds: median(all.map(({ seconds }) => seconds))
  }
}

const row = (cells: ReadonlyArray<string>) =>
  cells.map((cell, column) => (column < 2 ? cell.padEnd(12) : cell.padStart(16))).join("")

console.log(
  row(["TypeScript", "variant", "tools", "instantiations", "a tool more", "check time", "of category"])
)
for (const { name } of compilers) {
  for (const variant of variants) {
    sizes.forEach((size, index) => {
      const { instantiations, seconds } = costOf(name, variant, size)
      const before = sizes[index - 1]
      const more =
        before === undefined
          ? ""
          : ((instantiations - costOf(name, variant, before).instantiations) / (size - before)).toFixed(0)
      const ratio = (seconds / costOf(name, "category", size).seconds).toFixed(2)
      console.log(
        row([name, variant, String(size), instantiations.toFixed(0), more, `${seconds.toFixed(2)} s`, ratio])
      )
    })
  }
}
