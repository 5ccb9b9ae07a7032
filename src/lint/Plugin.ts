/** What ESLint and oxlint have in common, as far as a plugin with one rule meets it. */

/** What an engine tells of a file, and is told of it. */
export interface Context {
  readonly options: ReadonlyArray<unknown>
  readonly cwd: string
  readonly filename: string
  readonly sourceCode: object
  readonly languageOptions?: object
  report(descriptor: Report): void
}

interface Report {
  // biome-ignore lint/suspicious/noExplicitAny: each engine has its own type of nodes
  readonly node: any
  readonly messageId: string
  readonly data: Record<string, string>
}

/** A rule, as an engine takes it. */
export interface Rule {
  readonly meta: {
    readonly type: "problem"
    readonly docs: { readonly description: string }
    readonly messages: Record<string, string>
    readonly schema: Array<object>
  }
  // biome-ignore lint/suspicious/noExplicitAny: each engine has its own type of nodes
  create(context: Context): { Program?: (node: any) => void }
}

/** What the rule takes. */
export interface Options {
  /** More tool files, as patterns relative to where the linter runs. `!` in front takes files out. */
  readonly files?: ReadonlyArray<string>
  /** What is not reported, by the names that messages have in quotes. */
  readonly allow?: ReadonlyArray<string>
  /** Whether files of the project that a tool file imports are looked at; `true` unless it is said. */
  readonly followImports?: boolean
}

/** A part of a flat configuration. */
export interface Config {
  readonly name: string
  readonly plugins: Record<string, Omit<Plugin, "configs">>
  readonly rules: Record<string, "error">
}

/** The plugin. */
export interface Plugin {
  readonly meta: { readonly name: string; readonly version: string }
  readonly rules: Record<"no-ambient-authority", Rule>
  readonly configs: Record<"recommended", Config>
}
