/** The three engines as commands, each over the same folder, with the plugin as one file. */
import { readdirSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { node } from "../../scripts/lib/command.js"
import { commandOf, root } from "../../scripts/lib/project.js"
import { bundlePlugin } from "../../scripts/lint/plugin.js"

export interface Message {
  readonly file: string
  readonly line: number
  readonly text: string
}

export type Engine = "eslint" | "eslint10" | "oxlint"
export const engines: ReadonlyArray<Engine> = ["eslint", "eslint10", "oxlint"]

const parser = pathToFileURL(join(root, "node_modules/@typescript-eslint/parser/dist/index.js")).href

const rules = (options: object) => ({ "bailiwick/no-ambient-authority": ["error", options] })

const eslintConfig = (options: object) => `
import plugin from "./plugin.mjs"
import parser from "${parser}"
export default [{
  ...plugin.configs.recommended,
  files: ["**/*.{ts,tsx,cts,mts}"],
  languageOptions: { parser },
  rules: ${JSON.stringify(rules(options))}
}]
`

const oxlintConfig = (options: object) => ({
  plugins: [],
  categories: { correctness: "off" },
  jsPlugins: ["./plugin.mjs"],
  rules: rules(options)
})

/** A folder with files in it, ready for every engine. */
export const prepare = async (
  folder: string,
  files: Readonly<Record<string, string>>,
  options: object = {}
): Promise<void> => {
  const all = {
    ...files,
    "eslint.config.mjs": eslintConfig(options),
    ".oxlintrc.json": JSON.stringify(oxlintConfig(options))
  }
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await bundlePlugin(join(folder, "plugin.mjs"))
}

interface EslintFile {
  readonly filePath: string
  readonly messages: ReadonlyArray<{ readonly line: number; readonly message: string }>
}

const eslint = async (name: "eslint" | "eslint10", folder: string): Promise<ReadonlyArray<Message>> => {
  const { output, stdout } = await node(
    [commandOf(name, "eslint"), "--format", "json", "--no-inline-config", "--ignore-pattern", "*.mjs", "."],
    { cwd: folder }
  )
  if (!stdout.startsWith("[")) throw new Error(output)
  return (JSON.parse(stdout) as ReadonlyArray<EslintFile>).flatMap(({ filePath, messages }) =>
    messages.map(({ line, message }) => ({ file: relative(folder, filePath), line, text: message }))
  )
}

interface OxlintReport {
  readonly diagnostics: ReadonlyArray<{
    readonly filename: string
    readonly message: string
    readonly labels: ReadonlyArray<{ readonly span: { readonly line: number; readonly offset: number } }>
  }>
}

/** By name, for the scratch folder is one that git ignores, and oxlint then does, too. */
const sourcesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:[cm]?ts|tsx|js)$/.test(path))
    .sort()

const oxlint = async (folder: string): Promise<ReadonlyArray<Message>> => {
  const args = ["--format", "json", "--config", ".oxlintrc.json", "--no-ignore", ...sourcesIn(folder)]
  const { output, stdout } = await node([commandOf("oxlint"), ...args], { cwd: folder })
  if (!stdout.startsWith("{")) throw new Error(output)
  const { diagnostics } = JSON.parse(stdout) as OxlintReport
  return diagnostics
    .map(({ filename, labels, message }) => {
      const [{ span } = { span: { line: 0, offset: 0 } }] = labels
      return { file: filename, line: span.line, offset: span.offset, text: message }
    })
    .sort((a, b) => a.offset - b.offset)
    .map(({ file, line, text }) => ({ file, line, text }))
}

export const lintWith = (engine: Engine, folder: string): Promise<ReadonlyArray<Message>> =>
  engine === "oxlint" ? oxlint(folder) : eslint(engine, folder)
