/** A workspace with packages of strangers and isolated modules, none of which the program may load. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Folder, type Options } from "./workspace.js"

export const IMPORTS = `import { Files, Network, Process, Secrets, Tool } from "bailiwick"
import { Context, Effect, Schema } from "effect"
`

/** The source of a tool that is exported. */
export const toolText = (
  name: string,
  execute: string,
  { capabilities = "{}", description = name, parameters = "{}", more = "" } = {}
): string =>
  `export const t_${name.replaceAll("-", "_")} = Tool.make({ name: ${JSON.stringify(name)}, description: ${JSON.stringify(description)}, parameters: Schema.Struct(${parameters}), capabilities: ${capabilities}, ${more} execute: ${execute} })\n`

export class Strangers extends Folder {
  /** What the program itself loaded. */
  readonly loaded: Array<string> = []

  constructor(tools: string, files: Readonly<Record<string, string>> = {}) {
    super({ "bailiwick.yaml": `tools: ${tools}\n`, ...files })
    this.personality()
  }

  /** Puts a package into `node_modules`, or another one in its place. */
  package(name: string, source: string, manifest: object = {}): this {
    const folder = this.path("node_modules", name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ name, version: "1.0.0", type: "module", exports: "./index.js", ...manifest })
    )
    writeFileSync(join(folder, "index.js"), IMPORTS + source)
    return this
  }

  override bailiwick(args: ReadonlyArray<string>, options: Options = {}) {
    return super.bailiwick(args, {
      load: async (file) => {
        this.loaded.push(file)
        return import(file)
      },
      ...options
    })
  }

  async results(...calls: ReadonlyArray<readonly [name: string, args?: object]>) {
    const { results } = await this.calls(calls.map(([name, args = {}]) => ({ id: name, name, args })))
    return results
  }

  /** Whether a process of a tool was ever prepared here. */
  get hasStarted(): boolean {
    return existsSync(this.path(".bailiwick/isolated"))
  }
}
