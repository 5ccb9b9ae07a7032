/** What makes a new workspace a package: its dependencies, its checks, and a page about it. */
import { forDevelopment, needed, versions } from "./versions.js"

const LONGEST = 100

/** A directory may be called what no package may. */
const packageName = (directory: string): string =>
  directory
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[-]+$/g, "")
    .slice(0, LONGEST) || "workspace"

const listed = (names: ReadonlyArray<keyof typeof versions>): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, versions[name]]))

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

export const packageJson = (directory: string): string =>
  json({
    name: packageName(directory),
    version: "0.0.0",
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: {
      test: "node --test",
      lint: "eslint .",
      check: "tsc --noEmit && bailiwick doctor --strict",
      manifest: "bailiwick manifest"
    },
    dependencies: listed(needed),
    devDependencies: listed(forDevelopment)
  })

export const tsconfig = json({
  extends: "bailiwick/tsconfig.tools.json",
  compilerOptions: {
    allowJs: true,
    checkJs: true,
    noEmit: true,
    strict: true,
    target: "ES2022",
    lib: ["ES2023"],
    module: "NodeNext",
    skipLibCheck: true,
    types: ["node"]
  },
  include: ["tools", "test"]
})

export const eslint = `import bailiwick from "bailiwick/eslint-plugin"

export default [bailiwick.configs.recommended]
`

/** What to do next, in the directory. */
export const steps = [
  { command: "npm install", why: "install the library and the checks" },
  { command: "npm test", why: "run the test of the first tool; it needs no network" },
  { command: "npx bailiwick manifest", why: "write down what the tools touch; commit the file" },
  {
    command: "npx bailiwick call fetch_weather lat=47.6 lon=-122.3 --agent scout",
    why: "call the tool as the agent may"
  }
] as const

const width = Math.max(...steps.map(({ command }) => command.length))

export const stepLines: ReadonlyArray<string> = steps.map(
  ({ command, why }) => `${command.padEnd(width)}   # ${why}`
)

export const readme = `# A workspace

Tools that touch what they declare and a policy allows, and nothing else.

\`\`\`sh
${stepLines.join("\n")}
\`\`\`

| File | Says |
|---|---|
| \`bailiwick.yaml\` | which modules hold tools |
| \`tools/\` | the tools; \`tools/index.js\` exports each |
| \`test/\` | their tests, without network and disk |
| \`records/agents/scout.md\` | an agent: what it holds, and what it is told |
| \`personalities/forecaster/config.yaml\` | a personality: what it allows |
| \`eslint.config.js\`, \`tsconfig.json\` | checks that a tool goes around nothing |

To let \`scout\` do more, run \`npx bailiwick agents grant scout\`. To see what is wrong, run \`npx bailiwick doctor\`. In a
pipeline, run \`npm test\`, \`npm run lint\`, \`npm run check\` and \`npx bailiwick manifest --check\`.
`
